# SPDX-License-Identifier: MIT
"""A server that writes every request as received to a file, one JSON object a line, and answers 200.

    recorder LOG        prints its port; all texts of LOG are base64
"""
import base64
import json
import socketserver
import sys
import threading

LOCK = threading.Lock()


def text(value):
    return base64.b64encode(value).decode()


class Handler(socketserver.StreamRequestHandler):
    def content(self, fields):
        values = {name.lower(): value for name, value in fields}
        if values.get(b"expect", b"").lower() == b"100-continue":
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if values.get(b"transfer-encoding", b"").lower() != b"chunked":
            return self.rfile.read(int(values.get(b"content-length", b"0")))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def handle(self):
        start = self.rfile.readline().rstrip(b"\r\n")
        if not start:
            return
        method, _, rest = start.partition(b" ")
        target, _, _ = rest.rpartition(b" ")
        fields = []
        while line := self.rfile.readline().rstrip(b"\r\n"):
            name, _, value = line.partition(b":")
            fields.append((name, value.strip(b" \t")))
        entry = {"method": text(method), "target": text(target), "body": text(self.content(fields)),
                 "fields": [[text(name), text(value)] for name, value in fields]}
        with LOCK, open(sys.argv[1], "a", encoding="ascii") as log:
            log.write(json.dumps(entry) + "\n")
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
