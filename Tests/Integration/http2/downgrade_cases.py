# SPDX-License-Identifier: MIT
"""Requests of HTTP/2 that a careless translation to HTTP/1.1 turns into something else."""

import dataclasses

REQUEST = b"GET /smuggled HTTP/1.1\r\nhost: smuggled\r\n\r\n"
LINE = b"x-smuggled: 1"


@dataclasses.dataclass
class Case:
    name: str
    fields: list
    body: list = dataclasses.field(default_factory=list)     # of DATA frames
    trailers: list = dataclasses.field(default_factory=list)
    # None if it may not arrive, otherwise method, target and body that must arrive.
    arrives: tuple = None
    may_arrive: bool = False
    opens: bool = True                                       # whether it may be answered with 200
    huffman: bool = False
    split: int = 0                                           # bytes in each frame of the head


def request(method=b"GET", path=b"/case", authority=b"shop.test", scheme=b"http", more=()):
    return [(b":method", method), (b":scheme", scheme), (b":authority", authority), (b":path", path), *more]


def text(value):
    shown = value if len(value) <= 48 else value[:45] + b"..."
    return repr(shown)[1:]


VALUES = [
    b"a\r\n" + LINE, b"a\n" + LINE, b"a\r" + LINE, b"a\r\n\r\n" + REQUEST, b"a\n\n" + REQUEST, b"a\0b", b"a\r\n b",
    b"a\x0bb", b"a\x0cb", b"a\x7fb", b"a\x1fb", b"\x01", b" a", b"a ", b"\ta", b"a\t", b"a\r\n", b"\r\na", b"\n", b"\r",
]
NAMES = [
    b"x\r\n" + LINE + b"\r\ny", b"x: 1\r\n" + LINE + b"\r\ny", b"x\r\n\r\n" + REQUEST, b"x: y", b"x:", b"x y", b"x ", b" x",
    b"x\t", b"X-Upper", b"", b":", b":x", b"x\0", b"x\n", b"x\r", b"x\x7f", b"x\xff", b"x(y)", b'x"y', b"x/y", b"x@y",
    b"transfer-encoding ", b"transfer-encoding:", b"content-length\t", b"host\0",
]
METHODS = [
    b"GET /smuggled HTTP/1.1\r\nx:", b"GET\r\n" + LINE, b"GE T", b"", b"GET ", b" GET", b"GET\t", b"GET\n", b"GET\0",
    b"G\xffT", b"GET/", b"G:T", b"GET\r",
]
PATHS = [
    b"/ HTTP/1.1\r\n" + LINE + b"\r\ny: ", b"/ HTTP/1.1\r\n\r\n" + REQUEST, b"/a HTTP/1.1", b"/a b", b" /a", b"/a ",
    b"/a\tb", b"/a\nb", b"/a\rb", b"/a\0b", b"/a\x7f", b"/a#b", b"", b"a", b"*", b"@smuggled/", b":80/", b"?a",
    b"http://smuggled/", b"\\smuggled", b"http:\\\\smuggled/",
]
AUTHORITIES = [
    b"shop.test\r\n" + LINE, b"shop.test\r\n\r\n" + REQUEST, b"shop.test\n", b"shop.test smuggled", b"shop.test\0",
    b"user@shop.test", b"user:pass@shop.test", b"shop.test:port", b"shop.test:80:81", b"shop.test:99999999",
    b"shop.test/a", b"shop.test?a", b"shop.test#a", b"shop.test;smuggled\r\n", b"[::1", b"::1", b"shop.test\\a", b"shop.test\t",
    b"http://smuggled/", b"shop.test@smuggled", b" shop.test", b"shop.test ",
]
SCHEMES = [b"", b"ftp", b"http://smuggled/?", b"http\r\n" + LINE, b"http ", b"ht tp", b"http:"]
LENGTHS = [
    b"+5", b"-5", b"0x5", b"5,5", b"5, 5", b"5 ", b" 5", b"5;", b"5\0", b"5.0", b"5e0", b"", b"five", b"1_0", b"\xd9\xa5",
    b"18446744073709551621", b"99999999999999999999999", b"4", b"6", b"0",
]
CODINGS = [b"chunked", b"identity", b"gzip, chunked", b"xchunked", b"chunked\r\n" + LINE, b"\x0bchunked", b"", b"Chunked", b"trailers"]
CONNECTION = [
    (b"connection", b"close"), (b"connection", b"content-length"), (b"connection", b"host"), (b"keep-alive", b"timeout=5"),
    (b"proxy-connection", b"keep-alive"), (b"upgrade", b"h2c"), (b"upgrade", b"websocket"), (b"te", b"chunked"),
    (b"te", b"trailers, chunked"), (b"te", b"trailers\r\n" + LINE),
]
HOSTS = [
    [(b"host", b"smuggled")], [(b"host", b"shop.test"), (b"host", b"shop.test")], [(b"host", b"shop.test, smuggled")],
    [(b"host", b"shop.test\r\n" + LINE)], [(b"host", b"")], [(b"host", b"shop.test:81")], [(b"host", b"shop.test smuggled")],
]
WHOLE = [(b":method", b"GET"), (b":scheme", b"http"), (b":authority", b"shop.test"), (b":path", b"/case")]
PSEUDO = [
    *([(name, value), *WHOLE] for name, value in WHOLE),
    *([*WHOLE, (name, value)] for name, value in WHOLE),
    [*WHOLE, (b"x", b"y"), (b":path", b"/smuggled")], [*WHOLE[:3], (b"x", b"y"), WHOLE[3]], [*WHOLE[1:]], [WHOLE[0], *WHOLE[2:]],
    [*WHOLE[:3]], [WHOLE[0], WHOLE[1], WHOLE[3]], [*WHOLE, (b":status", b"200")], [*WHOLE, (b":smuggled", b"a")],
    [*WHOLE, (b":protocol", b"websocket")], [(b":Method", b"GET"), *WHOLE[1:]], [(b":method ", b"GET"), *WHOLE[1:]],
    [(b":method", b"CONNECT"), *WHOLE[1:]], [(b":method", b"CONNECT"), (b":authority", b"shop.test")],
    [(b":method", b"CONNECT"), (b":authority", b"shop.test:80\r\n" + LINE)],
]
TRAILERS = [
    (b"x", b"a\r\n" + LINE), (b"x", b"a\r\n\r\n" + REQUEST), (b"x\r\n\r\n" + REQUEST, b"a"), (b"X-Upper", b"a"), (b"x", b"a\0"),
    (b":path", b"/smuggled"), (b":method", b"GET"), (b"connection", b"close"), (b"transfer-encoding", b"chunked"), (b"x ", b"a"),
    (b"", b"a"), (b"x:y", b"a"), (b"x", b"\n"),
]
# Trailers that are legal in HTTP/2, and that HTTP/1.1 may not merge into the head: they may be omitted.
ODD_TRAILERS = [(b"content-length", b"9"), (b"host", b"smuggled"), (b"authorization", b"smuggled"), (b"trailer", b"smuggled")]


def cases():
    for value in VALUES:
        yield Case(f"value {text(value)}", request(more=[(b"x", value)]))
    for value in VALUES[:5]:
        yield Case(f"cookie {text(value)}", request(more=[(b"cookie", b"a=1"), (b"cookie", b"b=" + value)]))
        yield Case(f"value {text(value)} with Huffman's code", request(more=[(b"x", value)]), huffman=True)
        yield Case(f"value {text(value)} over frames", request(more=[(b"x", value)]), split=20)
    for name in NAMES:
        yield Case(f"name {text(name)}", request(more=[(name, b"chunked")]), [b"0\r\n\r\n"])
    for method in METHODS:
        yield Case(f"method {text(method)}", request(method=method))
    for path in PATHS:
        yield Case(f"path {text(path)}", request(path=path))
    for authority in AUTHORITIES:
        yield Case(f"authority {text(authority)}", request(authority=authority))
    for scheme in SCHEMES:
        yield Case(f"scheme {text(scheme)}", request(scheme=scheme))
    for fields in HOSTS:
        yield Case("host " + " and ".join(text(value) for _, value in fields), request(more=fields))
    for fields in ([(b"host", b"user@shop.test")], [(b"host", b"a\r\n" + LINE)], [(b"host", b"")]):
        yield Case(f"only host {text(fields[0][1])}", [WHOLE[0], WHOLE[1], WHOLE[3], *fields])
    for number, fields in enumerate(PSEUDO):
        yield Case(f"pseudo-fields {number}: " + " ".join(text(name + b"=" + value) for name, value in fields), fields)
    for value in LENGTHS:
        yield Case(f"content-length {text(value)}", request(b"POST", more=[(b"content-length", value)]), [b"12345"])
    for first, second in ((b"5", b"5"), (b"5", b"0"), (b"0", b"5")):
        fields = [(b"content-length", first), (b"content-length", second)]
        yield Case(f"content-length {text(first)} and {text(second)}", request(b"POST", more=fields), [b"12345"])
    yield Case("content-length without content", request(b"POST", more=[(b"content-length", b"42")]))
    for value in CODINGS:
        body = [b"0\r\n\r\n" + REQUEST]
        yield Case(f"transfer-encoding {text(value)}", request(b"POST", more=[(b"transfer-encoding", value)]), body)
        both = [(b"content-length", str(len(body[0])).encode()), (b"transfer-encoding", value)]
        yield Case(f"content-length and transfer-encoding {text(value)}", request(b"POST", more=both), body)
    for field in CONNECTION:
        yield Case(f"{field[0].decode()} {text(field[1])}", request(more=[field]))
    for field in TRAILERS:
        yield Case(f"trailer {text(field[0])} {text(field[1])}", request(b"POST"), [b"abc"], [field])
    for field in ODD_TRAILERS:
        yield Case(f"trailer {text(field[0])}", request(b"POST"), [b"abc"], [field], may_arrive=True)
    yield Case("300 fields", request(more=[(b"x-%d" % n, b"a") for n in range(300)]))
    yield Case("a field of 100 kB", request(more=[(b"x", b"a" * 100_000)]), split=16000)
    yield Case("two fields of 50 kB", request(more=[(b"x", b"a" * 50_000), (b"y", b"a" * 50_000)]), split=16000)
    # A WebSocket (RFC 8441) may be forwarded as an upgrade, but is not open if the server answers with a page.
    yield Case("a WebSocket", [(b":method", b"CONNECT"), (b":protocol", b"websocket"), *WHOLE[1:]], may_arrive=True, opens=False)
    yield Case("a WebSocket with a line break", [(b":method", b"CONNECT"), (b":protocol", b"websocket\r\n" + LINE), *WHOLE[1:]])
    yield Case("another protocol", [(b":method", b"CONNECT"), (b":protocol", b"connect-udp"), *WHOLE[1:]])
    # Legal in a name that is no domain (RFC 3986 §3.2.2).
    for authority in (b"shop.test,smuggled", b"shop.test%0d%0asmuggled"):
        yield Case(f"authority {text(authority)}", request(authority=authority), may_arrive=True)
    yield from harmless()


def harmless():
    """Requests that are legal in HTTP/2, though they look odd: they arrive as they were meant."""
    inner = b"0\r\n\r\n" + REQUEST
    yield Case("a request as content", request(b"POST"), [inner], arrives=(b"POST", b"/case", inner))
    yield Case("a request as content with its length", request(b"POST", more=[(b"content-length", b"%d" % len(inner))]),
               [inner[:7], b"", inner[7:]], arrives=(b"POST", b"/case", inner))
    yield Case("content of GET", request(), [REQUEST], arrives=(b"GET", b"/case", REQUEST))
    yield Case("trailers", request(b"POST"), [b"abc"], [(b"x-sum", b"3")], arrives=(b"POST", b"/case", b"abc"))
    yield Case("an unknown method", request(b"SMUGGLE!"), arrives=(b"SMUGGLE!", b"/case", b""))
    yield Case("bytes above 0x7F", request(more=[(b"x", b"\xc4\x8a\xc4\x8d\xe2\x80\xa8\x85")]), arrives=(b"GET", b"/case", b""))
    yield Case("cookies in pieces", request(more=[(b"cookie", b"a=1"), (b"cookie", b"b=2")]), arrives=(b"GET", b"/case", b""))
    yield Case("a path with two slashes", request(path=b"//smuggled/..;/?a=/%0d%0a"),
               arrives=(b"GET", b"//smuggled/..;/?a=/%0d%0a", b""))
    yield Case("OPTIONS of the server", request(b"OPTIONS", b"*"), arrives=(b"OPTIONS", b"*", b""))
    yield Case("TE: trailers", request(more=[(b"te", b"trailers")]), arrives=(b"GET", b"/case", b""))
    yield Case("only Host", [WHOLE[0], WHOLE[1], WHOLE[3], (b"host", b"shop.test")], arrives=(b"GET", b"/case", b""))
    yield Case("an underscore for a hyphen", request(b"POST", more=[(b"content_length", b"0"), (b"transfer_encoding", b"chunked")]),
               [inner], arrives=(b"POST", b"/case", inner))
    yield Case("Expect", request(b"POST", more=[(b"expect", b"100-continue")]), [b"abc"], arrives=(b"POST", b"/case", b"abc"))
