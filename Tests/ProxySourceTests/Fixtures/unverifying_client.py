# SPDX-License-Identifier: MIT
"""Opens TLS in a tunnel without verifying the certificate, and then does what a function says.

    unverifying_client.py PORT AUTHORITY FUNCTION
"""
import ssl
import sys

import peers

context = ssl.create_default_context()
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE


def connect(**more):
    s = peers.tunnel(sys.argv[1], sys.argv[2])
    return context.wrap_socket(s, server_hostname="localhost", **more)


def close():
    """Closes without TLS's closing alert."""
    leave(lambda s: s.close())


def unwrap():
    """Sends TLS's closing alert."""
    leave(lambda s: s.unwrap())


def preface():
    """Begins HTTP/2, and closes without a request."""
    context.set_alpn_protocols(["h2"])
    s = connect()
    s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
    s.recv(9)
    s.close()
    print("gone")


def leave(end):
    try:
        end(connect())
    except OSError:
        pass
    print("gone")


def resume():
    """Resumes the session of a connection with a request."""
    first = connect()
    first.sendall(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
    print(first.recv(1000)[:12].decode())
    second = connect(session=first.session)
    print(second.session_reused)
    second.close()


globals()[sys.argv[3]]()
