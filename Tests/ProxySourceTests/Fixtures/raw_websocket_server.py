# SPDX-License-Identifier: MIT
"""A server that switches to the requested protocol and then sends the bytes that the path has in
hexadecimal.

It reports its input in a message.
"""
import re, socket, struct, threading
def serve(s):
    head = b""
    while not head.endswith(b"\r\n\r\n"): head += s.recv(1)
    down = bytes.fromhex(head.split()[1].decode()[1:])
    found = re.search(rb"(?i)\r\n(sec-websocket-extensions: [^\r]+)", head)
    extensions = found[1] + b"\r\n" if found else b""
    name = re.search(rb"(?i)\r\nupgrade: ([^\r]+)", head)[1]
    s.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
        b"Upgrade: " + name + b"\r\n" + extensions + b"\r\n" + down)
    data = b""
    while piece := s.recv(65536): data += piece
    seen = data.hex().encode()
    length = bytes([len(seen)]) if len(seen) < 126 else b"\x7e" + struct.pack(">H", len(seen))
    s.sendall(b"\x82" + length + seen + b"\x88\x00")
    s.close()
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True: threading.Thread(target=serve, args=[listener.accept()[0]]).start()
