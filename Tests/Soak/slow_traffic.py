# SPDX-License-Identifier: MIT
"""A server that takes its time, and clients of it that notice every failure, for `reload`."""

import hashlib
import http.client
import http.server
import threading
import time

# A response comes in this many parts, over 200 ms.
PARTS, PAUSE = 5, 0.05


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers GET in parts, and POST with the digest of the body."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(content(self.path))))
        self.end_headers()
        text = content(self.path)
        size = len(text) // PARTS
        for part in range(PARTS):
            if part > 0:
                time.sleep(PAUSE)
            self.wfile.write(text[part * size:(part + 1) * size])

    def do_POST(self):
        digest = hashlib.sha256()
        while size := int(self.rfile.readline(), 16):
            digest.update(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        answer = digest.hexdigest().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def content(path):
    """The response for a path: each one has its own."""
    return path.encode().rjust(200, b".") * PARTS


class Server(http.server.ThreadingHTTPServer):
    """The server, which runs until it is shut down."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Clients:
    """Clients that read slow responses, and one that keeps an upload open, one request after the other.

    A connection is used until a response says that it closes, so an end without notice is a failure."""

    def __init__(self, port, readers, seconds):
        self.port, self.seconds = port, seconds
        self.failures, self.is_over = [], False
        self.reads, self.uploads = [0] * readers, 0
        jobs = [(self.read, (number,)) for number in range(readers)] + [(self.upload, ())]
        self.threads = [threading.Thread(target=self.work, args=job, daemon=True) for job in jobs]
        for thread in self.threads:
            thread.start()

    def work(self, job, arguments):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            while not self.is_over:
                job(connection, *arguments)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.failures.append(f"{job.__name__}: {error!r}")
        finally:
            connection.close()

    def ask(self, connection, method, path, body, expected):
        connection.request(method, path, body=body, encode_chunked=body is not None,
                           headers={"Transfer-Encoding": "chunked"} if body else {})
        response = connection.getresponse()
        received = response.read()
        if response.status != 200 or received != expected:
            raise ValueError(f"{response.status} with {len(received)} bytes")

    def read(self, connection, number):
        path = f"/{number}/{self.reads[number]}"
        self.ask(connection, "GET", path, None, content(path))
        self.reads[number] += 1

    def upload(self, connection):
        parts = [f"{self.uploads} {part}\n".encode() * 100 for part in range(int(self.seconds / PAUSE))]

        def body():
            for part in parts:
                yield part
                time.sleep(PAUSE)

        self.ask(connection, "POST", "/upload", body(),
                 hashlib.sha256(b"".join(parts)).hexdigest().encode())
        self.uploads += 1

    def stop(self):
        """Ends after the requests that are under way; returns how many reads and uploads there were."""
        self.is_over = True
        for thread in self.threads:
            thread.join(60)
        return sum(self.reads), self.uploads
