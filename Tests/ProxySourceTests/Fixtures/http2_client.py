# SPDX-License-Identifier: MIT
"""A client of HTTP/2; the scenario decides what it does.

    http2_client.py PORT AUTHORITY SCENARIO [ARGUMENT [ROOT]]

It uses prior knowledge, or with ROOT, the certificate of an authority, TLS in a tunnel to AUTHORITY.
"""
import select, socket, ssl, sys
import h2.config, h2.connection, h2.errors, h2.events, h2.exceptions, h2.settings
port, authority, scenario = int(sys.argv[1]), sys.argv[2], sys.argv[3]
argument = sys.argv[4] if len(sys.argv) > 4 else ""
peer = socket.create_connection(("127.0.0.1", port), timeout=20)
peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
scheme, root = "http", sys.argv[5] if len(sys.argv) > 5 else ""
if root:
    scheme = "https"
    peer.sendall(f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += peer.recv(1)
    context = ssl.create_default_context(cafile=root)
    context.set_alpn_protocols(["h2"])
    peer = context.wrap_socket(peer, server_hostname=authority.split(":")[0])
h = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="latin-1"))
h.initiate_connection()
h.increment_flow_control_window(1 << 20)
heads, bodies, trailers, ended, resets, interim = {}, {}, {}, set(), {}, []
stalled, goaway, raw = set(), [], bytearray()

def flush():
    peer.sendall(h.data_to_send())

def request(path, method="GET", *fields, ends=True):
    stream = h.get_next_available_stream_id()
    head = [(":method", method), (":scheme", scheme), (":authority", authority), (":path", path)]
    h.send_headers(stream, head + list(fields), end_stream=ends)
    flush()
    return stream

def step():
    data = peer.recv(1 << 16)
    raw.extend(data)
    if not data:
        raise EOFError
    for event in h.receive_data(data):
        stream = getattr(event, "stream_id", None)
        if isinstance(event, h2.events.ResponseReceived):
            heads[stream] = dict(event.headers)
        elif isinstance(event, h2.events.InformationalResponseReceived):
            interim.append(dict(event.headers)[":status"])
        elif isinstance(event, h2.events.DataReceived):
            bodies[stream] = bodies.get(stream, b"") + event.data
            if stream not in stalled:
                h.acknowledge_received_data(event.flow_controlled_length, stream)
        elif isinstance(event, h2.events.TrailersReceived):
            trailers[stream] = dict(event.headers)
        elif isinstance(event, h2.events.StreamEnded):
            ended.add(stream)
        elif isinstance(event, h2.events.StreamReset):
            resets[stream] = event.error_code
        elif isinstance(event, h2.events.ConnectionTerminated):
            goaway.append(event.last_stream_id)
    flush()

def until(condition):
    while not condition():
        step()

def text(stream):
    return bodies.get(stream, b"").decode("latin-1")

def status(stream):
    return heads.get(stream, {}).get(":status")

def done(stream):
    return stream in ended or stream in resets

def open_socket(name):
    """Opens a WebSocket by extended CONNECT, once the server offers that."""
    h.config.validate_outbound_headers = False
    flush()
    until(lambda: h.remote_settings.enable_connect_protocol)
    stream = h.get_next_available_stream_id()
    head = [(":method", "CONNECT"), (":protocol", name), (":scheme", scheme)]
    head += [(":authority", authority), (":path", "/chat?a=1"), ("sec-websocket-version", "13")]
    h.send_headers(stream, head)
    return stream

def frame(kind, payload):
    mask = b"\x01\x02\x03\x04"
    masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
    return bytes([0x80 | kind, 0x80 | len(payload)]) + mask + masked

if scenario == "get":
    stream = request(argument)
    until(lambda: done(stream))
    print(status(stream), text(stream), trailers.get(stream, {}), interim, resets.get(stream))
elif scenario == "streams":
    streams = [request(f"/{n}") for n in range(int(argument))]
    until(lambda: all(done(s) for s in streams))
    print(sorted({status(s) for s in streams}), len({text(s) for s in streams}))
    print(len({text(s).split()[1] for s in streams if " " in text(s)}))
elif scenario == "talk":
    stream = request("/echo", "POST", ("te", "trailers"), ends=False)
    until(lambda: stream in heads)
    for word in (b"one", b"two"):
        before = len(text(stream))
        h.send_data(stream, word)
        flush()
        until(lambda: len(text(stream)) > before)
    h.send_headers(stream, [("x-end", "yes")], end_stream=True)
    flush()
    until(lambda: done(stream))
    print(status(stream), text(stream), trailers.get(stream))
elif scenario == "cancel":
    stream = request("/silent")
    other = request("/other")
    until(lambda: done(other))
    h.reset_stream(stream, h2.errors.ErrorCodes.CANCEL)
    last = request("/last")
    until(lambda: done(last))
    print(status(other), status(last))
elif scenario == "bad":
    h.config.validate_outbound_headers = False
    h.config.normalize_outbound_headers = False
    bad = request("/bad", "GET", ("transfer-encoding", "chunked"))
    until(lambda: done(bad))
    h.config.validate_outbound_headers = True
    good = request("/good")
    until(lambda: done(good))
    print(status(bad), bad in resets, status(good))
elif scenario == "late-bad":
    # Sends less than it has announced, while records of its other requests wait to be sealed.
    streams = [request(f"/{n}", "POST", ends=False) for n in range(10)]
    for stream in streams:
        h.send_data(stream, b"x" * 600, end_stream=True)
    flush()
    until(lambda: any(done(s) for s in streams))
    bad = request("/bad", "POST", ("content-length", "5"), ends=False)
    h.send_data(bad, b"abc", end_stream=True)
    flush()
    until(lambda: done(bad))
    print(status(bad), resets.get(bad))
elif scenario == "connect":
    h.config.validate_outbound_headers = False
    stream = h.get_next_available_stream_id()
    h.send_headers(stream, [(":method", "CONNECT"), (":authority", authority)])
    flush()
    until(lambda: done(stream))
    print(status(stream), text(stream))
elif scenario in ("websocket", "early-websocket"):
    stream = open_socket("websocket")
    if scenario == "websocket":
        flush()
        until(lambda: stream in heads or done(stream))
    h.send_data(stream, frame(1, b"hello"))
    flush()
    until(lambda: len(bodies.get(stream, b"")) >= 7 or done(stream))
    if not done(stream):
        h.send_data(stream, frame(8, b"\x03\xe8"))
        flush()
        until(lambda: done(stream))
    if stream not in resets:
        h.end_stream(stream)
        flush()
    extra = [name for name in heads[stream] if name in ("upgrade", "sec-websocket-accept")]
    print(status(stream), extra, bodies.get(stream, b"").hex(), resets.get(stream))
elif scenario == "open-socket":
    stream = open_socket(argument)
    flush()
    try:
        until(lambda: done(stream))
    except h2.exceptions.ProtocolError:
        pass  # After GOAWAY, h2 reads nothing; the close frame stands in what has arrived.
    print(status(stream), b"\x88\x02\x03\xe9" in raw if status(stream) == "200" else text(stream))
elif scenario == "refused-socket":
    stream = open_socket("websocket")
    flush()
    until(lambda: done(stream))
    print(status(stream), text(stream), stream in ended)
elif scenario == "leaving-socket":
    # Sends more through a WebSocket than its server takes, and leaves.
    stream = open_socket("websocket")
    flush()
    until(lambda: stream in heads)
    until(lambda: h.local_flow_control_window(stream) > 100_000)
    for _ in range(8):
        h.send_data(stream, b"\x82\xfe\x27\x10" + bytes(4) + bytes(10_000))
    flush()
    peer.shutdown(socket.SHUT_WR)
    while peer.recv(1 << 16):
        pass
    print(status(stream))
elif scenario == "leaving-echo":
    # Sends two frames and the end at once, and reads what is left.
    stream = open_socket("websocket")
    flush()
    until(lambda: stream in heads)
    h.send_data(stream, frame(1, b"hello") + frame(8, b"\x03\xe8"), end_stream=True)
    flush()
    until(lambda: done(stream))
    print(status(stream), [], bodies.get(stream, b"").hex(), resets.get(stream))
elif scenario == "resets":
    # Asks for the resets that the server has got, until there is one.
    stream = request("/resets")
    until(lambda: done(stream))
    while status(stream) != "200" or text(stream) == "[]":
        stream = request("/resets")
        until(lambda: done(stream))
    print(text(stream))
elif scenario == "posts":
    streams = []
    for number in range(int(argument)):
        stream = request(f"/{number}", "POST", ends=False)
        h.send_data(stream, b"x" * 100, end_stream=True)
        streams.append(stream)
    flush()
    until(lambda: all(done(s) for s in streams))
    print(sorted({f"{status(s)} {text(s)[-3:]} {resets.get(s)}" for s in streams}))
elif scenario == "early":
    stream = request("/early", "POST", ends=False)
    h.send_data(stream, b"x" * 1000)
    flush()
    until(lambda: done(stream))
    # The connection goes on after the client's own end.
    h.end_stream(stream)
    other = request("/other")
    until(lambda: done(other))
    print(status(stream), status(other), resets)
elif scenario == "stall":
    slow = h.get_next_available_stream_id()
    stalled.add(slow)
    request(argument)
    other = request("/other")
    until(lambda: done(other))
    until(lambda: len(bodies.get(slow, b"")) == 65535)
    print(status(other), len(bodies[slow]))
    stalled.clear()
    h.acknowledge_received_data(len(bodies[slow]), slow)
    flush()
    until(lambda: done(slow))
    print(status(slow), len(bodies[slow]))
elif scenario == "unread":
    slow = h.get_next_available_stream_id()
    stalled.add(slow)
    request(argument)
    until(lambda: done(slow))
    print(status(slow), len(bodies[slow]), resets.get(slow))
elif scenario == "trickle":
    # Takes one byte more at a time.
    slow = h.get_next_available_stream_id()
    stalled.add(slow)
    request(argument)
    peer.settimeout(0.02)
    while not done(slow):
        try:
            step()
        except TimeoutError:
            h.increment_flow_control_window(1, slow)
            flush()
    print(status(slow), resets.get(slow))
elif scenario == "drop":
    # Cancels a response without an error, when the proxy has all of it.
    slow = h.get_next_available_stream_id()
    stalled.add(slow)
    request(argument)
    other = request("/other")
    until(lambda: done(other) and len(bodies.get(slow, b"")) == 65535)
    h.reset_stream(slow, h2.errors.ErrorCodes.NO_ERROR)
    last = request("/last")
    until(lambda: done(last))
    print(status(slow), status(last))
elif scenario == "flood":
    # Resets streams until the proxy ends the connection.
    request("/silent")
    try:
        for _ in range(int(argument)):
            h.reset_stream(request("/silent"), h2.errors.ErrorCodes.CANCEL)
            flush()
        until(lambda: goaway)
    except (EOFError, OSError):
        pass
    print(bool(goaway))
elif scenario == "deaf":
    # Asks for large responses and reads nothing, until the proxy gives up.
    h.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 1 << 24})
    h.increment_flow_control_window(1 << 28)
    head = [(":method", "GET"), (":scheme", "http"), (":authority", authority), (":path", "/")]
    for _ in range(int(argument)):
        h.send_headers(h.get_next_available_stream_id(), head, end_stream=True)
    flush()
    watch = select.poll()
    watch.register(peer, 0)
    print(bool(watch.poll(15_000)))
elif scenario == "uploads":
    # Begins a request with a body of 144 KiB, and sends one with 32 KiB before it ends the first.
    first = request("/first", "POST", ends=False)
    second = request("/second", "POST", ends=False)
    until(lambda: h.local_flow_control_window(first) > 200_000)
    for stream, count in ((first, 9), (second, 2)):
        for _ in range(count):
            h.send_data(stream, b"x" * 16384)
            flush()
    h.end_stream(second)
    flush()
    until(lambda: done(second))
    h.end_stream(first)
    flush()
    until(lambda: done(first))
    print(text(first), text(second))
elif scenario == "post":
    stream = request("/upload", "POST", ends=False)
    left = int(argument)
    while left:
        room = min(h.local_flow_control_window(stream), h.max_outbound_frame_size, left)
        if room:
            h.send_data(stream, b"x" * room)
            left -= room
            flush()
        else:
            step()
    h.end_stream(stream)
    flush()
    until(lambda: done(stream))
    print(status(stream), text(stream))
