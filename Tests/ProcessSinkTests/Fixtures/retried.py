#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A sink that fails at its first batch, ends at the second, and then stores the ids of records.

Each call adds a letter to the file that is given; the ids are in the file with that name and `.ids`.
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "Examples/plugins/python"))
import tapline_plugin

seen = sys.argv[1]


def store(records):
    step = os.path.getsize(seen) if os.path.exists(seen) else 0
    with open(seen, "a") as file:
        file.write("x")
    if step == 0:
        raise OSError
    if step == 1:
        os._exit(1)
    with open(seen + ".ids", "a") as file:
        for record in records:
            file.write(record["id"] + "\n")


tapline_plugin.sink("t", "1", store)
