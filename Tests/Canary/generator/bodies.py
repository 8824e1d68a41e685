# SPDX-License-Identifier: MIT
"""Markup and code (point 1.7)."""

import html
import json

from exchanges import answer, post
from generator import forms, names

BINDING = ("password", "pwd", "secret", "token", "apiKey", "clientSecret", "accessToken")


def markup(case, text):
    """A fragment of HTML, alone, in a page, or in a JSON string."""
    page = case.pick("{}", "<!DOCTYPE html><html><body>{}</body></html>").format(text)
    if case.chance.random() < 0.2:
        return answer("application/json", json.dumps({"html": page}))
    return answer("text/html", page)


def value(case):
    return html.escape(case.secret())


def words(case):
    """A name as people write it."""
    return case.pick("Password", "password", "API key", "Api Key", "Secret", "Access token", "Client secret", "Token", "passphrase")


def input_type(case):
    """A password field with any name."""
    parts = ['type="password"', f'value="{value(case)}"', case.pick('name="x1"', 'id="f3"', 'name="login_field"')]
    case.chance.shuffle(parts)
    return markup(case, f"<form><{case.pick('input', 'INPUT')} {' '.join(parts)}></form>")


def input_unquoted(case):
    return markup(case, f"<input type=password value={case.secret('token')}>")


def input_single(case):
    return markup(case, f"<input name='{case.name()}' value='{value(case)}'/>")


def input_id(case):
    return markup(case, f'<input id="{case.name()}" name="f1" value="{value(case)}">')


def sibling(case):
    """The name in one element, the value in the next."""
    a, b = case.pick(("param-name", "param-value"), ("name", "value"), ("key", "value"), ("key", "string"), ("Name", "Value"),
                     ("property", "value"), ("Key", "Value"))
    return answer("application/xml", f"<a><p><{a}>{case.name()}</{a}>{case.pick('', chr(10) + '  ')}<{b}>{value(case)}</{b}></p></a>")


def definition(case):
    return markup(case, f"<dl><dt>User</dt><dd>ann</dd><dt>{words(case)}{case.pick('', ':')}</dt>{case.pick('', ' ')}<dd>{value(case)}</dd></dl>")


def table_row(case):
    a = case.pick("th", "td")
    return markup(case, f"<table><tr><{a}>{words(case)}{case.pick('', ':')}</{a}><td>{value(case)}</td></tr></table>")


def table_pairs(case):
    """Names and values without headings, the first of which is a secret."""
    rows = [(words(case), value(case)), case.pick(("APP_NAME", "shop"), ("User", "ann")), (words(case), value(case))]
    cells = "".join(f"<tr><td>{name}</td><td>{text}</td></tr>" for name, text in rows)
    return markup(case, f"<table>{cells}</table>")


def table_column(case):
    rows = "".join(f"<tr><td>{user}</td><td>{value(case)}</td></tr>" for user in ("ann", "bob"))
    return markup(case, f"<table><tr><th>User</th><th>{words(case)}</th></tr>{rows}</table>")


def label(case):
    tag = case.pick("b", "strong", "label", "span")
    return markup(case, f"<p><{tag}>{words(case)}:</{tag}> {case.secret('token')}</p>")


def label_before_colon(case):
    tag = case.pick("b", "strong", "span")
    return markup(case, f"<p><{tag}>{words(case)}</{tag}>: {case.secret('token')}</p>")


def choice(case):
    return markup(case, f'<select name="{case.name()}"><option value="{value(case)}">x</option></select>')


def label_code(case):
    return markup(case, f"<p>{words(case)}: <code>{case.secret('token')}</code></p>")


def comment(case):
    return markup(case, f"<p>a</p><!-- {case.name()}{case.pick('=', ': ', ' = ')}{case.secret('token')} -->")


def entity(case):
    return answer("application/xml", f'<!DOCTYPE a [<!ENTITY {case.name()} "{case.secret("token")}">]><a>&x;</a>')


def entity_name(case):
    """References in the name."""
    name = "".join(case.pick(letter, letter, f"&#{ord(letter)};", f"&#x{ord(letter):x};") for letter in case.name())
    return markup(case, f'<input name="{name}" value="{value(case)}">')


def saml(case):
    """An assertion; all data about a person must be masked."""
    secret = case.secret("token")
    prefix = case.pick("saml2:", "saml:", "")
    text = (f'<{prefix}Assertion xmlns{":" + prefix[:-1] if prefix else ""}="urn:oasis:names:tc:SAML:2.0:assertion" ID="a1">'
            f"<{prefix}Subject><{prefix}NameID>{secret}</{prefix}NameID></{prefix}Subject><{prefix}AttributeStatement>"
            f'<{prefix}Attribute Name="role"><{prefix}AttributeValue>{case.secret("token")}</{prefix}AttributeValue></{prefix}Attribute>'
            f"</{prefix}AttributeStatement></{prefix}Assertion>")
    return answer(case.pick("application/xml", "text/xml", "application/samlassertion+xml"), text)


def soap(case):
    password = f'<wsse:Password Type="x#PasswordText">{value(case)}</wsse:Password>'
    token = f"<wsse:UsernameToken><wsse:Username>ann</wsse:Username>{password}</wsse:UsernameToken>"
    return answer("application/soap+xml", '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">'
                  f"<s:Header><wsse:Security>{token}</wsse:Security></s:Header><s:Body/></s:Envelope>")


def added(case):
    parts = [f'key="{case.name()}"', f'value="{value(case)}"']
    case.chance.shuffle(parts)
    return answer("application/xml", f"<configuration><appSettings><add {' '.join(parts)}/></appSettings></configuration>")


def data_attribute(case):
    return markup(case, f'<div data-{case.pick("api-key", "token", "csrf-token", "client-secret")}="{value(case)}">x</div>')


def meta(case):
    return markup(case, f'<meta content="{value(case)}" name="{case.pick("csrf-token", "api-key", "access_token")}">')


MARKUP = {
    "input-type": input_type, "input-unquoted": input_unquoted, "input-single": input_single, "input-id": input_id, "sibling": sibling,
    "definition": definition, "table-row": table_row, "table-pairs": table_pairs, "choice": choice,
    "label-before-colon": label_before_colon, "table-column": table_column, "label": label, "label-code": label_code,
    "comment": comment, "entity": entity, "entity-name": entity_name, "saml": saml, "soap": soap, "added": added,
    "data-attribute": data_attribute, "meta": meta,
}

# MARK: Code

JAVASCRIPT = {
    "subscript": 'config["{name}"] = {value};',
    "subscript-single": "process.env['{name}'] = {value};",
    "set-item": 'localStorage.setItem("{name}", {value});',
    "set-header": 'xhr.setRequestHeader("{field}", {value});',
    "append": 'form.append("{name}", {value});',
    "object": "axios.post('/x', {{ user: 'ann', {word}: {value} }});",
    "const": "const {word} = {value};",
    "default": "{word} ||= {value};",
    "or-default": "const {word} = process.env.X || {value};",
    "property": "this.{word} = {value};",
    "attribute": 'el.setAttribute("data-{name}", {value});',
    "typed": "let {word}: string = {value};",
    "list": "f({{ {word}s: [{value}, {value}], b: 1 }});",
    "list-assigned": "x.{word}s = [{value}];",
    "container": "f({{ {word}: {{ id: '{bare}', at: ['{bare}'] }}, b: 1 }});",
    "env-default": "const s = process.env.{screaming} || {value};",
    "header-default": 'h.set("{field}", k || {value});',
    "setter": "x.set{pascal}({value});",
    "comment": "const {word} = /* c */ {value};",
    "definite": "class A {{ {word}!: string = {value}; }}",
}
OTHER = {
    "set-property": 'props.setProperty("{name}", {value});',
    "go-var": "var {word} string = {value}",
    "go-short": "{word} := {value}",
    "php-append": "${word} .= {value};",
    "php-define": "define('{name}', {value});",
    "php-arrow": "'{name}' => {value},",
    "make": "{screaming} ?= {bare}",
    "ruby": ":{word} => {value}",
    "ruby-hash": "{word}: {value}",
    "swift": "let {word}: String = {value}",
    "java": "private static final String {screaming} = {value};",
    "csharp": "public string {pascal} {{ get; set; }} = {value};",
    "python": "os.environ[{quoted}] = {value}",
    "python-get": "os.getenv({quoted}, {value})",
    "shell": "export {screaming}={value}",
    "powershell": "$env:{screaming} = {value}",
    "powershell-secure": "$p = ConvertTo-SecureString {value} -AsPlainText -Force",
    "php-dump": '["{name}"]=>\n  string(12) "{bare}"',
    "sql-set": "SET @{word} = {value};",
    "toml": "{word} = {value}",
    "hcl": "{word} = {value}",
}


def fill(case, template):
    words = case.chance.choice(("password", "api_key", "client_secret", "access_token", "secret", "x_token", "db_password")).split("_")
    name = names.STYLES[case.pick("snake", "camel", "kebab")](words)
    parts = {"name": lambda: name, "quoted": lambda: f'"{name}"', "word": lambda: names.STYLES[case.pick("snake", "camel")](words),
             "field": lambda: case.pick("X-API-Key", "X-Auth-Token", "Authorization"), "screaming": lambda: names.STYLES["screaming"](words),
             "pascal": lambda: names.STYLES["pascal"](words), "value": lambda: literal(case), "bare": lambda: case.secret("token")}
    return template.format(**{key: make() for key, make in parts.items() if "{" + key + "}" in template})


def literal(case):
    quote = case.pick('"', '"', "'")
    return quote + case.secret("quoted").replace("{", "(").replace("}", ")") + quote


def javascript(template):
    def make(case):
        code = "(function(){\n" + fill(case, template) + "\n})();"
        return answer("text/html", f"<script>{code}</script>") if case.chance.random() < 0.3 else answer("application/javascript", code)
    return make


def other(template):
    return lambda case: answer(case.pick("text/plain", "text/x-source"), "line one\n" + fill(case, template) + "\nline three\n")


def template_string(case):
    word = case.pick("password", "apiKey", "token")
    return answer("application/javascript", case.pick("const {} = `{}`;", "f({{ {}: `{}` }});").format(word, case.secret("token")))


def concatenation(case):
    return answer("application/javascript", f'var {case.pick("password", "apiKey", "token")} = "{case.secret("token")}" + "{case.secret("token")}";')


def json_assigned(case):
    """A script that only assigns JSON to the name of a secret."""
    word = case.pick("apiKeys", "tokens", "secret", "credentials")
    form = case.pick('["{}"]', '{{"id":"{}"}}', '{{"a":["{}"],"n":1}}')
    return answer("application/javascript", f"var {word} = " + form.format(case.secret("token")) + ";")


# MARK: Tables

def csv_separator(case):
    mark = case.pick(";", "|", "\t")
    return answer("text/csv", f"sep={mark}\r\nid{mark}{case.name()}{mark}lang\r\n1{mark}{case.secret('token')}{mark}en\r\n")


def csv_line_end(case):
    return answer("text/csv", f'id,note,{case.name()}\r\n1,"two\r\nlines, here",{case.secret("token")}\r\n2,"a ""b""",{case.secret("token")}\r\n')


def csv_secret_lines(case):
    return answer("text/csv", f'id,{case.name()},x\r\n1,"{case.secret("token")}\r\n{case.secret("token")}",en\r\n')


def csv_pairs(case):
    head = case.pick("key,value\r\n", "name,value\r\n", "")
    return answer("text/csv", f"{head}lang,en\r\n{case.name()},{case.secret('token')}\r\nn,2\r\n")


def csv_semicolons(case):
    return answer("text/csv", f'id;"{case.name()}";lang\r\n1;"{case.secret("token")}";en\r\n')


# MARK: GraphQL

def graphql_variable(case):
    """A variable with a harmless name, bound to an argument for a secret."""
    variable = case.pick("a", "v1", "x", "input2")
    query = f"mutation M($u: String!, ${variable}: String!) {{ login(user: $u, {case.pick(*BINDING)}: ${variable}) {{ id }} }}"
    return post("application/json", json.dumps({"query": query, "variables": {"u": "ann", variable: case.secret()}}))


def graphql_literal(case):
    text = case.secret("token")
    query = f'mutation {{ login(user: "ann", {case.pick(*BINDING)}: "{text}") {{ id }} }}'
    if case.chance.random() < 0.3:
        return post("application/graphql", query)
    return post("application/json", json.dumps({"query": query}))


def graphql_object(case):
    query = f'mutation($i: String) {{ login(input: {{user: "ann", {case.pick(*BINDING)}: $i}}) {{ id }} }}'
    return post("application/json", json.dumps({"query": query, "variables": {"i": case.secret()}}))


def graphql_default(case):
    name = case.pick(*BINDING)
    return post("application/json", json.dumps({"query": f'query($' + name + f': String = "{case.secret("token")}") {{ a }}'}))


TABLES = {"separator": csv_separator, "line-end": csv_line_end, "secret-lines": csv_secret_lines, "pairs": csv_pairs, "semicolons": csv_semicolons}
GRAPHQL = {"variable": graphql_variable, "literal": graphql_literal, "object": graphql_object, "default": graphql_default}


def add(register):
    for kind, make in MARKUP.items():
        register.add(f"1.7/markup/{kind}", make)
    for kind, template in JAVASCRIPT.items():
        register.add(f"1.7/script/{kind}", javascript(template))
    for kind, template in OTHER.items():
        register.add(f"1.7/code/{kind}", other(template))
    register.add("1.7/script/template", template_string)
    register.add("1.7/script/concatenation", concatenation)
    register.add("1.7/script/json-assigned", json_assigned)
    for kind, make in TABLES.items():
        register.add(f"1.7/csv/{kind}", make)
    for kind, make in GRAPHQL.items():
        register.add(f"1.7/graphql/{kind}", make)
    forms.add(register)
