// SPDX-License-Identifier: MIT

import TaplineModel
import TestServers
import Testing

@testable import TaplineCapture

/// An app that is captured behaves like one that is not: the same cases without Tapline, with a
/// configuration that is `tapped()`, and through a `TapSession`.
@Suite struct DifferenceTests {
    @Test(arguments: DifferenceCase.all)
    func aCapturedAppBehavesAsOneThatIsNot(_ difference: DifferenceCase) async throws {
        try await difference.compare(DifferenceServer.shared.get())
    }
}

extension DifferenceCase {
    /// Does it without Tapline, tapped and wrapped, and compares what was seen.
    func compare(_ server: DifferenceServer) async throws {
        let plain = try await outcome(.plain, server)
        for way in [Way.tapped, .wrapped] {
            let captured = try await outcome(way, server)
            #expect(captured.calls == plain.calls, "\(way)")
            #expect(captured.tasks == plain.tasks, "\(way)")
            #expect(isRacy || captured.requests == plain.requests, "\(way)")
            #expect(captured.cookies == plain.cookies, "\(way)")
            #expect(captured.cached == plain.cached, "\(way)")
        }
    }

    private func outcome(_ way: Way, _ server: DifferenceServer) async throws -> Outcome {
        let run = try DifferenceRun(self, way, server)
        try await work(run)
        let outcome = try await run.outcome()
        let recorded = run.tap.entries.map {
            "\($0.method) \($0.exchange?.request.target.description ?? "")"
        }
        let asked = outcome.requests.compactMap { $0.split(separator: "\n").first.map(String.init) }
        let statuses = run.tap.entries.compactMap(\.statusCode)
        #expect(statuses.allSatisfy { !(100..<200).contains($0) }, "\(statuses)")
        // Of a captured run something is recorded: else there would be nothing to compare.
        if way == .tapped { #expect(!recorded.isEmpty || asked.isEmpty) }
        if way == .wrapped {
            let missing = asked.filter { !recorded.contains($0) }
            #expect(missing.isEmpty && recorded.count >= asked.count, "\(recorded), not \(asked)")
        }
        return outcome
    }
}
