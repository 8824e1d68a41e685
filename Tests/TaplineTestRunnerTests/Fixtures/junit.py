# SPDX-License-Identifier: MIT
"""Checks the form of a JUnit report, and prints names and counts.

    junit.py FILE
"""
import sys
import xml.etree.ElementTree as tree

root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites" and not root.attrib, root.attrib
for suite in root:
    assert suite.tag == "testsuite"
    others = [c.tag for c in suite if c.tag != "testcase"]
    assert others == ["properties", "system-out", "system-err"]
    assert suite[0].tag == "properties"
    assert set(suite.attrib) == {
        "name", "package", "id", "hostname", "timestamp", "tests", "failures", "errors", "time"}
    assert int(suite.get("tests")) == len(suite.findall("testcase"))
    assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
    float(suite.get("time"))
    assert suite.get("timestamp") == "2026-01-01T00:00:00"
    for case in suite.findall("testcase"):
        assert set(case.attrib) == {"name", "classname", "time"}
        for failure in case:
            assert failure.tag in ("failure", "error")
            assert set(failure.attrib) == {"type", "message"}
            is_explained = "expected" in failure.text and "found" in failure.text
            assert failure.tag == "error" or is_explained
        print(repr(case.get("name")), len(case))
print(root[0].get("name"), root[0].get("failures"), root[1].get("tests"), root[2].get("errors"))
