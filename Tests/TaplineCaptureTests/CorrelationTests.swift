// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TestServers
import Testing

@testable import TaplineCapture

/// Entries by their ids.
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
}
