#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prints the names, messages and texts of failures in a report in the format of JUnit."""

import sys
import xml.etree.ElementTree as tree

for case in tree.parse(sys.argv[1]).iter("testcase"):
    failure = case.find("failure")
    print(case.get("name"), failure.get("message"))
    print(failure.text)
