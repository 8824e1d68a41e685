// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TestSupport
import Testing

@testable import TaplineCapture

/// The failures of requests whose TLS handshake fails.
@Suite struct TLSFailureTests {
    /// Sends a request to a port over HTTPS, and returns the recorded error and the one that the
    /// app receives.
    private func failure(
        _ server: PythonServer
    ) async throws -> (exchange: Exchange, code: URLError.Code) {
        let tap = Tap()
        try tap.start()
        let session = TapSession(configuration: .ephemeral, tap: tap)
        let text = server.url.replacing("http:", with: "https:") + "/hello?a=1"
        let url = try #require(URL(string: text))
        let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
        tap.stop()
        let exchange = try #require(tap.entries.first?.exchange)
        #expect(exchange.request.url.description == text && exchange.state == .failed)
        // No part of the request was sent.
        #expect(exchange.bytes == ByteCounts(isExact: false))
        return (exchange, try #require(error).code)
    }

    @Test func anUntrustedCertificateHasItsOwnCode() async throws {
        let (exchange, code) = try await failure(PythonServer("untrusted_server"))
        #expect(exchange.error?.code == "tls_verify" && exchange.request.scheme == "https")
        // A replay fails with the error that the app received.
        #expect(URLError(exchange.error).code == code)
    }

    @Test func aServerWithoutTLSHasItsOwnCode() async throws {
        let (exchange, code) = try await failure(Origin())
        #expect(exchange.error?.code == "tls")
        #expect(URLError(exchange.error).code == code)
    }
}
