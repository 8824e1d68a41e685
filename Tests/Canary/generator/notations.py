# SPDX-License-Identifier: MIT
"""Text in different notations: escapes of JSON and of scripts, references, percent-encoding, base64."""

import html
import json
import urllib.parse

CONTROL = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f", "\b": "\\b"}


def escaped(letter):
    """As `\\u0041`; letters outside the first plane as two surrogates."""
    data = letter.encode("utf-16-be")
    return "".join(f"\\u{data[at]:02x}{data[at + 1]:02x}" for at in range(0, len(data), 2))


def plain(_, text):
    return json.dumps(text, ensure_ascii=False)


def every(_, text):
    """Every character escaped."""
    return '"' + "".join(escaped(letter) for letter in text) + '"'


def some(case, text):
    """Some letters escaped, in small or capital digits."""
    def one(letter):
        if case.chance.random() < 0.3:
            digits = escaped(letter)
            return digits.replace(digits[2:], digits[2:].upper()) if len(digits) == 6 and case.chance.random() < 0.5 else digits
        return json.dumps(letter, ensure_ascii=False)[1:-1]
    return '"' + "".join(one(letter) for letter in text) + '"'


def controls(_, text):
    """Control characters as `\\u000a`."""
    made = "".join(escaped(letter) if letter < " " else json.dumps(letter, ensure_ascii=False)[1:-1] for letter in text)
    return f'"{made}"'


def marks(_, text):
    """The separators of names and values are escaped: `=`, `:`, `&`, quotes, `/`, `<`."""
    def one(letter):
        return escaped(letter) if letter in "=:&\"'<>" else "\\/" if letter == "/" else json.dumps(letter, ensure_ascii=False)[1:-1]
    return '"' + "".join(one(letter) for letter in text) + '"'


def slashes(_, text):
    return json.dumps(text, ensure_ascii=False).replace("/", "\\/")


# JSON strings, by their label in classes.
JSON = {"plain": plain, "every": every, "some": some, "controls": controls, "marks": marks, "slashes": slashes}


def script(case, text):
    """A JavaScript string, with any quotes and any kind of escapes."""
    quote = case.pick('"', "'")

    def one(letter):
        if letter == quote or letter == "\\":
            return "\\" + letter
        if letter < " ":
            return case.pick(CONTROL.get(letter, f"\\x{ord(letter):02x}"), f"\\x{ord(letter):02x}", f"\\u{{{ord(letter):x}}}", escaped(letter))
        if letter == "<":
            return "\\x3c"
        return f"\\x{ord(letter):02x}" if letter < "\x7f" and case.chance.random() < 0.03 else letter
    return quote + "".join(one(letter) for letter in text) + quote


def percent(case, text):
    """Percent-encoded: what requires it, some more letters, or everything."""
    share = case.pick(0, 0, 0.2, 1)
    made = []
    for letter in text:
        if case.chance.random() < share or not (letter.isalnum() and letter.isascii() or letter in "-_.~"):
            made += [f"%{byte:02X}" if share < 1 else f"%{byte:02x}" for byte in letter.encode()]
        else:
            made.append(letter)
    return "".join(made)


def form(case, text):
    """Encoded for a form: blanks as `+`, or percent-encoded."""
    return percent(case, text).replace("%20", "+") if case.chance.random() < 0.5 else percent(case, text)


def references(case, text):
    """HTML with the required escapes, and with control characters and some letters as references."""
    def one(letter):
        if letter < " " or letter in "=:" and case.chance.random() < 0.5:
            return case.pick(f"&#{ord(letter)};", f"&#x{ord(letter):x};")
        return html.escape(letter)
    return "".join(one(letter) for letter in text)


def url(text):
    return urllib.parse.quote(text, safe="")
