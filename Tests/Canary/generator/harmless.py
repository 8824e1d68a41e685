# SPDX-License-Identifier: MIT
"""Records without secrets: every planted value must be kept (points 1.1 and 1.11)."""

import json

from exchanges import answer, post, record
from generator import names, notations, places


def look_alike(case):
    return case.chance.choice(names.LOOK_ALIKE)


def in_json(case):
    return case.pick(answer, post)("application/json", json.dumps({"id": 1, look_alike(case): case.kept(), "a": {look_alike(case): [case.kept()]}}))


def in_query(case):
    return record(f"/q?a=1&{look_alike(case)}={case.kept()}")


def in_form(case):
    return post(places.FORM, f"{look_alike(case)}={case.kept()}&b=2")


def in_text(case):
    return answer("text/plain", f"start\n{look_alike(case)}={case.kept()}\n{look_alike(case)}: {case.kept()}\n")


def in_field(case):
    # In fields the last word decides, so a position in a list cannot be distinguished from a token.
    name = look_alike(case)
    while name.lower().endswith("token"):
        name = look_alike(case)
    name = name.replace("_", "-").title()
    return record(headers=[[f"X-{name}", case.kept()]])


def in_tag(case):
    return record(tags={look_alike(case): case.kept()})


def in_xml(case):
    name = look_alike(case)
    return answer("application/xml", f"<a><{name}>{case.kept()}</{name}></a>")


def in_csv(case):
    return answer("text/csv", f"id,{look_alike(case)},lang\n1,{case.kept()},en\n")


def in_multipart(case):
    return post('multipart/form-data; boundary="b"', f'--b\r\nContent-Disposition: form-data; name="{look_alike(case)}"\r\n\r\n{case.kept()}\r\n--b--\r\n')


def around(case):
    """Values next to a secret: only the secret must be masked."""
    return answer("application/json", json.dumps({"before": case.kept(), case.name(): case.secret(), "after": case.kept(), "list": [case.kept()]}))


def around_query(case):
    return record(f"/q?before={case.kept()}&{case.name()}={notations.url(case.secret())}&after={case.kept()}")


def around_lines(case):
    return answer("application/json", json.dumps({"m": f"user {case.kept()}\n{case.name()}={case.secret('bare')}\nnext={case.kept()}"}))


def prose(case):
    one = case.kept()
    return answer(*case.pick(
        ("text/plain", f"The password must hold {one} letters.\n"),
        ("application/json", json.dumps({"error": f"invalid token: no such user {one}"})),
        ("application/json", json.dumps({"message": f"Your password was changed by {one} today."})),
        ("application/json", json.dumps({"help": f"The token of the page {one} expires soon"})),
        ("text/plain", f"Press any key to {one} the secret door\n")))


def flag(case):
    """Booleans and null under names of secrets: the text of the member must be kept."""
    text = f'"{case.chance.choice(names.FLAGGED)}":{case.pick("true", "false", "null")}'
    case.harmless.append(text)
    return answer("application/json", '{"id":1,%s,"z":null}' % text)


def count(case):
    text = f'"{case.chance.choice(names.COUNTED)}":{case.chance.randrange(0, 1000)}'
    case.harmless.append(text)
    return answer("application/json", '{"usage":{%s},"z":null}' % text)


def schema(case):
    """Lists of names, and types of values, as in the description of an interface."""
    one = case.kept()
    return answer("application/json", json.dumps(case.pick(
        {"required": ["password", "email", one]},
        {"fields": ["id", "token", one]},
        {"enum": ["secret", "public", one]})))


def html_error(case):
    """An error page with the media type of JSON (point 1.11)."""
    one = case.kept()
    page = f"<html><body><h1>502 Bad Gateway</h1><p>{one}</p></body></html>"
    return answer("application/json", case.pick(page, f"Not found: {one}", f"upstream {one} timed out"))


def guarded_json(case):
    """JSON after a prefix against script inclusion, or after a comment."""
    one = case.kept()
    return answer("application/json", case.pick("for (;;);", "while(1);", ")]}',\n", "/* c */ ", "// c\n") + json.dumps({"id": 1, "note": one}))


def long_id(case):
    """19 digits in a query: not a card number without the context of a card."""
    one = "".join(case.chance.choice("123456789") for _ in range(19))
    case.harmless.append(one)
    return record(f"/q?{case.pick('id', 'tweet_id', 'since', 'status', 'cb')}={one}")


def script_code(case):
    """Code that names a secret, but contains none."""
    one = case.kept()
    return answer("application/javascript", case.pick(
        f"x.cookie='__utma='+{one};", f"function f(r,n){{user=r[3]||n;this.password=r[4];this.{one}=1}}",
        f"if(token==={one}){{return}}", f"var password=document.getElementById({one}).value;",
        f"this.token=function(){{return {one}}};", f"let secret = await {one}();"))


KINDS = {
    "json": in_json, "query": in_query, "form": in_form, "text": in_text, "field": in_field, "tag": in_tag, "xml": in_xml,
    "csv": in_csv, "multipart": in_multipart, "around-json": around, "around-query": around_query, "around-lines": around_lines,
    "flag": flag, "count": count, "schema": schema,
}
DOUBTFUL = {"html-error": html_error, "guarded-json": guarded_json, "long-id": long_id, "script-code": script_code, "prose": prose}


def add(register):
    for kind, make in KINDS.items():
        register.add(f"harmless/{kind}", make, is_harmless=True)
    for kind, make in DOUBTFUL.items():
        register.add(f"harmless/1.11/{kind}", make, is_harmless=True)
