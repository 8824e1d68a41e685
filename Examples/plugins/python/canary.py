#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A wire stage: sends requests of testers to the new version, and answers its own address."""

import tapline_plugin


def decide(hook, exchange):
    if hook != "request":
        return None
    request = exchange["request"]
    if request["url"].endswith("/canary"):
        return {"verdict": "respond", "response": {
            "status": 200, "headers": [["Content-Type", "text/plain"]], "body": {"text": "canary\n"}}}
    if ["X-Tester", "yes"] not in request["headers"]:
        return None
    request["headers"].append(["X-Version", "next"])
    return {"verdict": "pass", "request": request}


if __name__ == "__main__":
    tapline_plugin.wire("canary", "1.0", decide)
