# SPDX-License-Identifier: MIT
"""Texts with a name and its secret: separators, and the text before and after them."""

import json


def quoted(case):
    quote = case.pick('"', "'")
    return quote + case.secret("quoted") + quote


def equals(case, name):
    return f"{name}={case.secret('bare')}"


def equals_quoted(case, name):
    return f"{name}={quoted(case)}"


def spaced_equals(case, name):
    return f"{name} = {case.secret('bare')}"


def spaced_equals_quoted(case, name):
    return f"{name} = {quoted(case)}"


def colon(case, name):
    return f"{name}: {case.secret('token')}"


def tight_colon(case, name):
    return f"{name}:{case.secret('token')}"


def colon_quoted(case, name):
    quote = case.pick('"', "'")
    return f"{quote}{name}{quote}{case.pick(':', ': ', ' : ')}{quoted(case)}"


def walrus(case, name):
    return f"{name}{case.pick(':=', ' := ')}{case.pick(case.secret, lambda _: quoted(case))('bare')}"


def arrow(case, name):
    quote = case.pick('"', "'", "")
    return f"{quote}{name}{quote}{case.pick('=>', ' => ')}{quoted(case)}"


def option(case, name):
    return f"--{name.replace('_', '-')}{case.pick('=', ' ')}{case.secret('token')}"


def exported(case, name):
    return f"export {name.replace('-', '_').replace('.', '_')}={case.secret('bare')}"


# By their label in classes. All except the last can be used anywhere.
STYLES = {
    "equals": equals, "equals-quoted": equals_quoted, "spaced-equals": spaced_equals,
    "spaced-equals-quoted": spaced_equals_quoted, "colon": colon, "tight-colon": tight_colon,
    "colon-quoted": colon_quoted, "walrus": walrus, "arrow": arrow, "option": option, "export": exported,
}
BEFORE = ("", "", "connect ", "user=ann ", "a=1, ", "x; ", "[info] ", "retry (2) ", "{", "(")
BEHIND = ("", "", ", next=2", "; next=2", " next=2")
# Control characters that separate a name from what precedes it.
CONTROLS = ("\n", "\t", "\r\n", "\r", "\f", "\b", "\n\n", "\n\t", "\\\n")


def line(case, style, name):
    """One line: text before the name and after the value."""
    before = case.pick(*BEFORE)
    text = before + STYLES[style](case, name)
    if before in ("{", "("):
        return text + {"{": "}", "(": ")"}[before]
    if style in ("colon", "tight-colon"):
        # Without quotes, only the end of a line or a comma ends a value after a colon in prose.
        return text + case.pick("", ", next 2")
    return text + case.pick(*BEHIND)


def lines(case, control, name=None):
    """Two secrets, a control character before each name and after the first value."""
    style = lambda: case.pick("equals", "equals", "colon", "colon-quoted", "equals-quoted", "spaced-equals", "export")
    first = STYLES[style()](case, name or case.name())
    second = STYLES[style()](case, case.name())
    return f"{case.pick('a', 'ok', '[info] x', 'x=1')}{control}{first}{control}{second}{case.pick('', control + 'done')}"


def message(case):
    """An HTTP message as a trace shows it."""
    end = case.pick("\r\n", "\n")
    fields = [
        lambda: f"Cookie: sess={case.secret('token')}; theme=dark",
        lambda: f"Authorization: Bearer {case.secret('token')}",
        lambda: f"X-API-Key: {case.secret('token')}",
        lambda: f"Proxy-Authorization: Basic {case.secret('token')}",
        lambda: f"Set-Cookie: sid={case.secret('token')}; Path=/; HttpOnly",
        lambda: f"X-Auth-Token: {case.secret('token')}",
    ]
    chosen = case.chance.sample(fields, 2)
    start = case.pick("GET / HTTP/1.1", "POST /login?x=1 HTTP/1.1", "HTTP/1.1 200 OK")
    return end.join([start, "Host: shop.test", chosen[0](), "Accept: */*", chosen[1](), "", ""])


def environment(case):
    """Variables as in a crash report."""
    end = case.pick("\n", "\r\n", "\n  ")
    return end.join(["HOME=/root", f"DB_PASSWORD={case.secret('bare')}", "LANG=C", f"API_KEY={case.secret('bare')}", "TERM=x"])


def pretty_json(case):
    """JSON with line ends, as text within a string."""
    return json.dumps({"user": "ann", case.name(): case.secret(), "n": {case.name(): case.secret()}}, indent=case.pick(2, 4, "\t"))


# Texts of several lines, for the classes about escapes.
SEVERAL = {"lines": lambda case: lines(case, case.pick(*CONTROLS)), "message": message, "environment": environment,
           "pretty-json": pretty_json}
