// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// The instance of a stage in one lane, which generations with the same stage share; it is stopped
/// with the last of them, without waiting for what it leaves.
///
/// **Isolation**: the lane's thread, or that of a reload before the lane has it.
final class LaneStage {
    let instance: any Stage
    let identity: ComponentIdentity

    init(_ instance: any Stage, _ identity: ComponentIdentity) {
        self.instance = instance
        self.identity = identity
    }

    deinit { instance.stop() }
}

extension [LaneStage] {
    /// Releases the stages from bottom to top.
    mutating func removeInReverse() {
        while popLast() != nil {}
    }
}
