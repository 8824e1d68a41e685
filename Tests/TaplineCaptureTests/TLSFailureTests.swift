// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TestServers
import Testing

@testable import TaplineCapture

/// How requests fail that come to no connection by TLS.
@Suite struct TLSFailureTests {
    /// A server of HTTPS with a certificate that nobody has signed.
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

    /// What is recorded of a request to a server's port by HTTPS, and what the app sees.
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
        // Nothing of the request was sent.
        #expect(exchange.bytes == ByteCounts(isExact: false))
        return (exchange, try #require(error).code)
    }

    @Test func aCertificateThatNobodyHasSignedIsToldFromTheRest() async throws {
        let (exchange, code) = try await failure(PythonServer(Self.program))
        #expect(exchange.error?.code == "tls_verify" && exchange.request.scheme == "https")
        // A replay fails with what the app saw.
        #expect(URLError(exchange.error).code == code)
    }

    @Test func aServerWithoutTLSIsToldFromTheRest() async throws {
        let (exchange, code) = try await failure(Origin())
        #expect(exchange.error?.code == "tls")
        #expect(URLError(exchange.error).code == code)
    }
}
