# SPDX-License-Identifier: MIT
"""A Chromium in which pages are timed, from within the page itself."""
import pathlib
import re

from selenium import webdriver

# Notes when the first row was painted, and the tasks that block the page.
WATCH = """
window.bench = { first: 0, frames: 0, tasks: [] };
new PerformanceObserver((list) => bench.tasks.push(...list.getEntries().map((task) => task.duration)))
    .observe({ type: "longtask", buffered: true });
bench.painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
bench.look = () => {
    bench.frames += 1;
    if (!bench.first && document.querySelector(%r)?.textContent) {
        bench.first = -1;
        bench.painted().then(() => bench.first = performance.now());
    }
    requestAnimationFrame(bench.look);
};
requestAnimationFrame(bench.look);
"""
TIMED = """
const done = arguments[arguments.length - 1];
(async () => {
    const start = performance.now();
    (function () { %s })(...arguments);
    while (!(%s)) {
        if (performance.now() - start > %d * 1000) return done(null);
        await new Promise(requestAnimationFrame);
    }
    await bench.painted();
    done(performance.now() - start);
})();
"""


class Browser:
    """Chromium without a window; `shown` selects what has text once the first row is there."""

    def __init__(self, shown):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,800"):
            options.add_argument(argument)
        service = webdriver.chrome.service.Service("/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(service=service, options=options)
        self.driver.set_script_timeout(400)
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCH % shown)

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def open(self, url, limit=30):
        """Returns the time from the start of loading to the first painted row, in milliseconds.

        Also waits until there is a box to type a filter in.
        """
        self.driver.get("about:blank")
        self.driver.get(url)
        self.timed("", "window.bench?.first > 0 && document.querySelector('input')", limit=limit)
        return self.driver.execute_script("return bench.first")

    def timed(self, action, holds, *values, limit=30):
        """Returns the time until a condition holds after an action and is painted, in milliseconds."""
        time = self.driver.execute_async_script(TIMED % (action, holds, limit), *values)
        if time is None:
            raise RuntimeError(f"after {limit} s, this does not hold: {holds}; the page shows: "
                               + self.driver.execute_script("return document.body.innerText.slice(0, 400)"))
        return time

    def long_tasks(self):
        """Returns the durations of the tasks over 50 ms since the last call, in milliseconds."""
        return self.driver.execute_script("return bench.tasks.splice(0)")

    def heap(self):
        """Returns the bytes of the page's heap after a collection."""
        self.cdp("HeapProfiler.collectGarbage")
        return self.cdp("Runtime.getHeapUsage")["usedSize"]

    def scroll(self, seconds):
        """Turns the wheel for some time; returns the count of frames."""
        return self.driver.execute_async_script("""
            const [seconds, done] = arguments;
            const grid = document.querySelector("#grid");
            const start = performance.now(), frames = bench.frames;
            let turns = 0;
            const turn = () => {
                const passed = performance.now() - start;
                if (passed > seconds * 1000) return done(bench.frames - frames);
                // Mostly down by less than a screen, sometimes far along the scroll bar.
                turns += 1;
                if (turns % 100 === 0) grid.scrollTop = Math.random() * grid.scrollHeight;
                else grid.scrollTop += 300;
                setTimeout(turn, 30);
            };
            turn();
            """, seconds)

    def count_of_rows(self):
        return self.driver.execute_script(
            "return Number(document.querySelector('#grid').getAttribute('aria-rowcount')) - 1")

    def close(self):
        self.driver.quit()


def server_memory(pid):
    """Returns the most memory that a process has used, in MiB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024
