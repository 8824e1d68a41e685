# SPDX-License-Identifier: MIT
"""A TLS server that answers with the path and the Host of the request.

    host_server.py CERTIFICATE KEY
"""
import socket, ssl, sys, threading
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
def serve(s):
    try:
        s = context.wrap_socket(s, server_side=True)
        while data := s.recv(65536):
            lines = data.decode().split("\r\n")
            seen = lines[0].split(" ")[1] + "|".join(
                [""] + [l[6:] for l in lines if l.lower().startswith("host: ")])
            s.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(seen)}\r\n\r\n{seen}"
                      .encode())
    except OSError: pass
while True: threading.Thread(target=serve, args=[server.accept()[0]], daemon=True).start()
