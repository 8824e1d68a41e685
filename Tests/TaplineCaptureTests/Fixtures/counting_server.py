# SPDX-License-Identifier: MIT
"""A server on plain sockets that counts each byte that it reads and writes."""
import gzip, socket, threading
text = b"some words that shrink " * 200
stored = gzip.compress(text, 0)
def chunks(data): return b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)
answers = {
    b"/plain": (b"200 OK", b"Content-Type: text/plain\r\nContent-Length: 5\r\n", b"hello"),
    b"/gzip": (
        b"200 OK", b"Content-Encoding: gzip\r\nContent-Length: %d\r\n" % len(stored), stored),
    b"/chunks": (b"200 OK", b"Transfer-Encoding: chunked\r\n", chunks(text)),
    b"/gzip-chunks": (
        b"200 OK", b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
        chunks(gzip.compress(text))),
    b"/missing": (b"404 Not Found", b"Content-Length: 2\r\nX-Empty:\r\n", b"no"),
    b"/none": (b"204 No Content", b"Server: x\r\n", b""),
    b"/cookie": (b"200 OK", b"Set-Cookie: a=1; Path=/\r\nContent-Length: 0\r\n", b""),
}
last = []
def serve(client):
    global last
    data = b""
    def more():
        part = client.recv(65536)
        if not part: raise EOFError
        return part
    while True:
        while b"\r\n\r\n" not in data: data += more()
        head, data = data.split(b"\r\n\r\n", 1)
        line, _, fields = head.partition(b"\r\n")
        method, target = line.split()[:2]
        low = b"\r\n" + fields.lower()
        if b"\r\ntransfer-encoding: chunked" in low:
            while not data.endswith(b"0\r\n\r\n"): data += more()
            body, data = data, b""
        else:
            _, _, length = low.partition(b"\r\ncontent-length:")
            size = int(length.split(b"\r\n")[0] or 0)
            while len(data) < size: data += more()
            body, data = data[:size], data[size:]
        if target == b"/counts":
            text = str(last).encode()
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text))
            continue
        status, answer, content = answers[target.split(b"?")[0]]
        if method == b"HEAD": content = b""
        last = [
            len(line) + 2, len(fields) + 4, len(body),
            len(status) + 11, len(answer) + 2, len(content)]
        client.sendall(b"HTTP/1.1 " + status + b"\r\n" + answer + b"\r\n" + content)
def run(client):
    try: serve(client)
    except (EOFError, OSError): pass
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(64)
print(server.getsockname()[1], flush=True)
while True: threading.Thread(target=run, args=(server.accept()[0],), daemon=True).start()
