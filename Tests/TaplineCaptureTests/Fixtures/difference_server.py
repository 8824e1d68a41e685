# SPDX-License-Identifier: MIT
"""A server on plain sockets with correct and incorrect responses, which stores its requests.

    difference_server.py [CERTIFICATE KEY]
"""
import gzip, hashlib, json, socket, ssl, sys, threading, time, urllib.parse, zlib
context = None
if sys.argv[1:]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[1:])
requests, lock = {}, threading.Lock()
text = b"some words that shrink " * 40
challenge = b'WWW-Authenticate: Basic realm="there"'
nonce = b'WWW-Authenticate: Digest realm="there", qop="auth", nonce="abc", opaque="x"'
answers = {
    "hello": (b"200 OK", b"Content-Type: text/plain", b"hello"),
    "latin": (b"200 OK", b"Content-Type: text/html; charset=iso-8859-1", b"caf\xe9"),
    "named": (b"200 OK", b'Content-Disposition: attachment; filename="a b.txt"', b"named"),
    "empty": (b"200 OK", b"Content-Type: text/plain", b""),
    "cookies": (b"200 OK", b"Set-Cookie: a=1; Path=/\r\nSet-Cookie: b=2; Path=/; HttpOnly", b"set"),
    "fresh": (b"200 OK", b"Cache-Control: max-age=600", b"fresh"),
    "stale": (b"200 OK", b"Cache-Control: max-age=0", b"stale"),
    "unstored": (b"200 OK", b"Cache-Control: no-store", b"unstored"),
    "gzip": (b"200 OK", b"Content-Encoding: gzip", gzip.compress(text, mtime=0)),
    "deflate": (b"200 OK", b"Content-Encoding: deflate", zlib.compress(text)),
    "ungzip": (b"200 OK", b"Content-Encoding: gzip", b"this is not gzip"),
    "coded": (b"200 OK", b"Content-Encoding: unheard-of", b"coded"),
    "twice": (b"200 OK", b"X-Twice: a\r\nX-Twice: b\r\nx-TWICE: c", b"twice"),
    "odd": (b"200 OK", b"X-Empty:\r\nX-Spaces:   a  b   \r\nX-Latin: caf\xe9", b"odd"),
    "large": (b"200 OK", b"Content-Type: application/octet-stream", bytes(range(256)) * 8192),
    "nowhere": (b"302 Found", b"X-None: 1", b"no location"),
    "relative": (b"302 Found", b"Location: hello", b"relative"),
    "query": (b"302 Found", b"Location: ?a=%20#end", b"query"),
    "useproxy": (b"305 Use Proxy", b"Location: /hello", b"moved"),
    "wrongplace": (b"302 Found", b"Location: http://[bad", b"bad location"),
    "elsewhere": (b"302 Found", b"Location: ftp://127.0.0.1:1/x", b"another scheme"),
    "digest": (b"401 Unauthorized", nonce, b"digest"),
    "unknownscheme": (b"401 Unauthorized", b"X-None: 1", b"no challenge"),
}
closing = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
raw = {
    "early": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
    "surplus": b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmore than four",
    "wordlength": b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nmany",
    "twolengths": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
    "none": b"",
    "rubbish": b"rubbish\r\n\r\n",
    "headonly": b"HTTP/1.1 200 OK\r\nContent-Le",
    "trailer": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"3\r\none\r\n0\r\nX-Late: 1\r\n\r\n",
    "unclosed": b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end",
    "noreason": b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",
    "badchunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\nzz\r\n",
    "cutchunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n5\r\ntw",
    "hints": b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + closing,
    "continue": b"HTTP/1.1 100 Continue\r\n\r\n" + closing,
    "folded": b"HTTP/1.1 200 OK\r\nX-Long: one\r\n two\r\n"
        b"Content-Length: 2\r\nConnection: close\r\n\r\nok",
}
class Client:
    def __init__(self, socket): self.socket, self.data = socket, b""
    def more(self):
        part = self.socket.recv(1 << 16)
        if not part: raise EOFError
        self.data += part
    def until(self, mark):
        while mark not in self.data: self.more()
        part, self.data = self.data.split(mark, 1)
        return part
    def take(self, size):
        while len(self.data) < size: self.more()
        part, self.data = self.data[:size], self.data[size:]
        return part
    def send(self, status, fields, body, method="GET"):
        length = b"" if status[:3] in (b"204", b"304") else b"\r\nContent-Length: %d" % len(body)
        content = b"" if method == "HEAD" or not length else body
        head = b"HTTP/1.1 " + status + b"\r\n" + fields + length + b"\r\n\r\n"
        self.socket.sendall(head + content)
    def body(self, fields):
        if fields.get("transfer-encoding", "").lower() == "chunked":
            parts = []
            while True:
                size = int(self.until(b"\r\n"), 16)
                parts.append(self.take(size))
                self.until(b"\r\n")
                if not size: return b"".join(parts)
        return self.take(int(fields.get("content-length", 0)))
def line(method, target, lines, body):
    lines = [
        "Cookie: " + str(sorted(field[8:].split("; "))) if field.startswith("Cookie: ") else field
        for field in lines]
    content = body.decode("latin-1") if len(body) < 100 else hashlib.md5(body).hexdigest()
    lines = [method + " " + target] + sorted(lines) + ["", "%d: %s" % (len(body), content)]
    return "\n".join(lines)
def answer(client, method, name, route, fields, body):
    what, _, rest = route.partition("/")
    if what in answers: client.send(*answers[what], method)
    elif what in raw:
        client.socket.sendall(raw[what])
        return False
    elif what == "echo": client.send(b"200 OK", b"X-Method: " + method.encode(), body, method)
    elif what == "status":
        code = rest.encode()
        client.send(code + b" Some Status", b"X-None: 1", b"status " + code, method)
    elif what == "redirect":
        code, to = rest.split("/", 1)
        location = b"Location: /" + (name + "/" + to).encode()
        fields = b"Set-Cookie: hop=1; Path=/\r\n" + location
        client.send(code.encode() + b" Moved", fields, b"moved", method)
    elif what == "far":
        location = b"Location: http://localhost:%d/%s/hello" % (port, name.encode())
        client.send(b"302 Found", location, b"moved", method)
    elif what == "capitals":
        location = b"Location: HTTP://127.0.0.1:%d/%s/hello" % (port, name.encode())
        client.send(b"302 Found", location, b"moved", method)
    elif what == "loop":
        client.send(b"302 Found", b"Location: /" + (name + "/loop").encode(), b"", method)
    elif what == "tagged":
        isKnown = fields.get("if-none-match") == '"v1"'
        status = b"304 Not Modified" if isKnown else b"200 OK"
        client.send(status, b'ETag: "v1"\r\nCache-Control: no-cache', b"tagged", method)
    elif what == "basic":
        isKnown = fields.get("authorization") == "Basic dTpw"
        result = (b"200 OK", b"let in") if isKnown else (b"401 Unauthorized", b"kept out")
        client.send(result[0], challenge, result[1], method)
    elif what == "hintsbasic":
        client.socket.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        return answer(client, method, name, "basic", fields, body)
    elif what == "inner":
        location = b"Location: /%s/hello" % name.encode()
        if "authorization" in fields: client.send(b"302 Found", location, b"inner", method)
        else: client.send(b"401 Unauthorized", challenge, b"inner", method)
    elif what == "chunks" or what == "slow":
        client.socket.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for part in (b"one ", b"two ", b"three"):
            client.socket.sendall(b"%x\r\n%s\r\n" % (len(part), part))
            if what == "slow": time.sleep(0.02)
        client.socket.sendall(b"0\r\n\r\n")
    elif what == "silent":
        while True: client.more()
    elif what == "stuck":
        client.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"x" * 50000)
        while True: client.more()
    else: client.send(b"404 Not Found", b"X-None: 1", b"no such route", method)
    return True
def serve(client):
    while True:
        head = client.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        method, target = head[0].split()[:2]
        pairs = [field.partition(":") for field in head[1:]]
        fields = {name.lower(): value.strip() for name, _, value in pairs}
        name, _, route = target.split("?")[0].lstrip("/").partition("/")
        if route == "log":
            with lock: found = requests.pop(name, [])
            client.send(b"200 OK", b"X-None: 1", json.dumps(found).encode())
            continue
        if route == "count":
            client.send(b"200 OK", b"X-None: 1", b"%d" % len(requests.get(name, [])))
            continue
        if "expect" in fields: client.socket.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = client.body(fields)
        with lock: requests.setdefault(name, []).append(line(method, target, head[1:], body))
        if not answer(client, method, name, route, fields, body): return
def run(socket):
    try:
        if context: socket = context.wrap_socket(socket, server_side=True)
        serve(Client(socket))
    except (EOFError, OSError, ValueError): pass
    try: socket.shutdown(2)
    except OSError: pass
    socket.close()
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(512)
port = server.getsockname()[1]
print(port, flush=True)
while True: threading.Thread(target=run, args=(server.accept()[0],), daemon=True).start()
