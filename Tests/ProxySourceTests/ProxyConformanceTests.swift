// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineTesting
import TestServers
import Testing

@testable import ProxySource

@Suite("The proxy meets the requirements for sources")
struct ProxyConformanceTests {
    /// An origin that answers every request with secrets, and keeps connections open.
    private static let program = """
        import http.server, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                body = ("the body is " + sys.argv[1]).encode()
                self.send_response(200, "OK " + sys.argv[2])
                self.send_header("Set-Cookie", "sid=" + sys.argv[3])
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    @Test("with any options", arguments: ["threads: 1", "threads: 3", "intercept: true"])
    func conforms(options: String) async throws {
        let secrets = PlantedSecrets()
        func word(_ part: String) -> String {
            secrets.words.first { $0.part == part }?.word ?? ""
        }
        let origin = try PythonServer(
            Self.program,
            arguments: [word("response body"), word("reason"), word("response cookie")]
        )
        let count = 40
        let arguments = [
            "-sS", "-m", "60", "-o", "/dev/null", "-H", "X-Note: \(word("request header"))", "-d",
            "password=\(word("request body"))", "-b", "sid=\(word("request cookie"))", "-u",
            "me:\(word("user-info"))",
            "\(origin.url)/\(word("path"))/[1-\(count)]?token=\(word("query"))",
        ]
        let traffic = LiveTraffic { _, point in
            let address = try #require(await point().addresses.first)
            _ = try await command("curl", ["-x", "http://\(address)"] + arguments)
        }
        // If the port is in use, the error says so, without any traffic.
        let busy = origin.url.replacing("http://", with: "")
        let violations = await Conformance.violations(
            of: SourcePlugin.proxy,
            options: "{ listen: '127.0.0.1:0', ca: ca, \(options) }",
            settings: ConformanceSettings(failing: ["{ listen: '\(busy)' }"]),
            count: count,
            traffic: traffic
        )
        #expect(violations == [])
    }
}
