# SPDX-License-Identifier: MIT
"""All classes of records: points 1.1 to 1.5 by combination, the rest from their own files."""

from generator import bodies, credentials, harmless, multipart, names, pasted, places, private, texts
from generator.case import Register


def by_name(register):
    """Point 1.1: every place for names, with every form of name that it can contain."""
    def add(group, forms, allowed=lambda name: True):
        for place, make in group.items():
            for form in forms:
                register.add(f"1.1/{place}/{form}", maker(make, names.FORMS[form], allowed))

    def maker(make, form, allowed):
        def one(case):
            name = form(case.chance)
            while not allowed(name):
                name = form(case.chance)
            return make(case, name)
        return one
    word = lambda name: name.isascii() and not set(name) & set(" []")
    add(places.ANY_NAME, names.FORMS)
    add(places.WORD_NAME, names.TEXT_FORMS, word)
    add(places.FIELD_NAME, names.FIELD_FORMS, word)
    add(places.IDENTIFIER, ("known", "issue", "snake", "screaming", "camel", "pascal", "plural", "suffixed"), str.isidentifier)


def by_text_name(register):
    """Point 1.1 in text: every separator with every form of name, in the most common places."""
    usual = ("text", "log", "json-plain", "websocket", "field", "error", "query-value")
    for style in texts.STYLES:
        for form in names.TEXT_FORMS:
            def make(case, style=style, form=form):
                return put(case, case.pick(*usual), texts.line(case, style, names.FORMS[form](case.chance)))
            register.add(f"1.1/text-{style}/{form}", make)


def put(case, place, text):
    """A record with a text in a place."""
    return places.TEXT[place][0](case, text)


def by_escape(register):
    """Point 1.2: texts of several lines in every place that can contain them, in any notation."""
    for place, (_, takes_line) in places.TEXT.items():
        if takes_line:
            continue
        for kind, text in texts.SEVERAL.items():
            register.add(f"1.2/{place}/{kind}", lambda case, place=place, text=text: put(case, place, text(case)))


def by_credential(register):
    """Points 1.3 and 1.4: credentials, and the text after a credential, in every text."""
    for place, (_, takes_line) in places.TEXT.items():
        for kind, text in credentials.AFTER.items():
            register.add(f"1.3/{place}/{kind}", lambda case, place=place, text=text: put(case, place, text(case)))
        for kind, text in credentials.WITHIN.items():
            register.add(f"1.4/{place}/{kind}", lambda case, place=place, text=text: put(case, place, text(case)))


def by_place(register):
    """Point 1.5: one line with a common name, in every place and with every separator."""
    for place in places.TEXT:
        for style in texts.STYLES:
            def make(case, place=place, style=style):
                return put(case, place, texts.line(case, style, case.name()))
            register.add(f"1.5/{place}/{style}", make)
    logged = {**{style: lambda case, style=style: texts.line(case, style, case.name()) for style in texts.STYLES},
              **credentials.AFTER, **credentials.WITHIN}
    for kind, text in logged.items():
        register.add(f"1.5/script-log/{kind}", lambda case, text=text: places.logged(text(case)), source="script")
    for kind, make in credentials.ODD_PLACES.items():
        register.add(f"1.5/{kind}", make)


def everything():
    """All classes."""
    register = Register()
    for add in (by_name, by_text_name, by_escape, by_credential, by_place, multipart.add, bodies.add, pasted.add, harmless.add, private.add):
        add(register)
    return register.classes
