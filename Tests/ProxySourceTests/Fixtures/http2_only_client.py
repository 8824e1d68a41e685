# SPDX-License-Identifier: MIT
"""Offers only HTTP/2 in a tunnel, and requests a path.

    http2_only_client.py PROXY_PORT AUTHORITY CERTIFICATES
"""
import socket, ssl, sys
import h2.config, h2.connection, h2.events
authority = sys.argv[2]
peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20)
peer.sendall(f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode())
assert b" 200 " in peer.recv(1 << 16)
context = ssl.create_default_context(cafile=sys.argv[3])
context.set_alpn_protocols(["h2"])
peer = context.wrap_socket(peer, server_hostname=authority.split(":")[0])
h = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="latin-1"))
h.initiate_connection()
head = {":method": "GET", ":scheme": "https", ":authority": authority, ":path": "/a"}
h.send_headers(1, list(head.items()), end_stream=True)
peer.sendall(h.data_to_send())
status, ended = None, False
while not ended:
    for event in h.receive_data(peer.recv(1 << 16)):
        if isinstance(event, h2.events.ResponseReceived):
            status = dict(event.headers)[":status"]
        ended = ended or isinstance(event, h2.events.StreamEnded)
    peer.sendall(h.data_to_send())
print(peer.selected_alpn_protocol(), status)
