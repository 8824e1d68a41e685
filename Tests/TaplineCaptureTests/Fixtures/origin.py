# SPDX-License-Identifier: MIT
"""A server with a different response for each path."""
import gzip, http.server, socket, time
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *arguments): pass
    def body(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            parts = []
            while True:
                size = int(self.rfile.readline(), 16)
                parts.append(self.rfile.read(size))
                self.rfile.readline()
                if not size: return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))
    def send(self, status, body=b"", fields=()):
        self.send_response(status)
        for name, value in fields: self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD": self.wfile.write(body)
    def handle_one(self):
        path, sent = self.path.split("?")[0], self.body()
        if path == "/echo":
            kind = self.headers.get("Content-Type") or "text/plain"
            self.send(200, sent, [("Content-Type", kind)])
        elif path == "/fields":
            self.send(200, str(self.headers).encode())
        elif path == "/sent":
            self.send(200, b"", [
                ("X-Sent-Method", self.command),
                ("X-Sent-Body", "".join("%d;" % byte for byte in sent)),
                ("X-Sent-Length", self.headers.get("Content-Length") or "none"),
                ("X-Sent-Type", self.headers.get("Content-Type") or "none")])
        elif path == "/gzip":
            self.send(200, gzip.compress(b"plain text " * 50), [("Content-Encoding", "gzip")])
        elif path == "/redirect":
            self.send(302, b"elsewhere", [("Location", "/hello"), ("Set-Cookie", "hop=1")])
        elif path.startswith("/status/"):
            self.send(int(path[8:]), b"" if path[8:] in ("204", "304") else b"status")
        elif path == "/cookies":
            self.send(200, b"cookies", [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")])
        elif path == "/slow":
            time.sleep(20)
            self.send(200, b"late")
        elif path == "/broken":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"half")
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif path == "/chunks":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for part in (b"one ", b"two ", b"three"):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.wfile.flush()
                time.sleep(0.02)
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.send(200, b"hello", [("Content-Type", "text/plain")])
    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = handle_one
    do_PURGE = do_get = handle_one
class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 512
server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
