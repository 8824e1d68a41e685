# SPDX-License-Identifier: MIT
"""Records of requests."""


def is_record(record, method, url, status):
    request = record["request"]
    return (request["method"] == method and request.get("url", request.get("target")) == url
            and record.get("response", {}).get("status") == status)


def summary(record):
    request = record["request"]
    return (request["method"], request.get("url"), record.get("response", {}).get("status"),
            record.get("state"), record.get("error"), record.get("tags"), record.get("connection"))
