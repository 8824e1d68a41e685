// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import TaplineCapture

/// Traffic summarized by host and path pattern.
@Suite struct TrafficSummaryTests {
    @Test func exchangesOfOnePathPatternAreOneRow() async throws {
        let origin = try Origin()
        // Exchanges that the store has no room for are summarized as well.
        let tap = Tap(limits: .init(entries: 1))
        try tap.start()
        let session = URLSession(configuration: .default.tapped(by: tap))
        for path in ["/users/42?x=1", "/users/43", "/users/4F6c9a10d2b4"] {
            _ = try await session.data(from: origin.path(path))
        }
        _ = try await session.data(from: origin.path("/status/503"))
        await #expect(throws: URLError.self) {
            _ = try await session.data(from: origin.path("/broken"))
        }
        await tap.flush()
        let rows = tap.summary().rows
        tap.stop()
        #expect(Set(rows.map(\.path)) == ["/users/{id}", "/status/{id}", "/broken"])
        let users = try #require(rows.first { $0.path == "/users/{id}" })
        #expect("http://\(users.host)" == origin.url)
        #expect((users.requests, users.responses, users.errors) == (3, 3, 0))
        #expect(users.bytesUp > 3 * 150 && users.bytesDown > 3 * 80)
        let median = try #require(users.latency(0.5))
        let all = try #require(users.latency(1))
        #expect(median > .zero && median <= all && all < .seconds(60))
        let broken = try #require(rows.first { $0.path == "/broken" })
        #expect(broken.requests == 1 && broken.errors == 1)
        #expect(rows.first?.path == "/users/{id}")
        tap.clear()
        #expect(tap.summary().rows.isEmpty)
    }
}
