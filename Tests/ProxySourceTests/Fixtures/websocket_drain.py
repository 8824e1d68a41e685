# SPDX-License-Identifier: MIT
"""Opens a WebSocket through a proxy, with sockets at both ends, and does what a function says.

    websocket_drain.py PORT FUNCTION

Prints the output at both ends: bytes, and the code of a close frame.
"""
import socket
import sys

import peers


def mid_frame():
    """Half a frame is in transit when the proxy stops; the rest arrives after that."""
    server.sendall(b"\x81\x05He")
    assert client.recv(4, socket.MSG_WAITALL) == b"\x81\x05He"
    finish_frame()


def mid_frame_with_hook():
    """As `mid_frame`, but a hook sees only whole messages, so nothing arrives before."""
    server.sendall(b"\x81\x05He")
    finish_frame()


def finish_frame():
    ask()
    peers.wait_until_nobody_listens(sys.argv[1])
    try:
        server.sendall(b"llo")
    except OSError:
        pass


def closing():
    """The server has sent its close frame before the proxy stops."""
    server.sendall(b"\x88\x02\x0f\xa0")
    assert client.recv(4, socket.MSG_WAITALL) == b"\x88\x02\x0f\xa0"
    ask()
    peers.wait_until_nobody_listens(sys.argv[1])
    answer_close()


def excluded():
    """Message and close frames are sent after the proxy has stopped."""
    ask()
    peers.wait_until_nobody_listens(sys.argv[1])
    server.sendall(b"\x81\x05Hello\x88\x02\x0f\xa0")
    answer_close()


def answer_close():
    client.sendall(b"\x88\x82\0\0\0\0\x0f\xa0")
    client.shutdown(socket.SHUT_WR)
    server.shutdown(socket.SHUT_WR)


def connect(fields):
    s = peers.connect(sys.argv[1])
    s.sendall(b"GET http://127.0.0.1:%d/ HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n"
              % (port, port, fields))
    accepted = listener.accept()[0]
    accepted.settimeout(20)
    peers.read_head(accepted)
    return s, accepted


def ask():
    """Sends a request that is answered, to tell that everything before it has passed."""
    s, accepted = connect(b"")
    accepted.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
    peers.read_head(s)


def rest(s):
    data = b""
    try:
        while piece := s.recv(65536):
            data += piece
    except OSError:
        data += b"?"
    return data


listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
client, server = connect(b"Connection: Upgrade\r\nUpgrade: websocket\r\n")
server.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
               b"Upgrade: websocket\r\n\r\n")
peers.read_head(client)
globals()[sys.argv[2]]()
print("client", rest(client).hex())
frame = rest(server)
assert frame[:2] == b"\x88\x82" and len(frame) == 8, frame
print("server", (frame[2] ^ frame[6]) << 8 | frame[3] ^ frame[7])
