// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineTesting

/// A source that passes exchanges on command, and runs until it is cancelled.
final class ManualSource: Source {
    /// A lane, used only by the test.
    private struct Held: @unchecked Sendable { let lane: any Lane }

    private let held = Mutex<Held?>(nil)
    let runs = Atomic<Int>(0)

    func run(_ intake: any Intake) async throws {
        let lane = try intake.makeLane()
        held.withLock { $0 = Held(lane: lane) }
        runs.wrappingAdd(1, ordering: .relaxed)
        while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
        held.withLock { $0 = nil }
        lane.close()
    }

    /// The lane, once the source runs.
    func lane() async -> any Lane {
        while true {
            if let held = held.withLock({ $0 }) { return held.lane }
            await Task.yield()
        }
    }

    /// Passes one exchange.
    func pass() async {
        let lane = await lane()
        lane.pass(.example())
        _ = lane.submit(ticket: nil) {}
    }
}
