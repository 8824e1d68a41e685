# SPDX-License-Identifier: MIT
"""Calls of grpcio through the proxy, without TLS, in a tunnel without TLS and in TLS that is read: what
the client sees and what is recorded agree. Replayed to the server, the calls end as they did, without TLS
and in it.   grpc_calls.py TAPLINE
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import sys
import tempfile
import threading
import time

import grpc

from tools import LIMIT, Proxy, equal, fail, intercepting, make_certificate, run

SERVICE = "shop.Check"
LARGE = bytes(range(256)) * 12_000  # 3 MB, below the limit of gRPC for a message
Code = grpc.StatusCode


class Service(grpc.GenericRpcHandler):
    """Messages are bytes, so that no generated code is needed."""

    def __init__(self):
        self.cancelled = threading.Event()

    def service(self, call):
        kinds = {"Echo": (grpc.unary_unary_rpc_method_handler, self.echo),
                 "Fail": (grpc.unary_unary_rpc_method_handler, self.fail),
                 "Wait": (grpc.unary_unary_rpc_method_handler, self.wait),
                 "Many": (grpc.unary_stream_rpc_method_handler, self.many),
                 "Part": (grpc.unary_stream_rpc_method_handler, self.part),
                 "Sum": (grpc.stream_unary_rpc_method_handler, self.sum),
                 "Talk": (grpc.stream_stream_rpc_method_handler, self.talk)}
        make, function = kinds.get(call.method.removeprefix(f"/{SERVICE}/"), (None, None))
        return make and make(function)

    def echo(self, message, context):
        context.send_initial_metadata((("x-kind", "echo"), ("x-data-bin", b"\x00\xff")))
        context.set_trailing_metadata((("x-size", str(len(message))),))
        return message

    def fail(self, message, context):
        context.abort(Code.NOT_FOUND, "no such product: Käse 100 %")

    def wait(self, message, context):
        until = time.monotonic() + LIMIT
        while context.is_active() and time.monotonic() < until:
            time.sleep(0.01)
        return b"late"

    def many(self, message, context):
        for number in range(int(message)):
            yield b"%d" % number

    def part(self, message, context):
        yield b"first"
        context.abort(Code.DATA_LOSS, "the rest is lost")

    def sum(self, messages, context):
        return b"%d" % sum(int(message) for message in messages)

    def talk(self, messages, context):
        context.add_callback(self.cancelled.set)
        for message in messages:
            yield message.upper()


def ends_with(call, code, what):
    try:
        call()
    except grpc.RpcError as error:
        equal(error.code(), code, what)
        return error
    fail(f"{what} does not fail")


def calls(channel, service):
    """Makes one call of each kind; returns the number of calls of each method and status."""
    path = lambda name: f"/{SERVICE}/{name}"
    echo, wait = channel.unary_unary(path("Echo")), channel.unary_unary(path("Wait"))
    answer, call = echo.with_call(b"hello", timeout=LIMIT, metadata=(("x-user", "me"), ("x-more-bin", b"\xfe\x00")))
    equal(answer, b"hello", "Echo")
    equal(dict(call.initial_metadata())["x-data-bin"], b"\x00\xff", "metadata before")
    equal(dict(call.trailing_metadata())["x-size"], "5", "metadata after")
    equal(echo(b"", timeout=LIMIT), b"", "an empty message")
    equal(echo(LARGE, timeout=LIMIT), LARGE, "a large message")
    equal(echo(b"z" * 5000, timeout=LIMIT, compression=grpc.Compression.Gzip), b"z" * 5000, "a compressed message")
    futures = [echo.future(b"%d" % number, timeout=LIMIT) for number in range(100)]
    equal([future.result() for future in futures], [b"%d" % number for number in range(100)], "calls at once")

    error = ends_with(lambda: channel.unary_unary(path("Fail"))(b"x", timeout=LIMIT), Code.NOT_FOUND, "Fail")
    equal(error.details(), "no such product: Käse 100 %", "its message")
    ends_with(lambda: channel.unary_unary(path("None"))(b"x", timeout=LIMIT), Code.UNIMPLEMENTED, "an unknown method")
    ends_with(lambda: echo(b"z" * 5_000_000, timeout=LIMIT), Code.RESOURCE_EXHAUSTED, "a message that is too large")
    start = time.monotonic()
    ends_with(lambda: wait(b"x", timeout=0.5), Code.DEADLINE_EXCEEDED, "a deadline")
    if time.monotonic() - start > LIMIT / 2:
        fail("a deadline is late")

    many = channel.unary_stream(path("Many"))
    equal(list(many(b"500", timeout=LIMIT)), [b"%d" % number for number in range(500)], "a stream of responses")
    part = channel.unary_stream(path("Part"))(b"x", timeout=LIMIT)
    equal(next(part), b"first", "the first message")
    ends_with(lambda: next(part), Code.DATA_LOSS, "a stream that fails")
    total = channel.stream_unary(path("Sum"))((b"%d" % number for number in range(500)), timeout=LIMIT)
    equal(total, b"124750", "a stream of requests")
    talk = channel.stream_stream(path("Talk"))
    equal(list(talk(iter([b"a", b"b", b"c"]), timeout=LIMIT)), [b"A", b"B", b"C"], "streams in both directions")
    cancel(talk, service)
    return collections.Counter({
        ("Echo", "OK"): 104, ("Fail", "NOT_FOUND"): 1, ("None", "UNIMPLEMENTED"): 1, ("Many", "OK"): 1, ("Part", "DATA_LOSS"): 1,
        ("Sum", "OK"): 1, ("Talk", "OK"): 1, ("Talk", "cancelled"): 1, ("Echo", "RESOURCE_EXHAUSTED"): 1, ("Wait", "deadline"): 1})


def cancel(talk, service):
    """Cancels a call that has answered one message and waits for the next: its server learns of it."""
    service.cancelled.clear()
    is_over = threading.Event()

    def messages():
        yield b"one"
        is_over.wait(LIMIT)
    call = talk(messages(), timeout=LIMIT)
    equal(next(call), b"ONE", "a conversation")
    call.cancel()
    ends_with(lambda: next(call), Code.CANCELLED, "a cancelled call")
    if not service.cancelled.wait(LIMIT):
        fail("the server does not learn of a cancelled call")
    is_over.set()


ENDS_BY_DEADLINE = [("completed", None, "DEADLINE_EXCEEDED"), ("cancelled", "client_closed", "DEADLINE_EXCEEDED"),
                    ("cancelled", "client_closed", None), ("failed", "stream_reset", None)]


def compare(records, expected, way):
    found = collections.Counter()
    for record in records:
        method, tags, stream = record["grpc"]["method"], record.get("tags", {}), record["stream"]
        status = tags.get("grpc.status")
        if method == "Wait":
            # Client and server end it at the same time.
            found_state = record["state"], record.get("error", {}).get("code"), status
            if found_state not in ENDS_BY_DEADLINE:
                fail(f"{way}: a call with a deadline ends as {found_state}")
            status = "deadline"
        elif record["state"] == "cancelled":
            equal((status, record["error"]["code"]), (None, "client_closed"), f"{way}: {method}")
            status = "cancelled"
        else:
            equal(record["state"], "completed", f"{way}: {method} {status}")
            whole(record, method, status)
        equal((stream["client"]["version"], stream["server"]["version"]), ("HTTP/2", "HTTP/2"), f"{way}: versions")
        found[method, status] += 1
    equal(found, expected, f"{way}: records")


def whole(record, method, status):
    """The messages of a call that has ended are those of its bodies, and the frames are not much more."""
    for direction, part in (("up", "request"), ("down", "response")):
        messages = [message["size"] for message in record["messages"] if message["dir"] == direction]
        body, sent = record.get(part, {}).get("body", {}).get("size", 0), record["bytes"][direction]["body"]
        if status != "RESOURCE_EXHAUSTED":
            equal(sum(5 + size for size in messages), body, f"{method}: messages {direction}")
        # Each frame has 9 bytes; grpcio sends some empty ones.
        most = body + 9 * (2 * len(messages) + 2 + body // 1000)
        equal((body <= sent <= most, record["bytes"]["exact"]), (True, True), f"{method}: {sent} bytes {direction} for {body}")


def serve(work):
    """Starts the server on two ports, without TLS and with it."""
    service = Service()
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(16), handlers=[service])
    credentials = grpc.ssl_server_credentials([((work / "key.pem").read_bytes(), (work / "cert.pem").read_bytes())])
    ports = server.add_insecure_port("127.0.0.1:0"), server.add_secure_port("127.0.0.1:0", credentials)
    server.start()
    return server, service, *ports


def main():
    tapline = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        make_certificate(work)
        server, service, clear, secure = serve(work)
        sources = {"clear": f'upstream: "h2c://127.0.0.1:{clear}"', "forward": intercepting(work)}
        with Proxy(tapline, work, sources) as proxy:
            expected = run_ways(work, service, proxy.ports, clear, secure)
        for way, count in expected.items():
            compare([record for record in proxy.records if is_of(record, way)], count, way)
        again = replay(tapline, work, proxy.records, "h2c", f"h2c://127.0.0.1:{clear}")
        again += replay(tapline, work, proxy.records, "intercepted", f"https://localhost:{secure}")
        server.stop(0)
    equal(len(proxy.records), sum(sum(count.values()) for count in expected.values()), "records")
    print(f"grpc: {len(proxy.records)} calls of grpcio in {len(expected)} ways agree with their records, "
          f"and {again} that were replayed")


def replay(tapline, work, records, way, target):
    """Replays the calls of a way that have ended; returns how many there are."""
    recorded = [record for record in records if is_of(record, way) and record["state"] == "completed"
                and record["grpc"]["method"] != "Wait"]
    (work / f"{way}.ndjson").write_text("".join(json.dumps(record) + "\n" for record in recorded))
    figures = json.loads(run(tapline, "replay", work / f"{way}.ndjson", "--to", target, "--speed", "max", "--map", "off",
                             "--sessions", "off", "--out", work / f"{way}-again.ndjson", "--json",
                             env={**os.environ, "SSL_CERT_FILE": str(work / "cert.pem")}))
    again = [json.loads(line) for line in (work / f"{way}-again.ndjson").read_text().splitlines()]
    # Large messages are not recorded as a whole.
    whole = {record["id"]: record for record in recorded if not record["request"]["body"].get("truncated")}
    equal((len(again), len(recorded) - len(whole)), (len(whole), figures["not_sent"]["missing_body"]), f"{way}: replayed calls")
    for record in again:
        equal(outcome(record), outcome(whole[record["replay"]["of"]]), f"{way}: replayed {record['grpc']['method']}")
        equal((record["request"]["version"], record["stream"]["server"]["version"]), ("HTTP/2", "HTTP/2"), f"{way}: versions")
    return len(again)


def outcome(record):
    """How a call has ended, and the sizes of its messages, whose texts are redacted."""
    messages = sorted((message["dir"], message["size"]) for message in record["messages"])
    tags = record.get("tags", {})
    return record["state"], record["grpc"]["method"], tags.get("grpc.status"), tags.get("grpc.message"), messages


def is_of(record, way):
    return ["x-way", way] in record["request"]["headers"]


class Named(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor, grpc.StreamUnaryClientInterceptor,
            grpc.StreamStreamClientInterceptor):
    """Adds a field that names the way."""

    def __init__(self, way):
        self.way = way

    def named(self, follow, details, request):
        metadata = [*(details.metadata or ()), ("x-way", self.way)]
        fields = {name: getattr(details, name) for name in ("method", "timeout", "credentials", "wait_for_ready", "compression")}
        return follow(collections.namedtuple("Details", [*fields, "metadata"])(**fields, metadata=metadata), request)

    intercept_unary_unary = intercept_unary_stream = intercept_stream_unary = intercept_stream_stream = named


def run_ways(work, service, ports, clear, secure):
    through = [("grpc.http_proxy", f"http://127.0.0.1:{ports['forward']}")]
    direct = [("grpc.enable_http_proxy", 0)]
    trusted = lambda: grpc.ssl_channel_credentials((work / "ca" / "root.pem").read_bytes())
    ways = {"h2c": lambda: grpc.insecure_channel(f"127.0.0.1:{ports['clear']}", direct),
            "tunnel": lambda: grpc.insecure_channel(f"localhost:{clear}", through),
            "intercepted": lambda: grpc.secure_channel(f"localhost:{secure}", trusted(), through)}
    expected = {}
    for way, connect in ways.items():
        with connect() as channel:
            expected[way] = calls(grpc.intercept_channel(channel, Named(way)), service)
    return expected


main()
