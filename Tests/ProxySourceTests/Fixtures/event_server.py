# SPDX-License-Identifier: MIT
"""A server that answers each request with a chunked event stream.

    event_server.py PIECES FIELDS PAUSE

PIECES is a file with the hexadecimal content of each chunk in a line of its own.
"""
import http.server, socketserver, sys, time
pieces = [bytes.fromhex(line) for line in open(sys.argv[1]).read().split("\n")]
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *arguments): pass
    def do_GET(self):
        head = "HTTP/1.1 200 OK\r\n" + sys.argv[2] + "Transfer-Encoding: chunked\r\n\r\n"
        self.wfile.write(head.encode())
        try:
            for position, piece in enumerate(pieces):
                if position and float(sys.argv[3]): time.sleep(float(sys.argv[3]))
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        except OSError: self.close_connection = True
class Server(socketserver.ThreadingMixIn, http.server.HTTPServer): daemon_threads = True
server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
