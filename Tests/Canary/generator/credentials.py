# SPDX-License-Identifier: MIT
"""Credentials within text, the text after a credential, and places that are easily overlooked (points 1.3 to 1.5)."""

import json

import codings
from exchanges import answer, post, record
from generator import notations, values


def token(case):
    return case.secret("token")


def basic(case):
    """`user:password` in base64; the password is the secret."""
    return codings.b64(f"ann:{case.secret_of(values.letters)}")


def credential(case):
    """A scheme and a token: after `Token` and similar schemes, a word is not a token."""
    if case.chance.random() < 0.5:
        return f"{case.pick('Bearer', 'bearer', 'BEARER')} {case.secret_of(case.pick(values.letters, values.short, values.long))}"
    return f"{case.pick('Token', 'DPoP', 'ApiKey', 'JWT')} {case.secret_of(values.long)}"


# The text after a credential or after the name of its scheme (point 1.3).
AFTER = {
    "parameter": lambda case: f"Bearer realm=x, {case.name()}={token(case)}",
    "error-parameter": lambda case: f'Bearer error="invalid_token", {case.name()}="{case.secret("token")}"',
    "prose": lambda case: f"Token expired for user, {case.name()}={token(case)}",
    "second-pair": lambda case: f"Bearer {token(case)}, {case.name()}={token(case)}",
    "pair-behind": lambda case: f"Bearer {token(case)}{case.pick('; ', ' ', ' | ', ', ')}{case.name()}={token(case)}",
    "url": lambda case: f"Bearer abc https://u:{token(case)}@x.test/",
    "url-query": lambda case: f"Bearer {token(case)} https://x.test/?a=1&{case.name()}={token(case)}",
    "comma-part": lambda case: f"{case.pick('x', 'none', 'a=1', 'realm=y')}, {credential(case)}",
    "two-credentials": lambda case: f"{credential(case)}, {credential(case)}",
    "basic-second": lambda case: f"x, Basic {basic(case)}",
    "basic-then-pair": lambda case: f"Basic {basic(case)}, {case.name()}={token(case)}",
    "operator": lambda case: f"{case.pick('Bearer', 'bearer')}{case.pick(' = ', ': ', ' := ', ' => ', '=', ' : ')}{token(case)}",
    "token-operator": lambda case: f"token{case.pick(' = ', ': ', ' := ', ' => ')}{token(case)}",
}


def digest(case):
    return f'Digest username="ann", realm="r", nonce="abc", uri="/", response="{case.secret_of(values.letters)}"'


def value_of(case):
    """The value of an Authorization field."""
    return case.pick(lambda: credential(case), lambda: f"Basic {basic(case)}", lambda: digest(case),
                     lambda: f"AWS4-HMAC-SHA256 Credential=AKIA/20261120/x, SignedHeaders=host, Signature={token(case)}", lambda: token(case))()


def authorization(case):
    return f"{case.pick('Authorization', 'authorization', 'Proxy-Authorization')}: {value_of(case)}"


def trace(case):
    return f"{case.pick('> ', 'send: ', 'request had ', 'headers: ')}{authorization(case)}"


def api_field(case):
    name = case.pick("X-API-Key", "x-api-key", "X-Auth-Token", "Api-Key", "PRIVATE-TOKEN", "X-Vault-Token")
    return f"{case.pick('', 'sent ', '[debug] ')}{name}: {token(case)}"


def cookie_field(case):
    return f"{case.pick('', '< ', 'got ')}{case.pick('Cookie', 'Set-Cookie', 'cookie')}: {case.pick('sid', 'session', 'a')}={token(case)}; Path=/"


def curl(case):
    quote = case.pick("'", '"')
    quoted = lambda text: quote + text + quote
    parts = [
        lambda: f"{case.pick('-H ', '--header ', '-H', '--header=')}{quoted(f'X-API-Key: {token(case)}')}",
        lambda: f"{case.pick('-H ', '--header ')}{quoted(f'Authorization: Bearer {token(case)}')}",
        lambda: f"{case.pick('-u ', '--user ', '-U ', '--proxy-user ', '-u', '--user=')}{case.pick('ann', 'user')}:{token(case)}",
        lambda: f"-u {quoted(f'ann:{token(case)}')}",
        lambda: f"{case.pick('-b ', '--cookie ')}{quoted(f'sid={token(case)}')}",
        lambda: f"{case.pick('-d ', '--data ', '--data-urlencode ', '-F ')}{quoted(f'{case.name()}={token(case)}')}",
        lambda: f"--oauth2-bearer {token(case)}",
    ]
    chosen = case.chance.sample(parts, 2)
    return f"curl -s {chosen[0]()} -X POST {chosen[1]()} https://api.test/v1"


def other_commands(case):
    return case.pick(
        lambda: f"wget --header='Authorization: Bearer {token(case)}' https://x.test/",
        lambda: f"wget --user=ann --password={token(case)} https://x.test/",
        lambda: f"git clone https://ann:{token(case)}@git.test/a.git",
        lambda: f"docker login -u ann --password {token(case)} r.test",
        lambda: f"PGPASSWORD={token(case)} psql -h db",
        lambda: f"mysql --user=ann --password={token(case)} shop")()


# Credentials within text (point 1.4).
WITHIN = {"authorization": authorization, "trace": trace, "api-field": api_field, "cookie-field": cookie_field,
          "curl": curl, "command": other_commands}

# MARK: Places (point 1.5)


def pair(case):
    return f"{notations.url(case.name())}={notations.percent(case, token(case))}"


def segment(case):
    return record(case.pick("/a/{}/b", "/{}", "/v1/{}?x=1", "/a;{}/b", "/a/b,{}", "/a/user=ann,{}/c").format(pair(case)))


def segment_elsewhere(case):
    path = f"/a/{pair(case)}/b"
    return case.pick(
        lambda: record(headers=[["Referer", "http://x.test" + path]]),
        lambda: record(response={"status": 302, "headers": [["Location", path]]}),
        lambda: answer("application/json", json.dumps({"next": "https://x.test" + path})))()


def link(case):
    """A link that is itself the credential, as in mails for password resets."""
    # 16 bytes at least, with a digit.
    secret = f"{case.secret_of(values.letters)}-{case.secret_of(values.short)}7"
    path = f"/{case.pick('reset-password', 'token', 'v1/magic-token', 'api-key')}/{secret}{case.pick('', '/x', '?a=1')}"
    url = case.pick("https://x.test", "http://ann@x.test:8080") + path
    return case.pick(
        lambda: record(headers=[["Referer", url]]),
        lambda: record(response={"status": 302, "headers": [["Location", case.pick(url, path)]]}),
        lambda: record(headers=[["X-Note", f"see {url} now"]]),
        lambda: record(tags={"link": url}),
        lambda: answer("application/json", json.dumps({"next": case.pick(url, path, f"go to {url} please")})),
        lambda: answer("text/html", f'<p>Hello</p><a href="{case.pick(url, path)}">reset</a>'),
        lambda: answer("text/html", f"<p>Open {url} in a browser</p>"),
        lambda: answer("text/plain", f"Hello,\nopen {url}\nBye"),
        lambda: answer("text/javascript", f"location.href = '{case.pick(url, path)}';"),
        lambda: post("application/x-www-form-urlencoded", f"next={notations.url(case.pick(url, path))}&b=2"))()


def original(case):
    return record(original={"url": case.pick("http://old.test/?a=1&{}", "http://old.test/a/{}/b", "http://old.test/;{}").format(pair(case))})


def original_user(case):
    return record(original={"url": f"http://u:{token(case)}@old.test/"})


def cookie_attribute(case):
    return record(response={"headers": [["Set-Cookie", f"theme=dark; Path=/; {case.name()}={token(case)}; Secure"]]})


def cookie_path(case):
    return record(response={"headers": [["Set-Cookie", f"theme=dark; Path=/a?{case.name()}={token(case)}; Secure"]]})


def tag_name(case):
    return record(tags={f"{case.name()}={token(case)}": "1"})


def user_info(case):
    return record(url=f"http://ann:{token(case)}@shop.test/", target="/")


def fragment(case):
    return record(response={"status": 302, "headers": [["Location", f"http://x.test/#a=1&{pair(case)}"]]})


def raw_in_json(case):
    head = f"POST /login HTTP/1.1\r\nHost: x\r\nAuthorization: {value_of(case)}\r\nCookie: a={token(case)}\r\n\r\n"
    return post("application/json", json.dumps({"raw": f"{head}{case.name()}={token(case)}&b=2"}))


def raw_body(case):
    cookies = f"Cookie: a={token(case)}; b={token(case)}"
    return answer(case.pick("message/http", "application/http", "text/plain"),
                  f"GET / HTTP/1.1\r\nHost: x\r\nAuthorization: {value_of(case)}\r\n{cookies}\r\n\r\n")


def set_cookie_folded(case):
    return record(response={"headers": [["Set-Cookie", f"a={token(case)}; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b={token(case)}; Path=/"]]})


ODD_PLACES = {
    "path-segment": segment, "path-segment-elsewhere": segment_elsewhere, "link": link,
    "original": original, "original-user": original_user,
    "cookie-attribute": cookie_attribute,
    "cookie-path": cookie_path, "tag-name": tag_name, "user-info": user_info, "fragment": fragment, "raw-in-json": raw_in_json,
    "raw-body": raw_body, "set-cookie-joined": set_cookie_folded,
}
