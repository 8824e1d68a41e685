// SPDX-License-Identifier: MIT

import Foundation
import TaplineFiles
import TaplineModel
import TaplineNet

@testable import ProxySource

/// An HTTPS server of Python's, with a certificate that openssl has made.
final class SecureOrigin {
    let port: Int
    let folder: String
    private let process: Process

    /// The certificate, which is its own authority, for `localhost` alone.
    var certificate: String { "\(folder)/cert.pem" }
    /// Its key.
    var key: String { "\(folder)/key.pem" }
    var url: String { "https://localhost:\(port)" }

    /// Starts it; answers with the path, whether the TLS session was resumed, and the client's name.
    init(asksForCertificate: Bool = false) async throws {
        folder = try FileSystem.makeTemporaryFolder(prefix: "origin")
        _ = try await command(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", "/CN=test", "-addext", "subjectAltName=DNS:localhost", "-days", "2",
                "-keyout", "\(folder)/key.pem", "-out", "\(folder)/cert.pem",
            ]
        )
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c", Self.program, "\(folder)/cert.pem", "\(folder)/key.pem",
            asksForCertificate ? "asks" : "",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = output.fileHandleForReading.availableData
        port = Int(String(decoding: line, as: UTF8.self).prefix { $0.isNumber }) ?? 0
    }

    deinit {
        process.terminate()
        try? FileSystem.removeFolder(folder)
    }

    private static let program = """
        import http.server, ssl, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_GET(self):
                peer = self.connection.getpeercert()
                body = f"{self.path} {self.connection.session_reused} {bool(peer)}".encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = "close" in self.path
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        if sys.argv[3]:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(sys.argv[1])
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    /// Settings of a proxy that trusts it.
    func settings() -> ProxySettings {
        var settings = ProxySettings()
        settings.threads = 1
        settings.servers.trustsSystem = false
        settings.servers.authorityFiles = [certificate]
        return settings
    }

    /// Settings of a reverse proxy in front of it.
    func upstream(host: String = "localhost") -> ProxySettings {
        var settings = settings()
        settings.upstream = Origin(authority: "\(host):\(port)".utf8.span, isSecure: true)
        return settings
    }

    /// Settings of a proxy that reads its HTTPS, with an authority of its own.
    func intercepting(passing: [String] = []) -> ProxySettings {
        var settings = settings()
        settings.interception = InterceptionRules(
            hosts: [Glob("*")],
            passthrough: passing.map { Glob($0) }
        )
        settings.authority = AuthorityStore(folder: "\(folder)/ca")
        return settings
    }
}
