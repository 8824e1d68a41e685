# SPDX-License-Identifier: MIT
"""A Chromium with the inspector's page."""

import time

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


class Page:
    """A browser with the page, and what the tests ask of it."""

    def __init__(self, url):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                         "--ignore-certificate-errors"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.chrome.service.Service("/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(service=service, options=options)
        self.url, self.origin = url, url.split("/#")[0]
        self.resize(1280, 800)

    def resize(self, width, height, scheme="light"):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, address=""):
        self.driver.get("about:blank")
        self.driver.get(self.origin + address if address else self.url)
        self.until("rows or a notice", "document.querySelector('.row:not(.heads) .path:not(:empty), .notice, tl-detail h2, .screen h2')")
        self.until("the keys", "document.querySelector('#ready')")

    def refresh(self):
        self.driver.refresh()
        self.until("the keys", "document.querySelector('#ready')")

    def js(self, script, *values):
        return self.driver.execute_script("return " + script, *values)

    def api(self, path):
        return self.driver.execute_async_script(
            "const done = arguments[1], headers = { 'Tapline-Key': localStorage.getItem('tapline.key') ?? '' }; "
            "fetch('/api/' + arguments[0], { headers }).then((a) => a.json()).then(done, () => done(null))", path)

    def until(self, what, script, *values):
        end = time.monotonic() + 10
        while time.monotonic() < end:
            if found := self.js(script, *values):
                return found
            time.sleep(0.02)
        raise AssertionError(f"timed out waiting for {what}; the page shows: {self.text('body')[:300]!r}")

    def text(self, selector):
        return self.js("document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def keys(self, *keys):
        for key in keys:
            webdriver.ActionChains(self.driver).send_keys(key).perform()

    def click(self, selector):
        self.until(selector, "document.querySelector(arguments[0])?.offsetParent", selector)
        for attempt in range(10):
            try:
                self.driver.find_element(By.CSS_SELECTOR, selector).click()
                return
            except WebDriverException:  # drawn again in between
                if attempt == 9:
                    raise
                time.sleep(0.1)

    def current(self):
        """The number of the current row, counted from 0, as screen readers get it; -1 without one."""
        return self.js("Number(document.getElementById(document.querySelector('#grid').getAttribute("
                       "'aria-activedescendant') ?? '')?.getAttribute('aria-rowindex') ?? 1) - 2")

    def until_current(self, expected, what):
        """Waits until a row is the current one; rows are drawn in the frame after a key."""
        end = time.monotonic() + 10
        while self.current() != expected and time.monotonic() < end:
            time.sleep(0.02)
        equal(self.current(), expected, what)

    def filter(self, text):
        self.keys("/")
        self.js("document.activeElement.select()")
        self.keys(text or Keys.BACKSPACE, Keys.ENTER)


def equal(found, expected, what):
    if found != expected:
        raise AssertionError(f"{what}: {found!r}, expected {expected!r}")


def true(found, what):
    if not found:
        raise AssertionError(what)
