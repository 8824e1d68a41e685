#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A sink whose first program ends during `flush`; each call of it adds a letter to the file that is given."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "Examples/plugins/python"))
import tapline_plugin

seen = sys.argv[1]


def flush():
    with open(seen, "a") as file:
        file.write("x")
    if os.path.getsize(seen) == 1:
        os._exit(1)


tapline_plugin.sink("t", "1", lambda records: None, flush)
