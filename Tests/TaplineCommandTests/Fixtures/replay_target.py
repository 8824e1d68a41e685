# SPDX-License-Identifier: MIT
"""Answers each request with its path, and with a suffix if one is given; prints its port.

/missing has status 404, and /a has 401 without the right credentials.
"""

import http.server
import sys

SUFFIX = sys.argv[1] if len(sys.argv) > 1 else ""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = (self.path + SUFFIX).encode()
        is_allowed = self.path != "/a" or self.headers["Authorization"] == "Bearer SeCrEt77x"
        self.send_response(401 if not is_allowed else 404 if self.path == "/missing" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
