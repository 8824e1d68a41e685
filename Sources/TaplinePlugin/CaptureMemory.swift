// SPDX-License-Identifier: MIT

/// The memory for what live sources keep of exchanges that have not ended.
///
/// **Isolation**: the thread of the lane that it belongs to.
public protocol CaptureMemory: AnyObject {
    /// Counts bytes that are about to be kept.
    ///
    /// - Returns: Whether they may be kept; otherwise nothing was counted.
    func hold(_ count: Int) -> Bool

    /// Takes back what `hold` has counted.
    func release(_ count: Int)
}
