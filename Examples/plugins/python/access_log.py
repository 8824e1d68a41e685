#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A source: reads an access log in the combined format, and sends a record for each line."""

import datetime
import re
import sys

import tapline_plugin

LINE = re.compile(r'\S+ \S+ \S+ \[([^]]+)\] "(\S+) (\S+) ([^"]*)" (\d{3}) (\d+|-)')


def records():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        for line in log:
            found = LINE.match(line)
            if not found:
                print("a line is no request")  # To Tapline's log.
                continue
            at, method, target, version, status, size = found.groups()
            started = datetime.datetime.strptime(at, "%d/%b/%Y:%H:%M:%S %z")
            yield {
                "v": 1, "started": started.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z"),
                "request": {"method": method, "url": f"https://{sys.argv[2]}{target}", "version": version},
                "response": {"status": int(status), "version": version,
                             "body": {"size": 0 if size == "-" else int(size)}},
            }


if __name__ == "__main__":
    tapline_plugin.source("access-log", "1.0", records)
