# SPDX-License-Identifier: MIT
"""The servers of the check: HTTP, HTTPS, a server that speaks first, and DNS.   servers.py FOLDER"""

import functools
import http.server
import pathlib
import socket
import socketserver
import ssl
import struct
import sys
import threading

PUBLIC, PUBLIC6 = "203.0.113.7", "2001:db8::7"
ADDRESSES = {1: socket.inet_aton(PUBLIC), 28: socket.inet_pton(socket.AF_INET6, PUBLIC6),
             16: b"\x04text", 65: b"\x00\x01\x00\x00\x01\x00\x03\x02h3"}


class Hello(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = f"hello {self.path}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        if self.path == "/alt":
            self.send_header("Alt-Svc", 'h3=":443"; ma=60')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Parent(Hello):
    """A parent proxy that answers each request itself, and reports whether it received credentials."""

    def do_GET(self):
        self.path = f"from parent {self.path} {self.headers.get('Proxy-Authorization') is not None}"
        super().do_GET()


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def __init__(self, address, handler, context=None):
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.context = context
        super().__init__(address, handler)

    def finish_request(self, request, address):
        # The handshake belongs to the thread of the connection.
        if self.context:
            request = self.context.wrap_socket(request, server_side=True)
        super().finish_request(request, address)

    def handle_error(self, request, address):
        pass


class Greeter(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.sendall(b"220 ready\r\n")
        if self.request.recv(100):
            self.request.sendall(b"221 bye\r\n")


def answer(query):
    end = 12
    while query[end]:
        end += 1 + query[end]
    kind = struct.unpack(">H", query[end + 1:end + 3])[0]
    is_known = query[12:end + 1].lower() in (b"\x04shop\x04test\x00", b"\x05store\x04test\x00")
    data = ADDRESSES.get(kind) if is_known else None
    head = query[:2] + struct.pack(">5H", 0x8180 if is_known else 0x8183, 1, 1 if data else 0, 0, 0)
    record = b"\xc0\x0c" + struct.pack(">2HIH", kind, 1, 60, len(data)) + data if data else b""
    return head + query[12:end + 5] + record


class Datagrams(socketserver.BaseRequestHandler):
    def handle(self):
        query, peer = self.request
        peer.sendto(answer(query), self.client_address)


class Messages(socketserver.BaseRequestHandler):
    def handle(self):
        length = struct.unpack(">H", self.request.recv(2))[0]
        reply = answer(self.request.recv(length))
        self.request.sendall(struct.pack(">H", len(reply)) + reply)


def main():
    work = pathlib.Path(sys.argv[1])
    socketserver.TCPServer.allow_reuse_address = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(work / "cert.pem", work / "key.pem")
    asking = {}
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        asking[version] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        asking[version].maximum_version = version
        asking[version].load_cert_chain(work / "cert.pem", work / "key.pem")
        asking[version].load_verify_locations(work / "ca.pem")
        asking[version].verify_mode = ssl.CERT_REQUIRED
    unknown = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    unknown.load_cert_chain(work / "own.pem", work / "own-key.pem")
    files = functools.partial(Files, directory=work / "www")
    servers = [Server((host, port), Hello) for host in ("127.0.0.1", PUBLIC, PUBLIC6) for port in (8101, 80)]
    servers += [Server((host, 8102), files) for host in (PUBLIC, PUBLIC6)]
    servers += [Server((host, 8443), files, context) for host in (PUBLIC, PUBLIC6)]
    servers += [Server((host, 443), Hello, context) for host in (PUBLIC, PUBLIC6)]
    servers += [Server((PUBLIC, 9442 + number), Hello, context) for number, context in enumerate(asking.values())]
    servers.append(Server((PUBLIC, 9444), Hello, unknown))
    servers.append(Server(("127.0.0.1", 3128), Parent))
    servers += [socketserver.ThreadingTCPServer((PUBLIC, 2525), Greeter),
                socketserver.ThreadingUDPServer(("127.0.0.1", 53), Datagrams),
                socketserver.ThreadingTCPServer(("127.0.0.1", 53), Messages)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print("ready", flush=True)
    threading.Event().wait()


main()
