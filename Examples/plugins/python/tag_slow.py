#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A stage: tags slow exchanges, and drops what a health check asks."""

import tapline_plugin


def decide(record):
    if record["request"]["url"].endswith("/health"):
        return "health check"
    if record.get("timing", {}).get("total_ms", 0) < 200:
        return True
    record.setdefault("tags", {})["slow"] = "yes"
    return record


if __name__ == "__main__":
    tapline_plugin.stage("tag-slow", "1.0", decide)
