# SPDX-License-Identifier: MIT
"""Bodies that can be read only with their type: charsets, binary formats, types in a HAR (points 1.8 and 1.9)."""

import json
import struct

import codings
from exchanges import answer, post, record
from generator import notations, values

# Charsets that Python supports, whether or not Tapline or iconv do.
STATELESS = ("iso-8859-1", "iso-8859-15", "windows-1252", "koi8-r", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "shift_jis", "euc-jp",
             "gb18030", "gbk", "big5", "euc-kr", "cp037", "cp500", "cp1140")
STATEFUL = ("utf-7", "iso-2022-jp", "hz", "iso-2022-kr")
UNKNOWN = ("x-none", "x-user-defined", "klingon")


def text_of(case):
    """A text with a common name; its value consists of letters, which every charset has."""
    secret = case.secret_of(values.letters)
    return case.pick(f'{{"user":"ann","{case.name()}":"{secret}"}}', f"user=ann\n{case.name()}={secret}\n", f"<a><user>ann</user><password>{secret}</password></a>")


def kind_of(text):
    return "application/json" if text[0] == "{" else "application/xml" if text[0] == "<" else "text/plain"


def charset(name):
    def make(case):
        text = text_of(case)
        return case.pick(answer, post)(f"{kind_of(text)}; charset={case.pick(name, name.upper())}", text.encode(name))
    return make


def unknown_charset(name):
    """Bytes of a charset without a known table: EBCDIC under another label."""
    def make(case):
        text = text_of(case)
        return answer(f"{kind_of(text)}; charset={name}", text.encode("cp037"))
    return make


# MARK: Binary formats

def msgpack(value):
    """MessagePack, as far as maps of texts need it."""
    if isinstance(value, dict):
        return bytes([0x80 + len(value)]) + b"".join(msgpack(part) for pair in value.items() for part in pair)
    data = value.encode()
    return (bytes([0xA0 + len(data)]) if len(data) < 32 else b"\xd9" + bytes([len(data)])) + data


def cbor(value):
    """CBOR (RFC 8949), as far as maps of texts need it."""
    def head(major, count):
        return bytes([major << 5 | count]) if count < 24 else bytes([major << 5 | 24, count])
    if isinstance(value, dict):
        return head(5, len(value)) + b"".join(cbor(part) for pair in value.items() for part in pair)
    return head(3, len(value.encode())) + value.encode()


def protobuf(value):
    """A message whose fields are texts, numbered from 1."""
    return b"".join(bytes([number << 3 | 2, len(text.encode())]) + text.encode() for number, text in enumerate(value.values(), 1))


def bson(value):
    items = b"".join(b"\x02" + name.encode() + b"\0" + struct.pack("<i", len(text) + 1) + text.encode() + b"\0" for name, text in value.items())
    return struct.pack("<i", len(items) + 5) + items + b"\0"


def octets(value):
    """Names and values in an unknown order, between other bytes."""
    return b"\x00\x01\xfe\x80" + b"\x00\x9f".join(text.encode() for pair in value.items() for text in pair) + b"\xff\x00\x03"


BINARY = {
    "msgpack": (msgpack, ("application/msgpack", "application/x-msgpack", "application/vnd.msgpack")),
    "cbor": (cbor, ("application/cbor", "application/vnd.x+cbor")),
    "protobuf": (protobuf, ("application/protobuf", "application/x-protobuf", "application/vnd.google.protobuf")),
    "grpc": (lambda value: b"\0" + struct.pack(">I", len(protobuf(value))) + protobuf(value), ("application/grpc", "application/grpc+proto")),
    "bson": (bson, ("application/bson",)),
    "octets": (octets, ("application/octet-stream", "application/x-unknown", "")),
}


def binary(write, kinds):
    def make(case):
        data = write({"user": "ann", case.name(): case.secret_of(values.letters)[:50], "n": "\x80é"})
        return case.pick(answer, post)(case.pick(*kinds), data)
    return make


def binary_message(case):
    data = case.pick(msgpack, cbor, protobuf)({"user": "ann", case.name(): case.secret_of(values.letters), "n": "é"})
    return record("/ws", messages=[{"dir": "up", "at_ms": 1, "type": "binary", "base64": codings.b64(data)}])


# MARK: HAR

def har_form(case):
    """Names that are secret only in forms: only the type of the entry identifies it as a form."""
    first = f"{case.pick('pass', 'ticket', 'key', 'auth')}={notations.form(case, case.secret())}"
    return post("application/x-www-form-urlencoded", f"{first}&x=1&code={notations.form(case, case.secret())}")


def har_multipart(case):
    head = f'Content-Disposition: form-data; name="{case.pick("pass", "code", "key")}"'
    return post('multipart/form-data; boundary="b"', f"--b\r\n{head}\r\n\r\n{case.secret('token')}\r\n--b--\r\n")


def har_csv(case):
    return answer("text/csv", f"{case.name()},id\n{case.secret('token')},1\n")


def har_script(case):
    return answer("application/javascript", f"var a = {{}}; {case.pick('password', 'apiKey')} = {notations.script(case, case.secret('quoted'))};")


def har_html(case):
    return answer("text/html", f"text before <input type='password' value='{case.secret('token')}'>")


def har_events(case):
    return answer("text/event-stream", f"data: {json.dumps({case.name(): case.secret()})}\n\n")


def har_json(case):
    return post("application/json", json.dumps({"note": "a\n" + f"{case.name()}={case.secret('bare')}"}))


HAR = {"form": har_form, "multipart": har_multipart, "csv": har_csv, "script": har_script, "html": har_html, "events": har_events, "json": har_json}


def add(register):
    for name in STATELESS + STATEFUL:
        register.add(f"1.8/charset/{name}", charset(name))
    for name in UNKNOWN:
        register.add(f"1.8/charset/{name}", unknown_charset(name))
    for name, (write, kinds) in BINARY.items():
        register.add(f"1.8/binary/{name}", binary(write, kinds))
    register.add("1.8/binary/websocket", binary_message)
    for kind, make in HAR.items():
        register.add(f"1.9/har/{kind}", make, source="har")
