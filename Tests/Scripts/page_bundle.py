# SPDX-License-Identifier: MIT
"""Modules of the inspector's page that are sent as one file.

Browsers load each module by a request of its own, over six connections. What `index.html` names as
`modulepreload` before the template `rest` becomes part of `start.js`, and what it names there part of
`main.js`: functions that run when they are used first. All other modules use these, and stay modules.
"""

import re

# The forms in which modules import and export; nothing else is allowed where modules become functions.
IMPORT = re.compile(r'^import (?:(\{[^}]*\}|\* as \w+) from )?"(\.{1,2}/[\w./-]+\.js)";$', re.M)
DYNAMIC = re.compile(r'\bimport\("(\.{1,2}/[\w./-]+\.js)"\)')
EXPORT = re.compile(r"^export ((?:async )?function\*?|class|const|let) (\w+)", re.M)
PRELOAD = re.compile(r'<link rel="modulepreload" href="/HASH/([\w.-]+)">\n')
ENTRIES = ["start.js", "main.js"]


def use(names, value):
    """The statement for an import: names in braces, `* as` and a name, or nothing."""
    if not names:
        return f"{value};"
    if names.startswith("*"):
        return f"const {names[5:]} = {value};"
    return f"const {re.sub(r' as ', ': ', names)} = {value};"


def exported(text):
    """The names that a module exports; a `let` would not follow its changes."""
    found = EXPORT.findall(text)
    wrong = [name for kind, name in found if kind == "let"]
    if wrong:
        raise ValueError(f"an exported 'let' would not follow its changes: {wrong[0]}")
    return [name for _, name in found]


def bundled(files):
    """The files of the page by name, as texts, with the modules of the start and of the rest as one each."""
    parts = dict(zip(ENTRIES, files["index.html"].split('<template id="rest">'), strict=True))
    members = {entry: {entry, *PRELOAD.findall(part)} for entry, part in parts.items()}
    owner = {name: entry for entry, names in members.items() for name in names}
    made = {name: text for name, text in files.items() if name not in owner}
    for name, text in made.items():
        if name.endswith(".js"):
            made[name] = changed(name, text, owner)
    for entry, names in members.items():
        made[entry] = joined(entry, {name: files[name] for name in sorted(names)}, owner)
    made["index.html"] = PRELOAD.sub(lambda found: found[0] if found[1] in ENTRIES else "", files["index.html"])
    return made


def later(text, owner):
    """Imports of modules at a later time that are there already."""
    def change(found):
        name = found[1].removeprefix("./")
        return f'Promise.resolve($use("{name}"))' if name in owner and name not in ENTRIES else found[0]
    return DYNAMIC.sub(change, text)


def changed(name, text, owner):
    """A module that stays one; what it imports of the joined ones comes from `main.js`, which is there."""
    def change(found):
        names, source = found[1], found[2].removeprefix("./")
        return use(names, f'$use("{source}")') if source in owner else found[0]
    result = later(IMPORT.sub(change, text), owner)
    for found in re.finditer(r'^(?:import|export)\b[^;"]*"\./([\w.-]+)"', result, re.M):
        if found[1] in owner:
            raise ValueError(f"{name}: what is joined cannot be imported by '{found[0]}'")
    return result if result == text else 'import { $use } from "./main.js";\n' + result


def joined(entry, modules, owner):
    """One module that has all of these, and exports `$use`, which returns what each of them exports."""
    outside = []

    def function(name, text):
        def change(found):
            names, source = found[1], found[2].removeprefix("./")
            if source not in owner and source not in outside:
                outside.append(source)
            return use(names, f'$use("{source}")')
        names = exported(text)
        body = later(EXPORT.sub(r"\1 \2", IMPORT.sub(change, text)), owner)
        if wrong := re.search(r"^(?:import|export|await)\b(?!\().*", re.sub(r"/\*[\s\S]*?\*/", "", body), re.M):
            raise ValueError(f"{name}: a function cannot have '{wrong[0]}'")
        return f'"{name}"() {{\n{body.strip()}\nreturn {{ {", ".join(names)} }};\n}},'

    functions = [function(name, text) for name, text in modules.items()]
    isFirst = entry == ENTRIES[0]
    lines = [] if isFirst else [f'import {{ $use as $first }} from "./{ENTRIES[0]}";']
    lines += [f'import * as $outside{at} from "./{name}";' for at, name in enumerate(outside)]
    lines += ["const $modules = {", *functions]
    lines += [f'"{name}": () => $outside{at},' for at, name in enumerate(outside)]
    lines += ["};", "const $made = {};"]
    made = "$made[name] ??= $modules[name]()"
    lines += [f"export const $use = (name) => {made};" if isFirst
              else f"export const $use = (name) => $modules[name] ? {made} : $first(name);",
              f'$use("{entry}");', ""]
    return "\n".join(lines)
