# SPDX-License-Identifier: MIT
"""Opens a connection, and sends its first request only when the proxy no longer listens.

    first_request.py PORT FUNCTION [AUTHORITY ROOT]

Prints the response, or what the connection did instead. Before, a request on another connection tells
the proxy that this one is open.
"""
import ssl
import sys

import h2.connection
import h2.events
import peers

port, root = sys.argv[1], sys.argv[-1]
REQUEST = b"GET http://shop.test/first HTTP/1.1\r\nHost: shop.test\r\n\r\n"


def plain():
    """The connection carries nothing before."""
    return answered(peers.connect(port), REQUEST)


def used():
    """The connection has carried a request, and is idle."""
    s = peers.connect(port)
    s.sendall(REQUEST)
    peers.read_until(s, b"made")
    stop()
    return peers.read_all(s)


def silent():
    """No request follows."""
    s = peers.connect(port)
    stop()
    return peers.read_all(s)


def half():
    """The head has begun before."""
    s = peers.connect(port)
    s.sendall(REQUEST[:20])
    return answered(s, REQUEST[20:])


def before_handshake():
    """The tunnel is open, and TLS is negotiated later."""
    s = peers.tunnel(port, sys.argv[3])
    stop()
    s = secured(s)
    s.sendall(b"GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return peers.read_all(s)


def after_handshake():
    """TLS was negotiated before."""
    s = secured(peers.tunnel(port, sys.argv[3]))
    return answered(s, b"GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n")


def http2():
    """The client uses HTTP/2, and has sent its preface before."""
    s = peers.connect(port)
    h = h2.connection.H2Connection()
    h.initiate_connection()
    s.sendall(h.data_to_send())
    stop()
    head = {":method": "GET", ":scheme": "http", ":authority": "shop.test", ":path": "/first"}
    h.send_headers(1, list(head.items()), end_stream=True)
    s.sendall(h.data_to_send())
    # Until the time for a first request has passed, the proxy waits for more streams.
    s.settimeout(60)
    # After GOAWAY, h2 reads nothing.
    frames = frames_of(peers.read_all(s))
    last = [int.from_bytes(payload[:4], "big") for kind, _, payload in frames if kind == 7]
    body = b"".join(payload for kind, stream, payload in frames if kind == 0 and stream == 1)
    return b"%s %s" % (body, str(last).encode())


def frames_of(data):
    """Returns the type, stream and payload of each frame."""
    frames = []
    while data:
        end = 9 + int.from_bytes(data[:3], "big")
        frames.append((data[3], int.from_bytes(data[5:9], "big"), data[9:end]))
        data = data[end:]
    return frames


def secured(s):
    context = ssl.create_default_context(cafile=root)
    return context.wrap_socket(s, server_hostname="localhost")


def stop():
    """Makes the proxy stop."""
    with peers.connect(port) as other:
        other.sendall(REQUEST.replace(b"first", b"made"))
        peers.read_until(other, b"made")
        peers.wait_until_nobody_listens(port)


def answered(s, data):
    stop()
    s.sendall(data)
    return peers.read_all(s)


try:
    print(globals()[sys.argv[2]]().decode())
except ConnectionResetError:
    print("(reset)")
