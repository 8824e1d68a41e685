# SPDX-License-Identifier: MIT
"""A TLS server with a certificate that nobody trusts."""
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
