# SPDX-License-Identifier: MIT
"""Exchanges with a secret in every place and every encoding: records of schema v1."""

import html
import json

import codings
from codings import b64, b64url, escaped, in_json, percent


def record(target="/", method="GET", headers=(), body=None, response=None, **more):
    """Returns a record with these parts; `response` is a map of `headers`, `body` and others."""
    answer = {"status": 200, "reason": "OK", "version": "HTTP/1.1", "headers": [["Content-Type", "text/plain"]]}
    answer.update(response or {})
    return {
        "v": 1, "source": "canary", "state": "completed", "started": "2026-11-20T14:03:00.000000Z",
        "timing": {"total_ms": 1.5}, "client": "127.0.0.1:5000", "server": "127.0.0.1:80",
        "request": {"method": method, "url": more.pop("url", "http://shop.test" + target), "target": target,
                    "version": "HTTP/1.1", "headers": [["Host", "shop.test"], *headers],
                    **({"body": body} if body else {}), **more.pop("request", {})},
        "response": answer, **more,
    }


def body_of(data, coding=None):
    """Returns a body of bytes or text, encoded or not, in the format of the schema."""
    data = data.encode() if isinstance(data, str) else data
    data = codings.ENCODERS[coding](data) if coding else data
    try:
        body = {"text": data.decode()}
    except UnicodeDecodeError:
        body = {"base64": b64(data)}
    return {**body, "size": len(data), **({"coding": coding} if coding else {})}


def typed(kind, data, coding=None):
    """Returns the fields and the body of a message with a media type."""
    fields = [["Content-Type", kind]] + ([["Content-Encoding", coding]] if coding else [])
    return {"headers": fields, "body": body_of(data, coding)}


def post(kind, data, coding=None, **more):
    parts = typed(kind, data, coding)
    return record("/post", "POST", parts["headers"], parts["body"], **more)


def answer(kind, data, coding=None, **more):
    return record("/answer", response=typed(kind, data, coding), **more)


# MARK: Rules by name

def by_header(plan):
    for number, name in enumerate(("X-Canary-Alpha", "x-canary-BETA", "X-Canary-Many-Odd!#$%&'*+.^_`|~", "X-CANARY-MANY-1")):
        rule = "headers " + ("x-canary-many-*" if "many" in name.lower() else name.lower())
        new = lambda where: plan.named(rule, where, "field")
        yield record(headers=[[name, new("request header")], ["A", "b"], [name.upper(), new("duplicate header")]])
        yield record(headers=[[name, f"{new('two values')}, {new('second of two values')}"]])
        yield record(headers=[[name, f'scheme k="{new("quoted parameter")}"']])
        yield record(headers=[[name, b64(new("base64 in a header"))]])
        yield record(response={"headers": [[name, new("response header")], ["B", "c"]]})
        yield record(request={"trailers": [[name, new("request trailer")]]},
                     response={"trailers": [[name, new("response trailer")]]})
        yield record(response={"interim": [{"status": 103, "headers": [[name, new("interim header")]]}]})
        yield record(headers=[[name, {"base64": b64(new("header that is no text").encode() + b"\xff\xfe")}]])


def by_cookie(plan):
    for name in ("canary_cookie_a", "canary_cookie_b"):
        new = lambda where: plan.named("cookies " + name, where, "token")
        yield record(headers=[["Cookie", f"x=1; {name}={new('cookie')}; y=2"]])
        yield record(headers=[["cookie", f"{name}={new('first of two fields')}"], ["Cookie", f"{name.upper()}={new('second of two fields')}"]])
        yield record(headers=[["Cookie", f'{name}="{new("quoted cookie")}"']])
        yield record(headers=[["Cookie", f"{name}={b64(new('base64 in a cookie'))}"]])
        yield record(headers=[["Cookie", f"{name}={percent(new('percent in a cookie'), every=True)}"]])
        yield record(headers=[["Cookie", f"{name}=s%3A{b64url(new('signed cookie'))}.{b64url(bytes(range(20)))}"]])
        yield record(response={"interim": [{"status": 103, "headers": [["Set-Cookie", f"{name}={new('interim set-cookie')}"]]}]})
        yield record(response={"headers": [["Set-Cookie", f"{name}={new('set-cookie')}; Path=/; HttpOnly"],
                                           ["set-cookie", f"{name}={new('second set-cookie')}; Max-Age=1"]]})


def by_query(plan):
    for name in ("canary_query_a", "canary_query_b"):
        new = lambda where: plan.named("query " + name, where)
        pair = lambda where: f"{name}={percent(new(where))}"
        yield record(f"/q?a=1&{pair('query')}&b=2&{pair('second of a name')}")
        yield record(f"/q?{name}={percent(new('every byte percent-encoded'), every=True)}")
        yield record(f"/q?{percent(name, every=True)}={percent(new('name percent-encoded'))}")
        yield record(f"/q?next={percent('http://x.test/?' + pair('URL in a parameter'))}")
        yield record(f"/q?next={percent(percent('http://x.test/?' + pair('twice encoded')))}")
        yield record(f"/q;{pair('path parameter')}?x=1")
        yield record(headers=[["Referer", f"http://x.test/?{pair('referer')}"]])
        yield record(headers=[["Referer", f"http://x.test/#{pair('fragment')}"]])
        yield record(response={"status": 302, "headers": [["Location", f"/next?{pair('location')}"], ["Content-Location", f"/c?{pair('content-location')}"]]})
        yield record(response={"headers": [["Refresh", f"5; url=http://x.test/?{pair('refresh')}"]]})
        yield record(response={"headers": [["Link", f"<http://x.test/?{pair('link')}>; rel=next"]]})
        yield record(response={"headers": [["X-Other", f"see http://x.test/?{pair('URL in any field')}"]]})
        yield answer("application/json", in_json({"u": f"http://x.test/?{pair('URL in JSON')}"}))
        yield record(original={"url": f"http://old.test/?{pair('original')}"})
        yield record("http://shop.test/abs?" + (one := pair("absolute target")), url="http://shop.test/abs?" + one)
        yield record(headers=[["Origin-Url", percent(f"http://x.test/?{pair('percent-encoded URL in a field')}")]])
        yield record(messages=[{"dir": "up", "at_ms": 1, "type": "text", "text": f"go to http://x.test/?{pair('URL in a message')}"}])
        yield record(tags={"seen": f"http://x.test/?{pair('URL in a tag')}"})
        yield record(state="failed", error={"code": "refused", "message": f"cannot reach http://x.test/?{pair('URL in an error')}"})


def by_form(plan):
    kind = "application/x-www-form-urlencoded"
    for name in ("canary_form_a", "canary_form_b"):
        new = lambda where: plan.named("form " + name, where)
        pair = lambda where: f"{name}={percent(new(where))}"
        yield post(kind, f"x=1&{pair('form')}&y=2")
        yield post(kind, f"{name}={percent(new('form, spaces as plus')).replace('%20', '+')}")
        yield post(kind, f"{name}={percent(new('form, every byte'), every=True)}")
        yield post(kind, f"user[{name}]={percent(new('nested form'))}")
        for coding in codings.ENCODERS:
            yield post(kind, f"x=1&{pair('form in ' + coding)}", coding)
        part = lambda value, more="": (f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n{more}\r\n{value}\r\n--b--\r\n')
        multipart = 'multipart/form-data; boundary="b"'
        yield post(multipart, part(new("multipart")))
        yield post(multipart, part(b64(new("multipart, base64")), "Content-Transfer-Encoding: base64\r\n"))
        yield post(multipart, part(new("multipart in gzip")), "gzip")
        yield post(multipart, part(new("multipart in br")), "br")
        yield post(kind, f"x=1&inner={percent(pair('form in a form'))}")
        yield record(messages=[{"dir": "up", "at_ms": 1, "type": "text", "text": pair("form in a message")}])
        yield record(tags={"query": pair("form in a tag")})
        yield answer(kind, pair("form in a response"))


def by_json(plan):
    for name in ("canary_json_a", "canary_json_b"):
        new = lambda where: plan.named("json " + name, where)
        made = lambda where: in_json({"id": 1, name: new(where), "z": None})
        kind = "application/json"
        yield post(kind, made("JSON"))
        yield answer(kind, in_json([[{"a": {"b": [{name: new("deep in JSON")}]}}]]))
        yield answer(kind, in_json({name: {"x": [new("under the name")], "y": new("under the name too")}}))
        yield post(kind, '{"%s":"%s"}' % (escaped(name), escaped(new("escaped name and value"))))
        yield post(kind, '{"%s":"%s","%s":"%s"}' % (name, escaped(new("duplicate name")), name, escaped(new("duplicate name, second"))))
        yield post(kind, in_json({"inner": made("JSON in JSON")}))
        yield post(kind, in_json({"inner": in_json({"inner": made("JSON in JSON in JSON")})}))
        yield post("application/x-ndjson", made("NDJSON") + "\n" + made("NDJSON, second line"))
        yield post(kind, in_json({"inner": b64(made("JSON in base64"))}))
        yield post("application/vnd.api+json; charset=utf-8", made("other media type"))
        yield record(headers=[["X-State", b64url(made("base64url in a header"))]])
        yield record(headers=[["X-State", percent(made("percent-encoded JSON in a header"))]])
        yield record(f"/s?state={percent(made('JSON in a query'))}")
        yield record(f"/s?state={b64url(made('base64 JSON in a query'))}")
        for coding in codings.ENCODERS:
            yield answer(kind, made("JSON in " + coding), coding)
        yield answer("application/json; charset=utf-16", made("UTF-16").encode("utf-16"))
        yield answer(kind, in_json({"fields": [{"name": name, "value": new("pair of name and value")}]}))
        yield answer(kind, in_json([{"value": new("pair, value first"), "key": name}]))
        yield answer("application/xml", f"<a><{name}>{html.escape(new('XML element'))}</{name}></a>")
        yield answer("text/html", f'<form><input name="{name}" value="{html.escape(new("HTML input"))}"></form>')
        yield answer("text/csv", f"id,{name},x\n1,{plan.named('json ' + name, 'CSV', 'token')},2\n")
        yield answer("application/javascript", f'var a = {{ {name}: "{plan.named("json " + name, "script", "token")}" }};')
        yield answer("text/plain", f"log: {name}={plan.named('json ' + name, 'text', 'token')}\n")
        yield post("", made("JSON of no type"))
        yield post(kind, made("cut JSON")[:-1])
        yield from messages_of(name, new, made)
    yield post("application/json", in_json({"canary": {"deep": [{"path": plan.named("json $.canary.deep[*].path", "path rule")}] * 2}}))


def messages_of(name, new, made):
    """WebSocket messages, server-sent events, tags, errors."""
    yield record(messages=[
        {"dir": "up", "at_ms": 1, "type": "text", "text": made("WebSocket text")},
        {"dir": "down", "at_ms": 2, "type": "binary", "base64": b64(made("WebSocket bytes").encode() + b"\0")},
        {"dir": "down", "at_ms": 2, "type": "text", "text": "42" + in_json(["event", json.loads(made("Socket.IO"))])},
        {"dir": "down", "at_ms": 3, "type": "event", "text": made("event")},
    ])
    yield answer("text/event-stream", f"event: x\ndata: {made('server-sent event')}\n\ndata: {made('second event')}\n\n")
    yield record(tags={name: new("tag of that name"), "note": made("JSON in a tag")})
    yield record(state="failed", error={"code": "reset", "message": f"reset: {made('error message')}"})


# MARK: Detectors

def by_form_of_value(plan):
    new = plan.formed
    for _ in range(6):
        yield record(f"/p/{percent(new('path'))}/x?q={percent(new('query'))}#")
        yield record("/m", method=new("method", "github_token"))
        yield record(f"/p;v={percent(new('path parameter'))}/{b64url('x ' + new('base64 in a path') + ' y')}")
        yield record(f"/p?q={percent(new('every byte'), every=True)}&r={b64url('k=' + new('base64 in a query'))}")
        yield record(headers=[["X-Note", new("header")], ["X-Two", f"a {new('in a sentence')}, b"]])
        yield record(headers=[["X-Note", b64(f"user:{new('base64 in a header')}:x")]])
        yield record(headers=[["Referer", f"http://x.test/{percent(new('referer'))}#f={percent(new('fragment'))}"]])
        yield record(headers=[["Cookie", f"theme={percent(new('cookie'))}"]])
        yield record(headers=[[new("name of a header", "github_token"), "1"]])
        yield record(response={"status": 302, "headers": [["Location", f"http://x.test/{percent(new('location'))}"], ["Set-Cookie", f"theme={percent(new('set-cookie'))}; Path=/"]]})
        yield record(request={"trailers": [["X-T", new("request trailer")]]}, response={"trailers": [["X-T", new("response trailer")]]})
        yield record(response={"reason": f"No {new('reason')}", "interim": [{"status": 103, "headers": [["X-I", new("interim")]]}]})
        yield record(original={"url": f"http://old.test/{percent(new('original'))}"})
        yield record(tags={"note": new("tag"), new("name of a tag"): "1"})
        yield record(state="failed", error={"code": "reset", "message": f"cannot reach {new('error message')}"})
    for kind in ("text/plain", "text/html", "application/xml", "application/javascript", "text/csv", "application/json", ""):
        for coding in (None, *codings.ENCODERS):
            yield answer(kind, body_for(kind, new(f"{kind or 'no type'} in {coding or 'plain'}")), coding)
    yield from coded_values(new)


def body_for(kind, value):
    if kind == "application/json":
        return in_json({"note": value})
    if kind in ("text/html", "application/xml"):
        return f"<p title='a'>see {value}</p>\n"
    return f"first line\nsee {value} there\n"


def coded_values(new):
    """Values for detectors in encodings of bodies, messages and forms."""
    for _ in range(5):
        yield answer("application/json", in_json({new("name in JSON"): 1, "list": [new("list in JSON")]}))
        yield answer("application/json", '{"note":"%s"}' % escaped(new("escaped JSON")))
        yield answer("application/json", in_json({"inner": in_json({"note": new("JSON in JSON")})}))
        yield answer("application/json", in_json({"data": b64("the value is " + new("base64 in JSON"))}))
        yield answer("text/plain; charset=utf-16", f"say {new('UTF-16')}".encode("utf-16"))
        yield answer("text/plain", f"say {new('hex')} now".encode().hex())
        yield answer("text/plain", f"t={codings.jwt({'note': new('claim of a JWT', 'npm_token')})}")
        yield post("application/x-www-form-urlencoded", f"x={percent(new('form'))}&y={percent(new('form, every byte'), every=True)}")
        part = '--b\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
        yield post("multipart/form-data; boundary=b", part % ("note", "", new("multipart")) + "--b--\r\n")
        yield post("multipart/form-data; boundary=b", part % ("f", '; filename="a.txt"\r\nContent-Type: text/plain', new("file part")) + "--b--\r\n")
        yield record(messages=[
            {"dir": "up", "at_ms": 1, "type": "text", "text": f"see {new('WebSocket text')}"},
            {"dir": "up", "at_ms": 1, "type": "binary", "base64": b64(f"see {new('WebSocket bytes')} ".encode() + b"\0\xff")},
            {"dir": "down", "at_ms": 1, "type": "event", "text": in_json({"m": new("event")})},
        ])
        yield answer("text/event-stream", f"data: {new('server-sent event')}\ndata: and {new('second line')}\n\n")


def everything(plan):
    """Returns all exchanges, with ids that sort."""
    records = []
    for make in (by_header, by_cookie, by_query, by_form, by_json, by_form_of_value):
        records += make(plan)
    for number, one in enumerate(records):
        one["id"] = f"019a0000-0000-7000-8000-{number:012x}"
    return records
