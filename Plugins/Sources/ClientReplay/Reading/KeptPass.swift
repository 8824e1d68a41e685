// SPDX-License-Identifier: MIT

/// The requests of a recording that is small enough to keep for the passes of a loop.
///
/// **Limits**: 32 MiB of requests.
struct KeptPass {
    private static let maxMemory = 32 << 20

    /// The requests that can be sent, and when each is due, in microseconds since the first one.
    private(set) var requests: [(recorded: RecordedRequest, offset: Int64)] = []
    /// Why requests cannot be sent, and how many of them.
    private(set) var refused: [ReplayRefusal: Int] = [:]
    /// When the last request of the recording is due, in microseconds since the first one.
    private(set) var length: Int64 = 0
    /// Whether the first pass has ended, and all of its requests are here.
    private(set) var isWhole = false
    private var memory = 0
    private var isOn: Bool

    init(isOn: Bool) { self.isOn = isOn }

    mutating func add(_ recorded: RecordedRequest, at offset: Int64) {
        if fits(recorded.memory) { requests.append((recorded, offset)) }
    }

    mutating func add(_ refusal: ReplayRefusal) {
        let isKnown = refused[refusal] != nil
        if fits(isKnown ? 0 : refusal.memory) { refused[refusal, default: 0] += 1 }
    }

    private mutating func fits(_ size: Int) -> Bool {
        guard isOn else { return false }
        memory += size
        guard memory > Self.maxMemory else { return true }
        self = KeptPass(isOn: false)
        return false
    }

    /// Ends the first pass.
    ///
    /// - Parameter length: When its last request was due.
    mutating func end(after length: Int64) {
        isWhole = isOn
        self.length = length
    }
}
