# SPDX-License-Identifier: MIT
"""Requests a path twenty times on each of four connections; prints the number and the sizes of the
responses.

    four_connections.py PORT SERVER
"""
import http.client, sys, threading
got = []
def run():
    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
    for _ in range(20):
        c.request("GET", "http://%s/" % sys.argv[2])
        got.append(len(c.getresponse().read()))
threads = [threading.Thread(target=run) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print(len(got), set(got))
