# SPDX-License-Identifier: MIT
"""Sends each request on a connection of its own, and prints status and `X-Seen` of each response.

    target_client.py PLACE PORT AUTHORITY ROOT REQUESTS
"""
import json, socket, ssl, sys
place, proxy, a, root = sys.argv[1:5]
def head(s):
    data = b""
    while not data.endswith(b"\r\n\r\n"):
        byte = s.recv(1)
        if not byte: break
        data += byte
    return data.decode()
def first(s):
    s.sendall(f"GET /first HTTP/1.1\r\nHost: {a}\r\n\r\n".encode())
    assert " 200 " in head(s)
def connect():
    s = socket.create_connection(("127.0.0.1", int(proxy)), 20)
    if place == "socks":
        host, port = a.split(":")
        s.sendall(bytes([5, 1, 0]))
        s.recv(2)
        s.sendall(bytes([5, 1, 0, 3, len(host)]) + host.encode() + int(port).to_bytes(2))
        s.recv(10, socket.MSG_WAITALL)
        first(s)
    elif "unnel" in place:
        s.sendall(f"CONNECT {a} HTTP/1.1\r\nHost: {a}\r\n\r\n".encode())
        assert " 200 " in head(s)
        if place == "secureTunnel":
            s = ssl.create_default_context(cafile=root).wrap_socket(
                s, server_hostname="localhost")
        else: first(s)
    return s
results = []
for method, target, host in json.loads(sys.argv[5]):
    s = connect()
    s.sendall(f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    lines = head(s).split("\r\n")
    seen = [l[8:] for l in lines if l.startswith("X-Seen: ")]
    allow = ["allow" for l in lines if l.startswith("Allow: GET, ")]
    results.append(" ".join([lines[0].split(" ")[1]] + seen + allow))
    s.close()
print(json.dumps(results))
