// SPDX-License-Identifier: MIT

import Foundation
import TaplineCodings
import TaplineModel
import TaplineSystem
import TestServers

@testable import ProxySource

/// A Python server that answers each request with a chunked event stream.
final class EventOrigin {
    private let server: PythonServer
    private let folder: String

    /// The URL of the server.
    var url: String { "\(server.url)/events" }

    /// Serves these pieces, each in its own chunk and flushed by the coding, with a pause of
    /// `pause` seconds between them.
    init(
        _ pieces: [String],
        coding: ContentCoding = .identity,
        type: String = "text/event-stream",
        pause: Double = 0
    ) throws {
        folder = try FileSystem.makeTemporaryFolder(prefix: "events")
        let lines = try Self.coded(pieces, coding).map { piece in
            piece.map { String(format: "%02x", $0) }.joined()
        }
        try Data(lines.joined(separator: "\n").utf8)
            .write(to: URL(fileURLWithPath: "\(folder)/pieces"))
        var head = "Content-Type: \(type)\r\n"
        if coding != .identity { head += "Content-Encoding: \(coding.name)\r\n" }
        server = try PythonServer(
            Self.program,
            arguments: ["\(folder)/pieces", head, "\(pause)"]
        )
    }

    deinit { try? FileSystem.removeFolder(folder) }

    /// The pieces as they are sent on the wire.
    static func coded(_ pieces: [String], _ coding: ContentCoding) throws -> [[UInt8]] {
        guard coding != .identity else { return pieces.map { Array($0.utf8) } }
        let encoder = try ContentEncoder(coding)
        var result: [[UInt8]] = []
        for (position, piece) in pieces.enumerated() {
            var output: [UInt8] = []
            try encoder.encode(piece.utf8.span, appendingTo: &output)
            try encoder.flush(appendingTo: &output)
            if position == pieces.count - 1 { try encoder.finish(appendingTo: &output) }
            result.append(output)
        }
        return result
    }

    private static let program = """
        import http.server, socketserver, sys, time
        pieces = [bytes.fromhex(line) for line in open(sys.argv[1]).read().split("\\n")]
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments): pass
            def do_GET(self):
                head = "HTTP/1.1 200 OK\\r\\n" + sys.argv[2] + "Transfer-Encoding: chunked\\r\\n\\r\\n"
                self.wfile.write(head.encode())
                try:
                    for position, piece in enumerate(pieces):
                        if position and float(sys.argv[3]): time.sleep(float(sys.argv[3]))
                        self.wfile.write(b"%x\\r\\n%b\\r\\n" % (len(piece), piece))
                    self.wfile.write(b"0\\r\\n\\r\\n")
                except OSError: self.close_connection = True
        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer): daemon_threads = True
        server = Server(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
}
