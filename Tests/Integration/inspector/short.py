# SPDX-License-Identifier: MIT
"""Every screen and every key of the inspector's page, once."""

from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from access import problems
from page import equal, true


def screens(page, total):
    """Every screen has its content, and the keys lead there."""
    for key, title in (("a", "APIs"), ("t", "Timeline"), ("d", "What differs"), ("s", "Summary")):
        page.keys("g", key)
        page.until(title, "document.querySelector('.screen h2')?.textContent === arguments[0]", title)
        page.until(f"the content of {title}", "document.querySelector('.screen tbody tr')")
        true(page.js("document.scrollingElement.scrollWidth <= innerWidth"), f"{title}: the page is too wide")
        equal(problems(page.driver), [], f"{title}: access")
    page.until("the count of all", "document.querySelector('.screen').innerText.includes(arguments[0])", f"{total:,}")
    page.keys("g", "l")
    page.until("the list", "document.querySelector('#screen').hidden")
    equal(problems(page.driver), [], "the list: access")


def rows(page, total):
    """Keys reach every row, and rows have what the server says."""
    size = page.js("document.querySelector('tl-list').pageRows")
    moves = (("j", 0), (Keys.ARROW_DOWN, 1), ("j", 2), ("k", 1), (Keys.ARROW_UP, 0), (Keys.PAGE_DOWN, size), (Keys.PAGE_UP, 0),
             (Keys.END, total - 1), (Keys.PAGE_UP, total - 1 - size), (Keys.HOME, 0))
    for key, expected in moves:
        page.keys(key)
        page.until_current(expected, f"the row after {key!r}")
    for index in (total // 2, total - 1):
        path = page.api(f"rows?from={index}&count=1")["rows"][0]["path"]
        page.js("document.querySelector('tl-list').select(arguments[0])", index)
        page.until(f"row {index}", "document.querySelector('.row.current .path')?.textContent === arguments[0]", path)
    page.keys(Keys.HOME, "J", "J", "K")
    page.until("two selected rows", "document.querySelectorAll('.row[aria-selected=true]').length === 2")
    page.keys("d")
    page.until("two sides", "document.querySelectorAll('.sides td button').length === 2")
    page.until("the parts", "document.querySelectorAll('.screen section h3').length === 4")
    page.keys(Keys.ESCAPE)
    page.until("the list", "document.querySelector('#screen').hidden")
    page.keys("p")
    page.keys(".")
    page.until("the newest, without a selection", "document.querySelector('tl-list').current === -1")


def exchange(page, row):
    """The keys of the detail, of an exchange that is found by a text that only it has."""
    page.filter(row["id"])
    page.until("one match", "document.querySelector('footer').innerText.includes('· 1 match')")
    page.until("counts of the same", "document.querySelector('tl-facets section[aria-label=Method] .count')?.textContent === '1'")
    page.keys("j", Keys.ENTER)
    page.until("the detail", "document.querySelector('tl-detail:not([hidden]) h2')")
    for key, name in enumerate(("Response", "Request", "Both", "Timing", "Messages", "Related", "Changes", "Explain"), 1):
        page.keys(str(key))
        page.until(name, "[...document.querySelectorAll('[role=tab]')].every((tab) => tab.textContent !== arguments[0]) "
                   "|| document.querySelector('[role=tab][aria-selected=true]').textContent.startsWith(arguments[0])", name)
        equal(problems(page.driver), [], f"{name}: access")
    where = "document.querySelector('tl-detail').getBoundingClientRect().top"
    top = page.js(where)
    page.keys("b")
    page.until("the detail at the other side", f"{where} !== arguments[0]", top)
    page.keys("b", "x")
    page.until("no filter", "document.querySelector('tl-search input').value === ''")
    page.until("the same exchange in the whole list", "document.querySelector('.row.current .path')?.textContent === arguments[0]", row["path"])
    before = page.js("location.hash")
    for key in ("[", "]"):
        page.keys(key)
        page.until("the previous of the route, and back", "(location.hash === arguments[0]) === arguments[1]", before, key == "]")
        page.until("its row", "location.hash.includes(document.querySelector('tl-list').currentRow?.id)")
    page.keys("h")
    page.until("only its host", "document.querySelector('tl-search input').value.startsWith('host == ')")
    page.keys("x", Keys.ESCAPE, Keys.ESCAPE)
    page.until("the list alone", "document.querySelector('tl-detail').hidden")


def dialogs(page):
    """Keys that open something, and Escape, which closes it; keys that copy say what they have copied."""
    page.keys(Keys.HOME)
    for key, opened in (("m", "dialog.menu[open]"), ("e", "dialog[open]"), ("o", "dialog[open] .columns"), ("?", "dialog[open]"),
                        ("y", "dialog[open] .run-form"), ("Y", "dialog[open] .run-form")):
        page.keys(key)
        page.until(f"what {key} opens", "document.querySelector(arguments[0])", opened)
        page.keys(Keys.ESCAPE)
        page.until("nothing open", "!document.querySelector('dialog[open]')")
    webdriver.ActionChains(page.driver).key_down(Keys.CONTROL).send_keys("k").key_up(Keys.CONTROL).perform()
    page.until("the palette", "document.querySelector('dialog.palette[open]')")
    page.keys(Keys.ESCAPE)
    for key in "cubrl":
        page.js("void (document.querySelector('#announcer').textContent = '')")
        page.keys("c", key)
        page.until(f"what c {key} says", "/cop/.test(document.querySelector('#announcer').textContent)")
    page.js("void (document.querySelector('#announcer').textContent = '')")
    page.keys("u")
    page.until("times in UTC", "/UTC/.test(document.querySelector('#announcer').textContent)")
    page.keys("u", "n")
    page.until("the box for a note", "document.activeElement?.id === 'note'")
    page.js("document.activeElement.blur()")
    page.keys(Keys.F6)
    page.keys(Keys.ESCAPE, Keys.ESCAPE)
    page.filter("status >= 500")
    page.until("fewer", "/ match/.test(document.querySelector('footer').innerText)")
    page.keys("s")
    page.until("the name of the filter", "document.querySelector('dialog[open] input')")
    page.keys(Keys.ESCAPE)
    page.keys("x")
    page.until("no filter", "document.querySelector('tl-search input').value === ''")


def short(page, count):
    """Every screen and every key, once."""
    page.until("all rows", "document.querySelector('#grid').getAttribute('aria-rowcount') === arguments[0]", str(count + 1))
    true(page.text("footer").startswith(f"{count:,} exchange"), f"the footer: {page.text('footer')}")
    rows(page, count)
    exchange(page, page.api(f"rows?from={count // 2}&count=1")["rows"][0])
    dialogs(page)
    screens(page, count)
