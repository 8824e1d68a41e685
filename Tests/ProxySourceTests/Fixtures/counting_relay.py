# SPDX-License-Identifier: MIT
"""Counts the bytes between curl and a proxy, and runs curl many times through it.

    counting_relay.py PORT SERVER-PORT

Prints the number of bytes from curl and to curl.
"""
import socket, subprocess, sys, threading
proxy, server = int(sys.argv[1]), int(sys.argv[2])
counts, lock, running = [0, 0], threading.Lock(), []
def pump(source, sink, way):
    try:
        while data := source.recv(65536):
            with lock: counts[way] += len(data)
            sink.sendall(data)
    except OSError: pass
    # Also where curl leaves with a reset: the other side would wait for more.
    try: sink.shutdown(socket.SHUT_WR)
    except OSError: pass
def accept():
    while True:
        client, _ = listener.accept()
        upstream = socket.create_connection(("127.0.0.1", proxy))
        for pair in ((client, upstream, 0), (upstream, client, 1)):
            thread = threading.Thread(target=pump, args=pair, daemon=True)
            running.append(thread)
            thread.start()
listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=accept, daemon=True).start()
url = "http://127.0.0.1:%d/" % server
for arguments in (
    [url, url + "chunked", url + "empty", url + "close"],
    ["-I", url], ["-d", "x" * 100000, url], ["-T", "-", url], ["-p", url],
    ["-H", "Transfer-Encoding: chunked", "-d", "some", url + "chunked"],
    ["-H", "Expect: 100-continue", "-d", "y" * 5000, url + "interim"],
    ["http://127.0.0.1:1/", url], ["-0", url + "chunked"], ["-p", "http://127.0.0.1:1/"],
):
    subprocess.run(
        ["curl", "-s", "-m", "20", "-x", "http://127.0.0.1:%d" % listener.getsockname()[1]]
        + arguments, input=b"from a pipe" * 999, stdout=subprocess.DEVNULL)
for text in (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", b"GET ftp://a/ HTTP/1.0\r\n\r\n"):
    s = socket.create_connection(listener.getsockname(), 20)
    s.sendall(text)
    s.shutdown(socket.SHUT_WR)
    while s.recv(65536): pass
for thread in running: thread.join(20)
print(counts[0], counts[1])
