# SPDX-License-Identifier: MIT
"""Asks a proxy for a server in each of three ways; prints the result of each.

    own_listener_client.py PORT SERVER ADDRESS-OF-THE-PROXY [PORT-OF-THE-SERVER]
"""
import socket, sys
port, host = int(sys.argv[1]), sys.argv[2]
target = int(sys.argv[4]) if len(sys.argv) > 4 else port
name = f"[{host}]" if ":" in host else host
def ask(text, then=None):
    s = socket.create_connection((sys.argv[3], port), 20)
    if text: s.sendall(text.encode())
    if then: return then(s)
    return s.recv(65536).decode().split("\r\n")[0]
def inside(s):
    first = s.recv(65536).decode().split(" ")[1]
    if first != "200": return first
    s.sendall(f"GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n".encode())
    return first + " " + s.recv(65536).decode().split("\r\n")[0]
def socks(s):
    s.sendall(bytes([5, 1, 0]))
    s.recv(2, socket.MSG_WAITALL)
    s.sendall(bytes([5, 1, 0, 3, len(host)]) + host.encode() + target.to_bytes(2))
    reply = str(s.recv(10, socket.MSG_WAITALL)[1])
    if reply != "0": return reply
    s.sendall(f"GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n".encode())
    return reply + " " + s.recv(65536).decode().split("\r\n")[0]
print(ask(f"GET http://{name}:{target}/ HTTP/1.1\r\nHost: {name}:{target}\r\n\r\n"))
print(ask(f"CONNECT {name}:{target} HTTP/1.1\r\nHost: shop.test\r\n\r\n", inside))
if ":" not in host: print(ask("", socks))
