# SPDX-License-Identifier: MIT
"""A script that puts secrets in the places that only scripts can fill: tags, variables, the log, errors."""

import exchanges

HOOKS = {
    "vars": "ex.vars.note = V[1] ex.vars.canary_json_a = V[2]",
    "tags": "ex.tags.note = V[1] ex.tags.canary_json_a = V[2]",
    "original": "ex.request.path = '/changed' ex.request.query = ''",
    "log": "log('see ' .. V[1]) print(V[2], 'and ' .. V[3])",
    "error": "error('bad ' .. V[1] .. V[2])",
    "table": "error(setmetatable({V[1]}, {__tostring = function(e) return e[1] end}))",
    "index": "local t = nil; return t[V[1]].x",
    "concat": "ex.request.headers[V[1] .. '\\r\\n'] = 'x'",
    "drop": "return drop('as ' .. V[1])",
    "respond": "return respond{status = 201, headers = {['X-Canary-Alpha'] = V[1], ['X-Note'] = V[2]}, "
               "json = {canary_json_b = V[3], note = V[4]}}",
}


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def plants(plan):
    """The values of each hook, by its name."""
    named = lambda rule, where, **more: plan.named(rule, where, "token", **more)
    return {
        "vars": [plan.formed("variable", is_stored=False), named("json canary_json_a", "variable", is_stored=False)],
        "tags": [plan.formed("tag of a script"), named("json canary_json_a", "tag of a script")],
        "log": [plan.formed("log"), plan.formed("print"), plan.formed("print, second")],
        "error": [plan.formed("error", is_stored=False), named("json canary_json_a", "error", is_stored=False)],
        "table": [plan.formed("error object", is_stored=False)],
        "index": [plan.formed("key of an error", is_stored=False)],
        "concat": [plan.formed("refused field name", is_stored=False)],
        "drop": [plan.formed("reason of a drop")],
        "respond": [named("headers x-canary-alpha", "field of an answer"), plan.formed("field of an answer"),
                    named("json canary_json_b", "body of an answer"), plan.formed("body of an answer")],
    }


def make(plan):
    """Returns the script, and the exchanges that call its hooks."""
    values = plants(plan)
    lines = ["local V", "local values = {"]
    for name, texts in values.items():
        lines.append(f"  {name} = {{{', '.join(quoted(text) for text in texts)}}},")
    lines += ["}", "local hooks = {"]
    lines += [f"  {name} = function(ex) {code} end," for name, code in HOOKS.items()]
    lines += [
        "}", "local function run(ex)", "  local name = ex.request.path:match('^/lua/(%w+)$')",
        "  if name and hooks[name] then V = values[name] return hooks[name](ex) end", "end",
        "function request(ex) if not ex.request.headers['x-record'] then return run(ex) end end",
        "function record(ex) if ex.request.headers['x-record'] then return run(ex) end end",
    ]
    records = [exchanges.record(f"/lua/{name}") for name in HOOKS]
    records += [exchanges.record(f"/lua/{name}", headers=[["X-Record", "1"]])
                for name in HOOKS if name not in ("respond", "vars", "original")]
    old = f"canary_query_a={plan.named('query canary_query_a', 'URL that a script replaced', 'token')}"
    records.append(exchanges.record("/lua/original?" + old))
    for number, one in enumerate(records):
        one["id"] = f"019a0000-0000-7000-9000-{number:012x}"
    return "\n".join(lines) + "\n", records
