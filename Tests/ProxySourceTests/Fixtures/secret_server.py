# SPDX-License-Identifier: MIT
"""A server that answers each request with secrets, and keeps connections open.

    secret_server.py BODY REASON COOKIE
"""
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
