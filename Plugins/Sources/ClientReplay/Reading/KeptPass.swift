// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// The requests of a recording that is small enough to keep, so that a loop reads it only once.
///
/// **Limits**: 32 MiB of requests.
struct KeptPass {
    private static let maxMemory = 32 << 20

    /// All requests that can be sent; `nil` before the end of the first pass, and if they are too
    /// large.
    private(set) var requests: [RecordedRequest]?
    /// The requests that cannot be sent, and why.
    private(set) var refused: [(Request, ReplayObstacle)] = []
    private var added: [RecordedRequest] = []
    private var memory = 0
    private var isOn: Bool

    init(isOn: Bool) { self.isOn = isOn }

    mutating func add(_ recorded: RecordedRequest) {
        guard fits(recorded.memory) else { return }
        added.append(recorded)
    }

    mutating func add(_ request: Request, refusedBecause obstacle: ReplayObstacle) {
        guard fits(2048 + 2 * request.fields.byteCount + request.body.bytes.count) else { return }
        refused.append((request, obstacle))
    }

    private mutating func fits(_ size: Int) -> Bool {
        guard isOn else { return false }
        memory += size
        guard memory > Self.maxMemory else { return true }
        self = KeptPass(isOn: false)
        return false
    }

    /// Ends the first pass.
    mutating func end() {
        guard isOn else { return }
        requests = added
        added = []
    }
}
