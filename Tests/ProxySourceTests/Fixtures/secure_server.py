# SPDX-License-Identifier: MIT
"""An HTTPS server that answers with the path, whether the TLS session was resumed, and whether the
client has a certificate.

    secure_server.py CERTIFICATE KEY [asks|offers]

With "asks", it requires a certificate of the client; with "offers", it also accepts none.
"""
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
    context.verify_mode = ssl.CERT_OPTIONAL if sys.argv[3] == "offers" else ssl.CERT_REQUIRED
    context.load_verify_locations(sys.argv[1])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
