# SPDX-License-Identifier: MIT
"""A server that answers with its name, the request line and Host.

    target_server.py CERTIFICATE KEY NAME

It uses TLS if `tls` follows the name.
"""
import socket, ssl, sys, threading
name, _, tls = sys.argv[3].partition(" ")
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
def serve(s):
    try:
        if tls: s = context.wrap_socket(s, server_side=True)
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                piece = s.recv(65536)
                if not piece: return
                data += piece
            head, _, data = data.partition(b"\r\n\r\n")
            lines = head.decode().split("\r\n")
            host = [l[6:] for l in lines if l.lower().startswith("host: ")]
            seen = f"{name} {lines[0].rpartition(' ')[0]} {','.join(host)}"
            s.sendall(f"HTTP/1.1 200 OK\r\nX-Seen: {seen}\r\nContent-Length: 0\r\n\r\n"
                      .encode())
    except OSError: pass
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True: threading.Thread(target=serve, args=[server.accept()[0]], daemon=True).start()
