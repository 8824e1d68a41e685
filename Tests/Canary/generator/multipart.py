# SPDX-License-Identifier: MIT
"""Headers of multipart parts in every notation of MIME (point 1.6)."""

import codings
from exchanges import post
from generator import notations


def body(*parts, before="", after=""):
    return post('multipart/form-data; boundary="b0"', before + "".join(f"--b0\r\n{head}\r\n\r\n{content}\r\n" for head, content in parts) + "--b0--\r\n" + after)


def plain(case, head, note=""):
    """A part between harmless ones."""
    return body(('Content-Disposition: form-data; name="lang"', "en"), (head, note or case.secret()), ('Content-Disposition: form-data; name="n"', "2"))


def folded(case):
    blank = case.pick(" ", "\t", "   ")
    return plain(case, f'Content-Disposition: form-data;\r\n{blank}name="{case.name()}"')


def folded_name(case):
    return plain(case, f'Content-Disposition:\r\n {case.pick("form-data", "form-data ")};\r\n\tname={case.name()}')


def blank_colon(case):
    return plain(case, f'Content-Disposition{case.pick(" ", "  ", chr(9))}: form-data; name="{case.name()}"')


def around_equals(case):
    return plain(case, f'Content-Disposition: form-data; name{case.pick(" = ", "= ", " =")}"{case.name()}"')


def continued(case):
    name = case.name()
    cut = case.chance.randrange(1, len(name))
    parts = [f'name*0="{name[:cut]}"', f'name*1="{name[cut:]}"']
    if case.chance.random() < 0.3:
        parts.reverse()
    return plain(case, "Content-Disposition: form-data; " + "; ".join(parts))


def continued_encoded(case):
    name = case.name()
    cut = case.chance.randrange(1, len(name))
    return plain(case, f"Content-Disposition: form-data; name*0*=utf-8''{notations.percent(case, name[:cut])}; name*1*={notations.percent(case, name[cut:])}")


def extended(case):
    return plain(case, f"Content-Disposition: form-data; name*=UTF-8'{case.pick('', 'en')}'{notations.percent(case, case.name())}")


def percent_name(case):
    name = "".join(f"%{ord(letter):02X}" if case.chance.random() < 0.5 else letter for letter in case.name())
    return plain(case, f'Content-Disposition: form-data; name="{name}"')


def repeated(case):
    names = [f'name="{case.name()}"', 'name="lang"']
    case.chance.shuffle(names)
    return plain(case, f'Content-Disposition: form-data; {"; ".join(names)}')


def both_names(case):
    return plain(case, f"Content-Disposition: form-data; name=\"lang\"; name*=utf-8''{case.name()}")


def repeated_field(case):
    heads = ['Content-Disposition: form-data; name="lang"', f'Content-Disposition: form-data; name="{case.name()}"']
    case.chance.shuffle(heads)
    return plain(case, "\r\n".join(heads))


def unquoted(case):
    return plain(case, f"content-disposition:form-data;name={case.name()}")


def escaped_quotes(case):
    return plain(case, f'Content-Disposition: form-data; filename="a\\"b; name=x"; name="{case.name()}"')


def backslashes(case):
    name = "".join(case.pick(letter, letter, "\\" + letter) for letter in case.name())
    return plain(case, f'Content-Disposition: form-data; name="{name}"')


def encoded_word(case):
    return plain(case, f'Content-Disposition: form-data; name="=?utf-8?B?{codings.b64(case.name())}?="')


def bare_lines(case):
    made = plain(case, f'Content-Disposition: form-data; name="{case.name()}"')
    text = made["request"]["body"]["text"].replace("\r\n", "\n")
    return post('multipart/form-data; boundary="b0"', text)


def no_disposition(case):
    return body(("Content-Type: text/plain", f"{case.name()}={case.secret('bare')}"))


def broken_head(case):
    return body((f'Content-Disposition form-data name="{case.name()}"', case.secret()))


def not_closed(case):
    made = plain(case, f'Content-Disposition: form-data; name="{case.name()}"')
    return post('multipart/form-data; boundary="b0"', made["request"]["body"]["text"].split("--b0--")[0])


def transfer_base64(case):
    return plain(case, f'Content-Disposition: form-data; name="{case.name()}"\r\nContent-Transfer-Encoding: base64', codings.b64(case.secret()))


def mixed(case):
    inner = f"--i\r\nContent-Disposition: file; filename=\"a.txt\"\r\n\r\n{case.secret()}\r\n--i--"
    return plain(case, f'Content-Disposition: form-data; name="{case.name()}"\r\nContent-Type: multipart/mixed; boundary=i', inner)


def nested_part(case):
    inner = f"--i\r\nContent-Disposition: form-data;\r\n name=\"{case.name()}\"\r\n\r\n{case.secret()}\r\n--i--"
    return plain(case, "Content-Disposition: form-data; name=\"a\"\r\nContent-Type: multipart/form-data; boundary=i", inner)


def field_of_part(case):
    return plain(case, f'Content-Disposition: form-data; name="a"\r\n{case.pick("X-API-Key", "X-Auth-Token", "Authorization")}: {case.secret("token")}', "x")


def preamble(case):
    return body(('Content-Disposition: form-data; name="a"', "1"), before=f"{case.name()}={case.secret('bare')}\r\n")


def epilogue(case):
    return body(('Content-Disposition: form-data; name="a"', "1"), after=f"{case.name()}={case.secret('bare')}\r\n")


KINDS = {
    "folded": folded, "folded-name": folded_name, "blank-colon": blank_colon, "around-equals": around_equals, "continued": continued,
    "continued-encoded": continued_encoded, "extended": extended, "percent-name": percent_name, "repeated": repeated,
    "both-names": both_names, "repeated-field": repeated_field, "unquoted": unquoted, "escaped-quotes": escaped_quotes,
    "backslashes": backslashes, "encoded-word": encoded_word, "bare-lines": bare_lines, "no-disposition": no_disposition,
    "broken-head": broken_head, "not-closed": not_closed, "transfer-base64": transfer_base64, "mixed": mixed,
    "nested": nested_part, "field-of-part": field_of_part, "preamble": preamble, "epilogue": epilogue,
}


def add(register):
    for kind, make in KINDS.items():
        register.add(f"1.6/{kind}", make)
