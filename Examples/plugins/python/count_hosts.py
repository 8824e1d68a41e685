#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A sink: counts exchanges by host and status in a file that is replaced as a whole."""

import collections
import json
import os
import sys
import urllib.parse

import tapline_plugin

counts = collections.Counter()


def store(records):
    for record in records:
        host = urllib.parse.urlsplit(record["request"]["url"]).hostname
        counts[f"{host} {record.get('response', {}).get('status', 'none')}"] += 1


def flush():
    with open(sys.argv[1] + ".new", "w") as file:
        json.dump(counts, file, indent=1, sort_keys=True)
    os.replace(sys.argv[1] + ".new", sys.argv[1])


if __name__ == "__main__":
    tapline_plugin.sink("count-hosts", "1.0", store, flush)
