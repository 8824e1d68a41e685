#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests what changes something in the inspector's page, in a real Chromium: rules, resending,
replays and mocks, pausing.

    changes.py URL [--rules FILE] [--pause COMMAND] [--axe FILE] [--shots FOLDER] [--only NAME]

URL is what `tapline run PIPELINE --inspect` prints, with its token; the store has at least three exchanges.
With --rules the tests write FILE, a file of rules that the pipeline uses, and put its content back. With
--pause COMMAND lets a request wait, by a rule with the action pause, and returns at once; its body is JSON.
Without them, those tests are left out. --axe and --shots are as in the script beside this one.
"""

import argparse
import http.server
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import threading
import time

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.keys import Keys

sys.dont_write_bytecode = True
BESIDE = str(pathlib.Path(__file__).with_name("screens"))
LOADER = importlib.machinery.SourceFileLoader("screens", BESIDE)
base = importlib.util.module_from_spec(importlib.util.spec_from_loader("screens", LOADER))
LOADER.exec_module(base)
equal, true = base.equal, base.true

TEXT = """version: 1
# Written by the test.
rules:
  # The first
  - name: first
    when: path == "/no-such-path-1"
    actions: [pass]

  - { name: second, when: 'path == "/no-such-path-2"', actions: [pass] }
  - name: third
    when: path like "/*"
    actions:
      - set: { response.header.X-Tested: "yes" }
"""
NAMES = "[...document.querySelectorAll('.rule b')].map((b) => b.textContent).join()"
VALUE = "document.querySelector('.editor textarea').value"


def press(page, modifier, key):
    webdriver.ActionChains(page.driver).key_down(modifier).send_keys(key).key_up(modifier).perform()


def rules(page, given):
    """Opens the screen with the text of the test in the file."""
    given.rules.write_text(TEXT, encoding="utf-8")
    page.open("/#/rules")
    page.until("the rules of the test", NAMES + " === 'first,second,third'")
    page.until("the editor", VALUE + " !== ''")


def discard(page):
    page.click(".unsaved button:nth-of-type(2)")
    page.until("the text of the file", "document.querySelector('.unsaved').hidden")


# Drags the first rule below the third. The driver's own drags are lost now and then.
DRAG = """((items) => {
    const fire = (name, item, clientY) => item.dispatchEvent(new DragEvent(name, {
        bubbles: true, cancelable: true, dataTransfer: new DataTransfer(), clientY }));
    const below = items[2].getBoundingClientRect().bottom - 4;
    fire('dragstart', items[0], 0);
    fire('dragover', items[2], below);
    fire('drop', items[2], below);
})([...document.querySelectorAll('.rule-list > li')])"""


def test_without(page, given):
    """Where the inspector cannot do something, the page says why."""
    page.open()
    can = page.api("info")["can"]
    page.keys("j", Keys.ENTER)
    page.until("the detail", "document.querySelector('tl-detail:not([hidden]) .acts')")
    if not can["resend"]:
        page.keys("r")
        page.until("the reason", "document.querySelector('#announcer').textContent.includes('run --inspect')")
    page.keys("g", "r")
    page.until("the screen", "document.querySelector('.screen h2')?.textContent === 'Rules'")
    if not can["rules"]:
        page.until("what to do", "document.querySelector('.screen .notice')")


def test_diagnostics(page, given):
    """What is wrong is underlined while it is typed, and its message leads there."""
    rules(page, given)
    page.click(".editor textarea")
    press(page, Keys.CONTROL, Keys.END)
    page.keys("  - name: é wrong\nactons: [pass]")
    page.until("a problem", "[...document.querySelectorAll('.problems button')].at(-1)?.innerText.includes('acton')")
    page.until("a mark", "[...document.querySelectorAll('.marks mark.error')].some((m) => m.textContent.includes('acton'))")
    true(page.js("document.querySelector('.unsaved button').disabled"), "a wrong text can be saved")
    press(page, Keys.CONTROL, Keys.HOME)
    page.click(".problems li:last-child button")
    page.until("the place", "((t) => t.value.slice(t.selectionStart).startsWith('acton'))(document.querySelector('.editor textarea'))")
    equal(given.rules.read_text(encoding="utf-8"), TEXT, "the file, before it is saved")
    page.keys(Keys.ESCAPE, Keys.ESCAPE)
    page.until("the list", "document.querySelector('#screen').hidden")
    page.keys("g", "r")
    page.until("the same text", VALUE + ".includes('acton')")
    discard(page)
    equal(page.js(VALUE), TEXT, "the text after it was discarded")


def test_order(page, given):
    """Switches and keys change the text, and saving writes the file with its comments."""
    rules(page, given)
    page.click(".rule-list li:first-child [role=switch]")
    page.until("the line", VALUE + ".includes('- name: first\\n    enabled: false\\n')")
    page.until("the switch", "document.querySelector('[role=switch]').ariaChecked === 'false'")
    page.click(".rule-list li:first-child .rule")
    press(page, Keys.ALT, Keys.ARROW_DOWN)
    page.until("the order", NAMES + " === 'second,first,third'")
    press(page, Keys.ALT, Keys.ARROW_DOWN)
    page.until("the order", NAMES + " === 'second,third,first'")
    true(page.js("document.activeElement.innerText.includes('first')"), "the moved rule loses the focus")
    page.until("the difference", "document.querySelectorAll('.unsaved .diff tr.added, .unsaved .diff tr.changed').length > 2")
    press(page, Keys.CONTROL, "s")
    page.until("the saved text", "document.querySelector('.unsaved').hidden")
    moved = "  # The first\n  - name: first\n    enabled: false\n    when: path == \"/no-such-path-1\"\n    actions: [pass]\n"
    true(given.rules.read_text(encoding="utf-8").endswith(moved), "the file is not as the page shows it")
    page.js(DRAG)
    page.until("the order by drag", NAMES + " === 'third,first,second'")
    discard(page)


def test_by_hand(page, given):
    """A file that is changed by hand shows up; edits in the page are kept, and both versions shown."""
    rules(page, given)
    given.rules.write_text(TEXT.replace("name: first", "name: by hand"), encoding="utf-8")
    page.until("the new name", NAMES + " === 'by hand,second,third'")
    page.click(".editor textarea")
    press(page, Keys.CONTROL, Keys.END)
    page.keys("# mine")
    given.rules.write_text(TEXT, encoding="utf-8")
    page.until("the notice", "document.querySelector('.conflict .diff')")
    true(page.js(VALUE).endswith("# mine"), "the edits are lost")
    page.click(".conflict .actions button")
    press(page, Keys.CONTROL, "s")
    page.until("the saved text", "document.querySelector('.unsaved').hidden")
    true("by hand" in given.rules.read_text(encoding="utf-8"), "the file does not have the chosen version")


def test_past(page, given):
    """The rules are tried on what is stored, with the first exchange as it would have been."""
    rules(page, given)
    page.click(".past button")
    page.until("counts", "document.querySelectorAll('.tried > li').length === 3")
    page.until("the end", "/looked at/.test(document.querySelector('.past').innerText)")
    true("would have hit none of" in page.text(".tried > li:first-child"), "the first rule hits something")
    page.until("the example", "/X-Tested/i.test(document.querySelector('.tried > li:last-child .example')?.innerText)")


def test_make(page, given):
    """A rule from an exchange is in the text, not in the file; the Lua hook names the exchange."""
    rules(page, given)
    page.keys("g", "l", "j", Keys.ENTER)
    page.until("the detail", "document.querySelector('tl-detail:not([hidden]) .acts')")
    row = page.api("rows?count=1")["rows"][0]
    page.keys("l")
    page.until("the hook", "document.querySelector('dialog .recipe')?.textContent.includes(arguments[0])", row["host"])
    page.keys(Keys.ESCAPE, "a")
    page.until("the rule", "document.querySelectorAll('.rule').length === 4")
    page.until("no problem", "document.querySelector('.said')?.textContent === 'no problems'")
    true(row["host"] in page.js(VALUE).split("third")[1], "the rule does not name the host")
    equal(given.rules.read_text(encoding="utf-8"), TEXT, "the file, before it is saved")
    discard(page)


def test_resend(page, given):
    """A request is edited and sent again, once nothing is missing; both exchanges lead to each other."""
    page.open()
    if not page.api("info")["can"]["resend"]:
        return
    page.keys("j", Keys.ENTER)
    page.until("the detail", "document.querySelector('tl-detail:not([hidden]) .acts')")
    first = page.api("rows?count=1")["rows"][0]["id"]
    page.keys("R")
    page.until("the form", "document.querySelector('dialog.editing[open] .form-url')")
    while page.js("document.querySelector('dialog .gaps button') !== null"):
        before = page.text("dialog .gaps")
        page.click("dialog .gaps button")
        page.keys('"filled in"' if "body" in before else "filled-in")
        page.until("one less", "document.querySelector('dialog .gaps').innerText !== arguments[0]", before)
    page.click("dialog .message-form .bar button")
    page.keys("X-Resent", Keys.TAB, "yes")
    press(page, Keys.CONTROL, Keys.ENTER)
    page.until("the new exchange", "/Repeats/.test(document.querySelector('.replays')?.innerText)")
    true(first not in page.driver.current_url, "the old exchange is shown")
    page.click(".replays button:nth-of-type(2)")
    page.until("the comparison", "document.querySelectorAll('.sides td button').length === 2")


class Teapot(http.server.BaseHTTPRequestHandler):
    """A server that answers all requests with a status that no recording has."""

    def do_GET(self):
        self.send_response(418)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_PUT = do_DELETE = do_HEAD = do_GET

    def log_message(self, *_):
        pass


# Makes the server deny each exchange at the first call, as if the store did not have it yet.
LATE = """(() => {
    const [call, asked] = [window.fetch, new Set()];
    window.fetch = (input, options) => {
        const path = new URL(input.url ?? input, location.href).pathname;
        if (!/^.api.exchanges.[^/]+$/.test(path) || asked.has(path)) return call(input, options);
        asked.add(path);
        return Promise.resolve(Response.json({ error: { code: "unknown_id" } }, { status: 404 }));
    };
})()"""


def test_runs(page, given):
    """The list is replayed, what differs leads to both exchanges, and a mock answers until it is stopped."""
    page.open()
    true(page.api("info")["can"]["actions"], "the page of a pipeline may start runs")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Teapot)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page.keys("y")
    page.until("the form", "document.querySelector('dialog .run-form')")
    page.keys("http://other.test")
    page.until("the warning", "document.querySelector('.run-unsafe').offsetParent")
    page.keys(*[Keys.BACK_SPACE] * 17, f"http://127.0.0.1:{server.server_port}")
    page.until("no warning", "!document.querySelector('.run-unsafe').offsetParent")
    page.js("(() => { const pace = document.querySelector('[aria-label=Pace]'); pace.value = 'max'; "
            "pace.dispatchEvent(new Event('input', { bubbles: true })); })()")
    true("--speed max --compare" in page.text("dialog .command code"), "the command has the pace")
    page.keys(Keys.ENTER)
    page.until("the differences", "document.querySelector('.run-differences tbody th code')")
    true("status" in page.text(".run-differences"), "the status differs")
    true("418" in page.text(".run-differences"), "the new status is shown")
    page.js(LATE)
    page.click(".run-links button")
    page.until("the comparison", "document.querySelectorAll('.sides td button').length === 2")
    page.keys("Y")
    page.until("the form", "document.querySelector('dialog .run-form')")
    page.click("dialog .primary")
    page.until("the address", "/^http:..127/.test(document.querySelector('.run .command code')?.textContent)")
    page.click(".run header button")
    page.until("the end", "!document.querySelector('.run .command')")
    server.shutdown()


def test_paused(page, given):
    """What waits is counted on each screen; only what was changed is sent; an answer is sent instead."""
    page.open()
    subprocess.run(given.pause, shell=True, check=True)
    page.until("the badge", "document.querySelector('nav .badge')")
    page.keys("g", "p")
    page.until("the message", "document.querySelector('.message-form textarea')")
    page.keys("j", Keys.ENTER)
    page.until("the first box", "document.activeElement?.matches('.form-url, .form-status')")
    page.click(".message-form .bar button")
    page.keys("X Changed", Keys.TAB, "yes")
    press(page, Keys.CONTROL, Keys.ENTER)
    page.until("the error beside the field", "/not a valid name/.test(document.querySelector('.form-fields .form-said.warn')?.textContent)")
    true(page.js("document.querySelector('.paused [role=alert]').textContent.includes('waits on')"), "it waits on")
    press(page, Keys.SHIFT, Keys.TAB)
    page.keys(Keys.END, *[Keys.BACK_SPACE] * 8, "-Changed")
    page.until("no error", "!document.querySelector('.form-fields .form-said.warn')")
    page.until("one change", "document.querySelector('.paused .primary').textContent.includes('1 change')")
    press(page, Keys.CONTROL, Keys.ENTER)
    page.until("no badge", "!document.querySelector('nav .badge')")
    subprocess.run(given.pause, shell=True, check=True)
    page.until("the next message", "document.querySelector('.message-form textarea')?.isConnected && document.querySelector('nav .badge')")
    page.js("document.activeElement.blur()")
    page.keys("v")
    page.until("the answer", "document.querySelector('.form-status')?.value === '200'")
    press(page, Keys.CONTROL, Keys.ENTER)
    page.until("nothing", "document.querySelector('.paused .notice')")


def look(page, given):
    """Each screen in both themes and widths: no overflow, no finding of axe."""
    page.open()
    id = page.api("rows?count=1")["rows"][0]["id"]
    axe = given.axe.read_text(encoding="utf-8") if given.axe else None
    number = 0

    def shown(what, ready):
        nonlocal number
        page.until(what, ready)
        time.sleep(0.3)
        number += 1
        true(page.js("document.scrollingElement.scrollWidth <= innerWidth"), f"{what}: the page is too wide")
        if given.shots:
            page.driver.save_screenshot(str(given.shots / f"changes-{number:02}-{what}.png"))
        if axe:
            found = page.driver.execute_async_script(
                axe + "; const done = arguments[0]; axe.run().then((r) => done(r.violations.map((v) => v.id + ' ' + v.nodes[0].target)))")
            equal(found, [], f"{what} {scheme} {width}: axe")

    for scheme in base.SCHEMES:
        for width in base.WIDTHS:
            page.resize(width, 800, scheme)
            page.open("/#/rules")
            shown("rules", "document.querySelector('.rules .said, .screen .notice')")
            page.open("/#/runs")
            shown("runs", "document.querySelector('.run, .screen .notice')")
            page.keys("y")
            shown("replay", "document.querySelector('dialog .run-form')")
            page.keys(Keys.ESCAPE)
            page.open("/#/paused")
            shown("paused", "document.querySelector('.screen .notice, .message-form')")
            page.open(f"/#/list?id={id}")
            page.until("the detail", "document.querySelector('tl-detail:not([hidden]) .acts')")
            page.keys("l")
            shown("hook", "document.querySelector('dialog .recipe')?.textContent")
            page.keys(Keys.ESCAPE)
            if page.api("info")["can"]["resend"]:
                page.keys("R")
                shown("resend", "document.querySelector('dialog.editing[open]')")
                page.keys(Keys.ESCAPE)
    page.resize(1280, 800)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--rules", type=pathlib.Path)
    parser.add_argument("--pause")
    parser.add_argument("--axe", type=pathlib.Path)
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("--only")
    given = parser.parse_args()
    tests = [test_without, test_resend, test_runs]
    if given.rules:
        tests += [test_diagnostics, test_order, test_by_hand, test_past, test_make]
    if given.pause:
        tests.append(test_paused)
    tests.append(look)
    former = given.rules.read_bytes() if given.rules else None
    page, failed, passed = base.Page(given.url), 0, 0
    page.open()
    try:
        for test in tests:
            name = test.__name__.removeprefix("test_")
            if given.only and given.only != name:
                continue
            try:
                test(page, given)
                wrong = [message for message in base.console(page) if "status of 4" not in message]
                equal(wrong, [], "the console")
                passed += 1
            except (AssertionError, WebDriverException, subprocess.CalledProcessError) as error:
                failed += 1
                print(f"changes: {name}: {str(error)[:500]}", file=sys.stderr)
    finally:
        page.driver.quit()
        if former is not None:
            given.rules.write_bytes(former)
    print(f"changes: {passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
