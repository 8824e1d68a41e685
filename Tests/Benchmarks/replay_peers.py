# SPDX-License-Identifier: MIT
"""The generators of load that `replay` compares, each told to send requests at a rate. Those of Debian
(`hey`, and `h2load` of nghttp2-client) are found by their names, the others by options."""

import json
import shutil

CONNECTIONS = 16


class Generator:
    """How a program is called: `words(url, rate, seconds, folder)`."""

    def __init__(self, name, path, words):
        self.name, self.path, self.words = name, path, words

    def command(self, url, rate, seconds, folder):
        return [self.path, *self.words(url, rate, seconds, folder)]


def hey(url, rate, seconds, _):
    return ["-z", f"{seconds}s", "-c", CONNECTIONS, "-q", rate / CONNECTIONS, url]


def h2load(url, rate, seconds, _):
    return ["--h1", "-t1", f"-c{CONNECTIONS}", f"--rps={rate / CONNECTIONS}", "-n",
            round(rate * seconds / CONNECTIONS) * CONNECTIONS, url]


def wrk2(url, rate, seconds, _):
    return ["-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", f"-R{rate}", url]


def vegeta(url, rate, seconds, folder):
    (folder / "targets").write_text(f"GET {url}\n")
    return ["attack", "-targets=targets", f"-rate={rate}", f"-duration={seconds}s", "-output=/dev/null"]


def goreplay(url, rate, seconds, folder):
    """Its only exact rate is that of a recording."""
    write_goreplay(folder / "requests.gor", (index / rate for index in range(rate * seconds)))
    return ["--input-file", "requests.gor", "--output-http", url.rsplit("/", 1)[0], "--output-http-workers",
            CONNECTIONS, "--exit-after", f"{seconds + 2}s"]


def write_goreplay(path, due):
    """Writes requests that are due at times, in seconds, in GoReplay's format."""
    with path.open("w") as output:
        for number, when in enumerate(due):
            output.write(f"1 {number:024x} {1_800_000_000_000_000_000 + round(when * 1e9)} 0\n"
                         "GET /items/1 HTTP/1.1\r\nHost: shop.test\r\n\r\n\n\U0001f435\U0001f648\U0001f649\n")


def installed(options):
    """The generators that are there."""
    known = [("wrk2", options.wrk2, wrk2), ("h2load", shutil.which("h2load"), h2load),
             ("Vegeta", options.vegeta, vegeta), ("GoReplay", options.goreplay, goreplay),
             ("hey", shutil.which("hey"), hey)]
    return [Generator(name, path, words) for name, path, words in known if path]


def write_recording(path, due, host="shop.test", body=None):
    """Writes GET requests that started at times, in seconds, as NDJSON."""
    with path.open("w") as output:
        for number, when in enumerate(due):
            micros = round(when * 1e6)
            seconds, rest = divmod(micros, 1_000_000)
            text = f"2026-11-20T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:06}Z"
            record = {"v": 1, "id": f"01931234-5678-7abc-8def-{number:012x}", "state": "completed", "started": text,
                      "client": f"127.0.0.1:{20_000 + number % CONNECTIONS}", "timing": {"total_ms": 1},
                      "request": {"method": "GET", "url": f"http://{host}/items/{number}", "version": "HTTP/1.1",
                                  "headers": [["Host", host], ["Accept", "*/*"]]},
                      "response": {"status": 200, "version": "HTTP/1.1", "headers": [["Content-Type", "text/plain"]]}}
            if body is not None:
                kind, content = body(number)
                record["response"]["headers"] = [["Content-Type", kind], ["Content-Length", str(len(content))]]
                record["response"]["body"] = {"text": content, "size": len(content)}
            output.write(json.dumps(record, separators=(",", ":")) + "\n")
