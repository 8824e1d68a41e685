# SPDX-License-Identifier: MIT
"""Requests a server through a proxy that accepts no more connections, since its queue is full
(listen(2)); prints the status.

    full_backlog.py PROXY-URL
"""
import socket, subprocess, sys
full = socket.create_server(("127.0.0.1", 0), backlog=0)
held = []
for _ in range(4):
    s = socket.socket(); s.setblocking(False)
    s.connect_ex(full.getsockname()); held.append(s)
url = "http://127.0.0.1:%d/" % full.getsockname()[1]
subprocess.run(["curl", "-s", "-m", "20", "-w", "%{http_code}", "-o", "/dev/null",
                "-x", sys.argv[1], url])
