# SPDX-License-Identifier: MIT
"""What only `preset: strict` promises: everything that is not known to be harmless is masked (point 1.10)."""

import html
import json

import codings
from exchanges import answer, post, record
from generator import notations, places, values


def value(case):
    return case.secret()


def text(case):
    return f"{case.pick('see', 'hello', 'for')} {case.secret('bare')} {case.pick('again', 'now')}"


def json_string(case):
    return answer("application/json", json.dumps({"id": 1, case.pick("city", "x", "firstName", "comment"): value(case)}))


def json_key(case):
    """Keys that are not identifiers: the object is a map."""
    return answer("application/json", json.dumps({"users": {f"{case.secret('bare')} x": 1, f"{case.secret_of(values.digits)}": {"a": value(case)}}}))


def json_number(case):
    return answer("application/json", f'{{"amount":{case.secret_of(values.digits)}}}')


def json_array(case):
    return answer("application/json", json.dumps({"list": [value(case), [value(case)]]}))


def path(case):
    return record(f"/users/{notations.url(case.secret())}/orders")


def query(case):
    return record(f"/q?city={notations.url(value(case))}&n={case.secret_of(values.digits)}")


def query_bare(case):
    return record(f"/q?{notations.url(case.secret('token'))}")


def form(case):
    return post(places.FORM, f"city={notations.form(case, value(case))}")


def field(case):
    return case.pick(
        lambda: record(headers=[[case.pick("X-User", "User-Agent", "X-Trace", "ETag", "If-None-Match"), text(case)]]),
        lambda: record(response={"headers": [["X-Node", text(case)], ["Location", f"/a/{case.secret('token')}"]]}),
        lambda: record(response={"trailers": [["X-Node", text(case)]]}),
        lambda: record(response={"interim": [{"status": 103, "headers": [["X-Node", text(case)]]}]}))()


def field_name(case):
    return record(headers=[[f"X-{case.secret('token')}".replace("~", "-"), "1"]])


def cookie_name(case):
    return record(headers=[["Cookie", f"{case.secret_of(values.letters)}=1; b=2"]])


def multipart(case):
    head = f'Content-Disposition: form-data; name="city"; filename="{case.secret("token")}"'
    return post('multipart/form-data; boundary="b"', f"--b\r\n{head}\r\n\r\n{value(case)}\r\n--b--\r\n")


def markup(case):
    return answer("text/html", f"<p title='{html.escape(case.secret('token'))}'>{html.escape(value(case))}</p><!-- {case.secret('token')} -->")


def xml(case):
    return answer("application/xml", f"<a city='{html.escape(case.secret('token'))}'><b>{html.escape(value(case))}</b><![CDATA[{case.secret('token')}]]></a>")


def csv(case):
    return answer("text/csv", f"id,city\n1,{case.secret('token')}\n")


def image(case):
    return answer("image/png", b"\x89PNG\r\n\x1a\n" + case.secret_of(values.letters).encode() + b"\0\xff")


def octets(case):
    return answer("application/octet-stream", b"\x00\xff" + case.secret_of(values.letters).encode() + b"\0\xff")


def client(case):
    return record(client=f"192.0.2.1:{case.chance.randrange(1024, 65535)}", tags={"a": value(case)})


def method(case):
    return record(method=case.secret_of(values.letters).upper())


def reason(case):
    return record(response={"reason": text(case)})


def error(case):
    return record(state="failed", error={"code": "reset", "message": text(case)})


def messages(case):
    return case.pick(
        lambda: places.ws(text(case)), lambda: places.ws(json.dumps({"m": value(case)})), lambda: places.ws(text(case), "close", code=1000),
        lambda: record("/ws", messages=[{"dir": "up", "at_ms": 1, "type": "binary", "base64": codings.b64(b"\0\xff" + case.secret_of(values.letters).encode())}]),
        lambda: places.sse(text(case)))()


def event_name(case):
    return answer("text/event-stream", f"event: {case.secret('token')}\nid: {case.secret('token')}\n: {case.secret('token')}\ndata: x\n\n")


def script(case):
    return answer("application/javascript", f"var a = '{case.secret('token')}'; // {case.secret('token')}\n")


def coded(case):
    return answer("application/json", json.dumps({"x": value(case)}), case.pick(*codings.ENCODERS))


def tag(case):
    return record(tags={"note": text(case), case.secret("token"): "1"})


def original(case):
    return record(original={"url": f"http://old.test/{case.secret('token')}?x={case.secret('token')}"})


def names_of(case):
    return record(tls={"version": "TLSv1.3", "sni": "shop.test"}, headers=[["X-Forwarded-For", f"{case.secret('token')}"]])


KINDS = {
    "json-string": json_string, "json-key": json_key, "json-number": json_number, "json-array": json_array, "path": path, "query": query,
    "query-bare": query_bare, "form": form, "field": field, "field-name": field_name, "cookie-name": cookie_name, "multipart": multipart,
    "markup": markup, "xml": xml, "csv": csv, "image": image, "octets": octets, "tag": tag, "method": method, "reason": reason,
    "error": error, "messages": messages, "event-name": event_name, "script": script, "coded": coded, "original": original,
    "forwarded": names_of, "text": lambda case: answer("text/plain", text(case)),
}


def add(register):
    for kind, make in KINDS.items():
        register.add(f"1.10/{kind}", make, is_strict=True)
