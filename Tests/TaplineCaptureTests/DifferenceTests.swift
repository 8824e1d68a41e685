// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@testable import TaplineCapture

/// A captured app behaves like an uncaptured one: the same cases without Tapline, with a `tapped()`
/// configuration, and through a `TapSession`.
@Suite struct DifferenceTests {
    @Test(arguments: DifferenceCase.all)
    func aCapturedAppBehavesLikeAnUncapturedOne(_ difference: DifferenceCase) async throws {
        try await difference.compare(DifferenceServer.shared.get())
    }
}

extension DifferenceCase {
    /// Runs the case without Tapline, tapped and wrapped, and compares the outcomes.
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
        // A captured run must have records, otherwise the comparison would be meaningless.
        if way == .tapped { #expect(!recorded.isEmpty || asked.isEmpty) }
        if way == .wrapped {
            let missing = asked.filter { !recorded.contains($0) }
            #expect(missing.isEmpty && recorded.count >= asked.count, "\(recorded), not \(asked)")
        }
        return outcome
    }
}
