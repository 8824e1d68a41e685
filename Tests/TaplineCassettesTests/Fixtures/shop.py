# SPDX-License-Identifier: MIT
"""A server with a different response for each path, which counts its requests.

    shop.py TOKENS
"""
import http.server, json, sys, time
count = 0
tokens = json.loads(sys.argv[1])
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    responses_so_far = 0
    def log_message(self, *arguments): pass
    def date_time_string(self, timestamp=None):
        # Another second with each response, so that tests need not wait for one.
        Handler.responses_so_far += 1
        return super().date_time_string(1_700_000_000 + Handler.responses_so_far)
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
            cookie = ("Set-Cookie", "sid=s3cr3t-of-sid")
            self.send(200, body, [("Content-Type", "application/json"), cookie])
        elif path.startswith("/grant/"):
            body = json.dumps({"access_token": tokens[int(path[7:])], "expires_in": 3600}).encode()
            self.send(200, body, [("Content-Type", "application/json")])
        elif path == "/image":
            self.send(200, b"\x89PNG\0" + sent, [("Content-Type", "image/png")])
        elif path == "/echo": self.send(201, sent, [("X-Shop", "yes")])
        elif path == "/bytes":
            kind = ("Content-Type", "application/octet-stream")
            self.send(200, bytes(range(256)) * 8, [kind])
        elif path == "/count": self.send(200, str(count).encode())
        elif path == "/same": self.send(200, b"the same")
        elif path == "/moved": self.send(302, b"", [("Location", "/same?from=moved")])
        elif path == "/seen": self.send(303, b"", [("Location", "/same")])
        elif path == "/beside": self.send(307, b"", [("Location", "same?a=1")])
        elif path == "/private":
            challenge = [("WWW-Authenticate", 'Basic realm="shop"')]
            if "Authorization" in self.headers: self.send(200, b"let in", challenge)
            else: self.send(401, b"kept out", challenge)
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
