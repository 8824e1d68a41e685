// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TestServers
import Testing

@testable import TaplineCapture

/// The failures of requests whose TLS handshake fails.
@Suite struct TLSFailureTests {
    /// An HTTPS server with a self-signed certificate.
    private static let program = """
        import http.server, ssl, subprocess, tempfile
        with tempfile.TemporaryDirectory() as folder:
            key, certificate = folder + "/key.pem", folder + "/certificate.pem"
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost", "-days", "2",
                "-keyout", key, "-out", certificate], check=True, capture_output=True)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
        class Server(http.server.ThreadingHTTPServer):
            def get_request(self):
                socket, address = super().get_request()
                return context.wrap_socket(socket, server_side=True), address
            def handle_error(self, request, client): pass
        server = Server(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

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
        let (exchange, code) = try await failure(PythonServer(Self.program))
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
