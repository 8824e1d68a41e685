# SPDX-License-Identifier: MIT
"""A server and a client in lockstep: the server sends an event when the client has the last one.

The first line is sent in three parts.

    events_in_step.py PORT
"""
import socket, sys, threading
server = socket.create_server(("127.0.0.1", 0))
address = "127.0.0.1:%d" % server.getsockname()[1]
seen = threading.Semaphore(0)
def serve():
    s = server.accept()[0]
    s.recv(65536)
    s.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
              b"Transfer-Encoding: chunked\r\n\r\n")
    for part in [b"d", b"a", b"ta: 1\n\n"] + [b"data: %d\n\n" % n for n in range(2, 20)]:
        s.sendall(b"%x\r\n%b\r\n" % (len(part), part))
        if not seen.acquire(timeout=20): s.close(); return
    s.sendall(b"0\r\n\r\n")
threading.Thread(target=serve, daemon=True).start()
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20)
s.sendall(b"GET http://%b/ HTTP/1.0\r\nHost: a\r\n\r\n" % address.encode())
got, events, told = b"", 0, 0
while data := s.recv(65536):
    got += data
    body = got.partition(b"\r\n\r\n")[2]
    steps = min(len(body), 2) + (len(body) > 2) + max(body.count(b"\n\n") - 1, 0)
    for _ in range(steps - told): seen.release()
    told = max(steps, told)
print(got.count(b"data: "), got.endswith(b"data: 19\n\n"))
