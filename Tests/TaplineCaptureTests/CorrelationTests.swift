// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import TaplineCapture

/// Finds entries by their ids.
@Suite struct CorrelationTests {
    @Test func entriesAreFoundByTheirID() async throws {
        let origin = try Origin()
        let tap = Tap()
        try tap.start()
        let session = URLSession(configuration: .ephemeral.tapped(by: tap))
        for (path, id) in [("/a", "one"), ("/b", "two"), ("/c", "one")] {
            var request = URLRequest(url: origin.path(path))
            request.setValue(id, forHTTPHeaderField: "X-Request-ID")
            _ = try await session.data(for: request)
        }
        tap.stop()
        #expect(tap.entries(correlation: "one").map(\.url).map { $0.suffix(2) } == ["/c", "/a"])
        #expect(tap.entries(correlation: "none").isEmpty)
    }

    @Test func aTraceIsFoundByItsIDWithoutConfiguration() async throws {
        let origin = try Origin()
        let tap = Tap()
        try tap.start()
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        var request = URLRequest(url: origin.path("/traced"))
        request.setValue("00-\(trace)-00f067aa0ba902b7-01", forHTTPHeaderField: "traceparent")
        let session = TapSession(configuration: .ephemeral, tap: tap)
        _ = try await session.data(for: request)
        _ = try await session.data(from: origin.path("/other"))
        tap.stop()
        #expect(tap.entries(correlation: trace).map(\.statusCode) == [200])
    }
}
