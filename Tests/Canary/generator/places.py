# SPDX-License-Identifier: MIT
"""Places in a record for text, and places with their own names and values."""

import html
import json

import codings
from exchanges import answer, post, record
from generator import notations, values

FORM = "application/x-www-form-urlencoded"
HARMLESS = ("message", "note", "m", "raw", "output", "description", "cmd", "detail")


def member(case, string):
    """A JSON text with an already encoded string under a harmless name."""
    name = case.pick(*HARMLESS)
    return case.pick(f'{{"{name}":{string}}}', f'{{"id":7,"{name}": {string},"done":true}}', f'[{{"a":{{"{name}":{string}}}}}]', f'["x",{string}]')


def ws(text, kind="text", **more):
    return record("/ws", response={"status": 101, "reason": "Switching Protocols", "headers": [["Upgrade", "websocket"]]},
                  messages=[{"dir": "up", "at_ms": 1, "type": "text", "text": "hello"}, {"dir": "down", "at_ms": 2, "type": kind, "text": text, **more}])


def sse(*blocks):
    return answer("text/event-stream", "event: x\n" + "".join(f"data: {block}\n\n" for block in blocks))


def one_line(text):
    """Whether fields, reasons and lines of events can contain it."""
    return all(" " <= letter < "\x7f" for letter in text)


# MARK: Text

def in_json(encoding):
    return lambda case, text: answer("application/json", member(case, notations.JSON[encoding](case, text)))


def in_request_json(case, text):
    return post("application/json", member(case, notations.some(case, text)))


def nested_json(case, text):
    """JSON in a JSON string, nested once or twice."""
    inner = member(case, notations.JSON[case.pick("plain", "marks", "controls")](case, text))
    for _ in range(case.pick(1, 1, 2)):
        inner = member(case, notations.JSON[case.pick("plain", "some", "marks")](case, inner))
    return answer("application/json", inner)


def in_script(case, text):
    string = notations.script(case, text)
    code = case.pick("var note = {};\n", "log({});", "window.__STATE__ = {{ note: {}, n: 1 }};", "console.log('x', {});").format(string)
    if case.chance.random() < 0.3:
        return answer("text/html", f"<html><script>{code}</script></html>")
    return answer(case.pick("application/javascript", "text/javascript"), code)


def in_form(case, text):
    return post(FORM, f"a=1&note={notations.form(case, text)}&b=2")


def in_part(case, text):
    return post('multipart/form-data; boundary="b"', f'--b\r\nContent-Disposition: form-data; name="note"\r\n\r\n{text}\r\n--b--\r\n')


def in_log(case, text):
    head = case.pick("2026-11-20 14:03:00 INFO ", "time=14:03 level=info ", "[worker-1] ", "")
    return answer("text/plain", f"{head}start\n{head}{text}\n{head}end\n")


def in_markup(case, text):
    escaped = html.escape(text)
    # A comment must not contain two adjacent hyphens (XML 1.0 §2.5).
    comment = f"<p>a</p><!-- {text} --><p>b</p>" if "--" not in text else f"<p>a</p><p>{escaped}</p>"
    return answer(*case.pick(
        ("text/html", comment),
        ("application/xml", f"<?xml version='1.0'?><log><line><![CDATA[{text}]]></line></log>"),
        ("application/xml", f"<log><line>{escaped}</line></log>"),
        ("text/html", f"<pre>{escaped}</pre>")))


def in_event(case, text):
    return sse(case.pick(text, member(case, notations.plain(case, text))))


def coded(case, text):
    kind = case.pick("text/plain", "application/json")
    data = text if kind == "text/plain" else member(case, notations.plain(case, text))
    return answer(kind, data, case.pick(*codings.ENCODERS))


def in_json_field(case, text):
    """JSON in a field, with ASCII bytes only."""
    string = notations.some(case, text) if one_line(text) else notations.every(case, text)
    return record(headers=[["X-Debug", member(case, string)]])


def logged(text):
    """A record whose field a script logs."""
    return record(headers=[["X-Log", text]])


def closing(case, text):
    return ws(text, "close", code=1000)


# Each place: a function that puts a text there, and whether it accepts only one line of ASCII.
TEXT = {
    **{f"json-{encoding}": (in_json(encoding), False) for encoding in notations.JSON},
    "json-request": (in_request_json, False),
    "json-in-json": (nested_json, False),
    "ndjson": (lambda case, text: answer("application/x-ndjson", '{"a":1}\n' + json.dumps({"note": text}) + "\n"), False),
    "text": (lambda case, text: answer("text/plain", text), False),
    "log": (in_log, False),
    "no-type": (lambda case, text: answer("", text), False),
    "script": (in_script, False),
    "markup": (in_markup, True),
    "form-value": (in_form, False),
    "multipart": (in_part, False),
    "query-value": (lambda case, text: record(f"/q?a=1&note={notations.form(case, text)}&b=2"), False),
    "base64-json": (lambda case, text: answer("application/json", json.dumps({"data": codings.b64("the text is: " + text)})), False),
    "base64-field": (lambda case, text: record(headers=[["X-State", codings.b64url(json.dumps({"note": text}))]]), False),
    "percent-field": (lambda case, text: record(headers=[["X-State", notations.percent(case, text)]]), False),
    "field": (lambda case, text: record(headers=[["X-Debug", text]]), True),
    "json-field": (in_json_field, False),
    "response-field": (lambda case, text: record(response={"headers": [["X-Debug", text], ["A", "b"]]}), True),
    "trailer": (lambda case, text: record(response={"trailers": [["X-Debug", text]]}), True),
    "interim": (lambda case, text: record(response={"interim": [{"status": 103, "headers": [["X-Debug", text]]}]}), True),
    "reason": (lambda case, text: record(response={"status": 500, "reason": text}), True),
    "error": (lambda case, text: record(state="failed", error={"code": "reset", "message": text}), False),
    "tag": (lambda case, text: record(tags={"note": text}), False),
    "json-tag": (lambda case, text: record(tags={"note": member(case, notations.some(case, text))}), False),
    "websocket": (lambda case, text: ws(text), False),
    "websocket-json": (lambda case, text: ws(member(case, notations.some(case, text))), False),
    "websocket-binary": (lambda case, text: record("/ws", messages=[{"dir": "up", "at_ms": 1, "type": "binary", "base64": codings.b64(text)}]), False),
    "websocket-close": (closing, True),
    "event": (lambda case, text: record("/e", messages=[{"dir": "down", "at_ms": 1, "type": "event", "text": text}]), False),
    "event-stream": (in_event, True),
    "event-json": (lambda case, text: sse(member(case, notations.some(case, text))), False),
    "coded": (coded, False),
}

# MARK: Names and values

def json_value(case):
    return notations.JSON[case.pick("plain", "plain", "some")](case, case.secret())


def json_name(case, name):
    return notations.JSON[case.pick("plain", "plain", "plain", "some")](case, name)


def json_member(case, name):
    made = f"{json_name(case, name)}:{json_value(case)}"
    return case.pick(answer, post)("application/json", case.pick("{%s}", '{"id":1,%s,"z":null}', '[[{"a":{"b":[{%s}]}}]]', '{ "a" : 1,\n  %s }') % made)


def json_below(case, name):
    """An object or an array under the name."""
    value = case.pick("[%s,%s]", '{"x":%s,"y":[%s]}', '[{"v":%s},{"v":%s}]') % (json_value(case), json_value(case))
    return answer("application/json", f'{{"id":1,{json_name(case, name)}:{value}}}')


def json_pair(case, name):
    label, value = case.pick(("name", "value"), ("key", "value"), ("key", "val"), ("field", "value"), ("parameter", "value"), ("header", "value"))
    pair = [f'"{label}":{json_name(case, name)}', f'"{value}":{json_value(case)}']
    case.chance.shuffle(pair)
    return answer("application/json", f'{{"items":[{{{",".join(pair)}}},{{"{label}":"lang","{value}":"en"}}]}}')


def json_tuple(case, name):
    return answer("application/json", f'{{"headers":[["lang","en"],[{json_name(case, name)},{json_value(case)}]]}}')


def json_number(case, name):
    return answer("application/json", f'{{"id":1,{json_name(case, name)}:{case.secret_of(values.digits)}}}')


def graphql(case, name):
    variables = {"i": {"user": "ann", name: case.secret()}}
    return post("application/json", json.dumps({"query": "mutation($i: In!) { login(input: $i) { id } }", "variables": variables}))


def query(case, name):
    pair = f"{notations.percent(case, name)}={notations.form(case, case.secret())}"
    return record(case.pick(f"/q?a=1&{pair}&b=2", f"/q?{pair}", f"/q;{pair}?x=1", f"/q?next={notations.url('http://x.test/?' + pair)}"))


def linked(case, name):
    """In a URL in a field or in JSON."""
    pair = f"{notations.url(name)}={notations.url(case.secret())}"
    return case.pick(
        lambda: record(response={"status": 302, "headers": [["Location", f"/next?{pair}"]]}),
        lambda: record(response={"status": 302, "headers": [["Location", f"/next#{pair}"]]}),
        lambda: record(headers=[["Referer", f"http://x.test/?a=1&{pair}"]]),
        lambda: answer("application/json", json.dumps({"next": f"https://x.test/a?{pair}"})),
        lambda: record(original={"url": f"http://old.test/?{pair}"}))()


def form(case, name):
    pair = f"{notations.percent(case, name)}={notations.form(case, case.secret())}"
    return post(FORM, case.pick(f"x=1&{pair}&y=2", pair))


def part(case, name):
    quoted = name.replace('"', "%22")
    head = case.pick(f'Content-Disposition: form-data; name="{quoted}"', f"content-disposition: form-data; name*=utf-8''{notations.url(name)}")
    return post('multipart/form-data; boundary="b"', f"--b\r\n{head}\r\n\r\n{case.secret()}\r\n--b--\r\n")


def field(case, name):
    value = case.secret("quoted").strip()
    return case.pick(
        lambda: record(headers=[[name, value], ["A", "b"]]),
        lambda: record(response={"headers": [[name, value], ["A", "b"]]}),
        lambda: record(request={"trailers": [[name, value]]}),
        lambda: record(response={"interim": [{"status": 103, "headers": [[name, value]]}]}))()


def cookie(case, name):
    value = case.secret("token")
    return case.pick(
        lambda: record(headers=[["Cookie", f"theme=dark; {name}={value}"]]),
        lambda: record(response={"headers": [["Set-Cookie", f"{name}={value}; Path=/; HttpOnly"]]}))()


def tag(case, name):
    return record(tags={name: case.secret(), "a": "b"})


def xml_element(case, name):
    return answer("application/xml", f"<?xml version='1.0'?>\n<a><id>1</id><{name}>{html.escape(case.secret())}</{name}></a>")


def xml_attribute(case, name):
    return answer("application/xml", f"<a><user id='1' {name}=\"{html.escape(case.secret())}\"/></a>")


def html_input(case, name):
    parts = [f'name="{html.escape(name)}"', f'value="{html.escape(case.secret())}"', 'type="text"']
    case.chance.shuffle(parts)
    return answer("text/html", f"<form><input {' '.join(parts)}><input name='lang' value='en'></form>")


def csv_column(case, name):
    value = '"' + case.secret("quoted").replace('"', '""') + '"'
    return answer("text/csv", f"id,{name},lang\r\n1,{value},en\r\n2,{case.secret('token')},de\r\n")


def yaml(case, name):
    value = case.pick(lambda: case.secret("token"), lambda: json.dumps(case.secret()))()
    line = f"{name}: {value}\n"
    return answer(case.pick("application/yaml", "text/plain"),
                  case.pick(f"user: ann\n{line}lang: en\n", f"auth:\n  user: ann\n  {line}", f"- user: ann\n  {line}"))


def script_variable(case, name):
    value = notations.script(case, case.secret("quoted"))
    template = case.pick("var {} = {};\n", "const a = {{ {}: {} }};\n", "window.{} = {};", "f({{id: 1, {}: {}}});")
    return answer("application/javascript", template.format(name, value))


def properties(case, name):
    return answer("text/plain", case.pick("[default]\nregion = eu\n{} = {}\n", "region=eu\n{}={}\n").format(name, case.secret("bare")))


def websocket_member(case, name):
    return ws(case.pick("{%s}", '42["login",{%s}]', '{"type":"auth","payload":{%s}}') % f"{json_name(case, name)}:{json_value(case)}")


def event_member(case, name):
    return sse(f"{{{json_name(case, name)}:{json_value(case)}}}")


ANY_NAME = {"json": json_member, "json-below": json_below, "json-pair": json_pair, "json-tuple": json_tuple, "query": query,
            "url": linked, "form": form, "multipart": part, "tag": tag, "html-input": html_input, "csv": csv_column,
            "websocket": websocket_member, "event-stream": event_member, "graphql": graphql, "json-number": json_number}
WORD_NAME = {"cookie": cookie, "xml-element": xml_element, "xml-attribute": xml_attribute, "yaml": yaml, "properties": properties}
FIELD_NAME = {"field": field}
IDENTIFIER = {"script": script_variable}
