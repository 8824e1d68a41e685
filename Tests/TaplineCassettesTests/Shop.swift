// SPDX-License-Identifier: MIT

import Foundation
import TestServers

/// A server with a different response for each path, which counts its requests.
final class Shop: PythonServer, @unchecked Sendable {
    /// The tokens that `/grant/0` and so on return.
    static let tokens = [
        "5f7c8ec7c33c6c004bbafe82", "a8Kd+93/jfQ=Lw72xZ", "tok-of-the-server-1234",
    ]

    init() throws {
        let tokens = String(decoding: try JSONEncoder().encode(Shop.tokens), as: UTF8.self)
        try super.init(Shop.program, arguments: [tokens])
    }

    private static let program = """
        import http.server, json, sys, time
        count = 0
        tokens = json.loads(sys.argv[1])
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments): pass
            def send(self, status, body=b"", fields=()):
                self.send_response(status)
                for name, value in fields: self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD": self.wfile.write(body)
            def handle_one(self):
                global count
                count += 1
                sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path = self.path.split("?")[0]
                if path == "/login":
                    body = json.dumps({"token": "tok-of-the-server-1234", "user": "ann"}).encode()
                    self.send(200, body, [("Content-Type", "application/json"), ("Set-Cookie", "sid=s3cr3t-of-sid")])
                elif path.startswith("/grant/"):
                    body = json.dumps({"access_token": tokens[int(path[7:])], "expires_in": 3600}).encode()
                    self.send(200, body, [("Content-Type", "application/json")])
                elif path == "/image":
                    self.send(200, b"\\x89PNG\\0" + sent, [("Content-Type", "image/png")])
                elif path == "/echo": self.send(201, sent, [("X-Shop", "yes")])
                elif path == "/bytes": self.send(200, bytes(range(256)) * 8, [("Content-Type", "application/octet-stream")])
                elif path == "/count": self.send(200, str(count).encode())
                elif path == "/same": self.send(200, b"the same")
                elif path == "/moved": self.send(302, b"", [("Location", "/same?from=moved")])
                elif path == "/seen": self.send(303, b"", [("Location", "/same")])
                elif path == "/beside": self.send(307, b"", [("Location", "same?a=1")])
                elif path == "/private":
                    isKnown = "Authorization" in self.headers
                    self.send(200 if isKnown else 401, b"let in" if isKnown else b"kept out", [("WWW-Authenticate", 'Basic realm="shop"')])
                elif path == "/missing": self.send(404, b"none")
                elif path == "/slow":
                    time.sleep(20)
                    self.send(200, b"late")
                elif path == "/broken":
                    self.send_response(200)
                    self.send_header("Content-Length", "100")
                    self.end_headers()
                    self.wfile.write(b"half")
                    self.close_connection = True
                else: self.send(200, path.encode())
            do_GET = do_POST = do_PUT = do_HEAD = handle_one
        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 512
        server = Server(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
}
