# SPDX-License-Identifier: MIT
"""A TLS server that answers `/until` without a length, and `/cut` with half of its body, and then
closes.

For paths that end in `-alert`, it sends TLS's closing alert.

    half_response_server.py CERTIFICATE KEY
"""
import socket, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    raw, _ = listener.accept()
    try:
        peer = context.wrap_socket(raw, server_side=True)
        path = peer.recv(65536).split(b" ")[1]
        length = b"Content-Length: 10\r\n" if b"cut" in path else b""
        peer.sendall(b"HTTP/1.1 200 OK\r\n" + length + b"\r\nhello")
        if path.endswith(b"-alert"): peer.unwrap()
        peer.close()
    except OSError: pass
