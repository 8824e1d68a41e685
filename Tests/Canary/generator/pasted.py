# SPDX-License-Identifier: MIT
"""Snippets that people paste into texts and programs log, in every place for text (points 1.3, 1.5 and 1.7)."""

import json

from generator import names, places, values

WORDS = ("password", "api_key", "client_secret", "access_token", "db_password")


def name(case):
    return names.STYLES[case.pick("snake", "camel", "screaming")](case.pick(*WORDS).split("_"))


def token(case):
    """A value that cannot be a word of prose, because it contains a digit."""
    while True:
        one = case.pick(values.letters, values.letters, values.long)(case.chance, "token")
        if any(letter.isdigit() for letter in one.value):
            case.secrets.append(one)
            return one.value


def literal(case):
    quote = case.pick('"', "'")
    return quote + case.secret("token") + quote


def subscript(case):
    quote = case.pick('"', "'")
    return case.pick("config[{}] = {};", "os.environ[{}] = {}", "$config[{}] = {};").format(quote + name(case) + quote, literal(case))


def call(case):
    quote = case.pick('"', "'")
    return case.pick("localStorage.setItem({}, {});", "headers.set({}, {})", "props.setProperty({}, {});").format(quote + name(case) + quote, literal(case))


def rejected(case):
    return case.pick("Got {}: {} for user 5", "Auth failed: {}: {} is revoked", "the {}: {} was not found").format(name(case), token(case))


def bars(case):
    return f"user: ann | {name(case)}: {token(case)} | host: db"


def brackets(case):
    return f"[{name(case)}: {token(case)}] [host: db]"


def scheme_word(case):
    return case.pick("Bearer token {} is invalid", "Bearer Bearer {}", "Basic auth {} rejected").format(token(case))


def emphasis(case):
    mark = case.pick("**", "*", "`")
    return f"{case.pick('', '- ', 'see ')}{mark}{name(case)}{mark}: {token(case)}"


def option(case):
    return f"run --{case.pick('password', 'api-key', 'client-secret')} = {token(case)} --host db"


def equal(case):
    return f"{name(case)} == {token(case)}"


def cookies(case):
    return case.pick("Cookie=a={}; b={}", "{{Cookie=[a={}; b={}]}}").format(token(case), token(case))


def table(case):
    return f"user,{name(case)},lang\nann,{token(case)},en\nbob,{token(case)},de\n"


def container(case):
    return case.pick('{{\n "{}": [\n  "{}"\n ]\n}}', 'here:\n```json\n{{\n "{}": {{\n  "x": "{}"\n }}\n}}\n```').format(name(case), token(case))


def settings(case):
    return f"A=1\n{names.STYLES['screaming'](case.pick(*WORDS).split('_'))}=ab&{token(case)}\nB=2"


def document(case):
    query = "mutation M($p: String) { login(password: $p) { id } }"
    return json.dumps({"query": query, "variables": {"p": token(case)}})


LINES = {"subscript": subscript, "call": call, "rejected": rejected, "bars": bars, "brackets": brackets, "scheme-word": scheme_word,
         "emphasis": emphasis, "option": option, "equal": equal, "cookies": cookies}
TEXTS = {"table": table, "container": container, "settings": settings}
# GraphQL is recognized only if a text is nothing but a document.
DOCUMENTS = ("json-plain", "json-request", "text", "no-type", "form-value", "field", "tag", "websocket", "event")
# Places that put lines before a text: the first line of a table contains its names.
TITLED = ("base64-json", "log")


def add(register):
    for place, (make, takes_line) in places.TEXT.items():
        if place == "script":
            # Everything in this place is code.
            continue
        for kind, text in (LINES if takes_line else LINES | TEXTS).items():
            if kind == "table" and place in TITLED:
                continue
            register.add(f"1.7/pasted-{place}/{kind}", lambda case, make=make, text=text: make(case, text(case)))
    for place in DOCUMENTS:
        register.add(f"1.7/pasted-{place}/document", lambda case, make=places.TEXT[place][0]: make(case, document(case)))
