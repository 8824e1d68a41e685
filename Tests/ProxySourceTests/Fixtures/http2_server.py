# SPDX-License-Identifier: MIT
"""A server of HTTP/2, by prior knowledge or in TLS; the path decides what it does.

    http2_server.py [CERTIFICATE KEY [WORDS]]

It answers with the path, the numbers of connection and stream, and the size of the request's body.
Of the words, `streams=5` is the limit of streams, with `websocket` it echoes the frames of WebSockets,
with `full` it takes none of them, with `hasty` it answers at the first content, and `leave=3` makes it
process only the first of so many requests on its first connection. At `/resets` it answers with the
codes of the resets that it has got. At `/shop.v1.Orders/Echo` it is a service of gRPC that echoes
messages and ends with NOT_FOUND.
"""
import itertools, socket, ssl, sys, threading
import h2.config, h2.connection, h2.errors, h2.events, h2.exceptions, h2.settings
CALL = "/shop.v1.Orders/Echo"
numbers, refused, resets = itertools.count(1), set(), []
words = dict(word.partition("=")[::2] for word in " ".join(sys.argv[3:]).split())

class Connection(threading.Thread):
    def __init__(self, peer):
        super().__init__(daemon=True)
        self.peer, self.number = peer, next(numbers)
        config = h2.config.H2Configuration(client_side=False, header_encoding="latin-1")
        self.h2 = h2.connection.H2Connection(config)
        self.paths, self.fields, self.sizes, self.waiting, self.sockets = {}, {}, {}, {}, {}
        self.ended = 0
        codes = h2.settings.SettingCodes
        settings = {codes.MAX_CONCURRENT_STREAMS: int(words.get("streams", 100))}
        if "websocket" in words:
            settings[codes.ENABLE_CONNECT_PROTOCOL] = 1
        self.h2.local_settings = h2.settings.Settings(client=False, initial_values=settings)

    def run(self):
        try:
            if isinstance(self.peer, ssl.SSLSocket):
                self.peer.do_handshake()
                assert self.peer.selected_alpn_protocol() == "h2"
            self.h2.initiate_connection()
            self.flush()
            while data := self.peer.recv(1 << 16):
                for event in self.h2.receive_data(data):
                    self.handle(event)
                for stream in list(self.waiting):
                    self.send(stream)
                self.flush()
        except (OSError, h2.exceptions.ProtocolError):
            pass
        self.peer.close()

    def flush(self):
        self.peer.sendall(self.h2.data_to_send())

    def handle(self, event):
        stream = getattr(event, "stream_id", None)
        if isinstance(event, h2.events.RequestReceived):
            self.fields[stream] = dict(event.headers)
            self.paths[stream], self.sizes[stream] = self.fields[stream][":path"], 0
            self.begin(stream)
        elif isinstance(event, h2.events.DataReceived):
            self.sizes[stream] += len(event.data)
            if stream in self.sockets and "full" in words:
                return
            self.h2.acknowledge_received_data(event.flow_controlled_length, stream)
            if "hasty" in words and self.sizes[stream] == len(event.data):
                self.answer(stream)
            if stream in self.sockets:
                self.frames(stream, event.data)
            elif self.paths[stream] in ("/echo", CALL):
                self.queue(stream, event.data)
        elif isinstance(event, h2.events.TrailersReceived):
            self.fields[stream].update(event.headers)
        elif isinstance(event, h2.events.StreamEnded):
            self.end(stream)
        elif isinstance(event, h2.events.StreamReset):
            self.waiting.pop(stream, None)
            resets.append(int(event.error_code))

    def respond(self, stream, status="200", *fields, **options):
        self.h2.send_headers(stream, [(":status", status), *fields], **options)

    def frames(self, stream, data):
        """Echoes short frames."""
        kept = self.sockets[stream]
        kept += data
        while len(kept) >= 6 and len(kept) >= 6 + (kept[1] & 127):
            kind, size, mask = kept[0], kept[1] & 127, kept[2:6]
            text = bytes(byte ^ mask[i % 4] for i, byte in enumerate(kept[6:6 + size]))
            del kept[:6 + size]
            self.queue(stream, bytes([kind, size]) + text, [] if kind == 0x88 else None)

    def begin(self, stream):
        path = self.paths[stream]
        if self.fields[stream].get(":protocol") == "websocket":
            self.sockets[stream] = bytearray()
            self.respond(stream, "200", ("x-key", self.fields[stream].get("sec-websocket-key", "")))
        elif path == "/echo":
            self.respond(stream, "200", ("x-early", "yes"))
        elif path == CALL:
            self.respond(stream, "200", ("content-type", "application/grpc"))
        elif path == "/early":
            self.respond(stream, "403", end_stream=True)
            self.h2.reset_stream(stream, h2.errors.ErrorCodes.NO_ERROR)
        elif path == "/reset":
            self.h2.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
        elif path == "/broken":
            self.respond(stream)
            self.h2.send_data(stream, b"part")
            self.h2.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
        elif path.startswith("/refuse") and path not in refused:
            refused.add(path)
            del self.sizes[stream]
            self.h2.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)

    def end(self, stream):
        path, fields = self.paths[stream], self.fields[stream]
        if stream in self.sockets or "hasty" in words and self.sizes[stream]:
            return
        if "leave" in words and self.number == 1:
            self.ended += 1
            if self.ended == int(words["leave"]):
                self.answer(1)
                self.h2.close_connection(last_stream_id=1)
            return
        if path in ("/early", "/reset", "/broken", "/silent") or stream not in self.sizes:
            return
        if path == "/echo":
            return self.queue(stream, b"", [("x-sum", str(self.sizes[stream]))])
        if path == CALL:
            return self.queue(stream, b"", [("grpc-status", "5"), ("grpc-message", "no%20order")])
        if path == "/wait":
            return threading.Timer(0.2, lambda: (self.answer(stream), self.flush())).start()
        self.answer(stream)

    def answer(self, stream):
        path, fields = self.paths[stream], self.fields[stream]
        if path == "/interim":
            self.respond(stream, "103", ("link", "</a>"))
        if path == "/trailers":
            self.respond(stream, "200", ("content-type", "application/grpc"))
            return self.queue(stream, b"body", [("grpc-status", fields.get("x-sum", "5"))])
        if path == "/only":
            return self.respond(stream, "200", ("grpc-status", "12"), end_stream=True)
        if path == "/empty":
            return self.respond(stream, "204", end_stream=True)
        body = f"{path} {self.number} {stream} {self.sizes[stream]}".encode()
        if path == "/resets":
            body = str(resets).encode()
        if path.startswith("/size/"):
            body = b"x" * int(path[6:])
        if path == "/fields":
            body = "\n".join(f"{name}: {value}" for name, value in fields.items()).encode()
        self.respond(stream, "200", ("content-length", str(len(body))))
        self.queue(stream, b"" if fields[":method"] == "HEAD" else body, [])
        if path == "/leave":
            self.h2.close_connection(last_stream_id=stream)

    def queue(self, stream, data, trailers=None):
        content, end = self.waiting.setdefault(stream, [bytearray(), None])
        content += data
        self.waiting[stream][1] = end if trailers is None else trailers
        self.send(stream)

    def send(self, stream):
        content, trailers = self.waiting[stream]
        while content:
            room = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
            if room <= 0:
                return
            self.h2.send_data(stream, bytes(content[:room]))
            del content[:room]
        if trailers is not None:
            del self.waiting[stream]
            if trailers:
                self.h2.send_headers(stream, trailers, end_stream=True)
            else:
                self.h2.end_stream(stream)

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
context = None
if len(sys.argv) > 2 and sys.argv[2]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    context.set_alpn_protocols(["h2", "http/1.1"])
while True:
    peer = listener.accept()[0]
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if context:
        peer = context.wrap_socket(peer, server_side=True, do_handshake_on_connect=False)
    Connection(peer).start()
