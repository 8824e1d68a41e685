# SPDX-License-Identifier: MIT
"""The same exchanges as a HAR in the format of browsers, and the values that only a HAR has."""

import base64
import json
import urllib.parse

import codings


def pairs(fields):
    """Returns fields in HAR's format, without those that are not text."""
    return [{"name": name, "value": value} for name, value in fields if isinstance(value, str)]


def content(body):
    """Returns a body, decoded as HAR requires."""
    if not body:
        return {"size": 0}
    data = base64.b64decode(body["base64"]) if "base64" in body else body["text"].encode()
    undo = {"gzip": lambda data: codings.zlib.decompress(data, 31), "deflate": codings.zlib.decompress,
            "br": codings.unbrotli, "zstd": codings.unzstd}
    if "coding" in body:
        data = undo[body["coding"]](data)
    try:
        return {"size": len(data), "text": data.decode()}
    except UnicodeDecodeError:
        return {"size": len(data), "text": codings.b64(data), "encoding": "base64"}


def entry(record):
    request, response = record["request"], record["response"]
    kind = dict((name.lower(), value) for name, value in request["headers"] if isinstance(value, str)).get("content-type", "")
    query = urllib.parse.urlsplit(request["url"]).query
    made = {
        "startedDateTime": record["started"], "time": 1.5, "_id": record["id"], "cache": {},
        "timings": {"send": 0, "wait": 1, "receive": 0.5},
        "request": {"method": request["method"], "url": request["url"], "httpVersion": request["version"],
                    "headers": pairs(request["headers"]), "cookies": [], "headersSize": -1, "bodySize": -1,
                    "queryString": [{"name": name, "value": value} for name, value in urllib.parse.parse_qsl(query)]},
        "response": {"status": response["status"], "statusText": response["reason"], "httpVersion": response["version"],
                     "headers": pairs(response["headers"]), "cookies": [], "redirectURL": "", "headersSize": -1, "bodySize": -1,
                     "content": {**content(response.get("body")), "mimeType": dict(pair for pair in response["headers"] if isinstance(pair[1], str)).get("Content-Type", "")}},
    }
    if "body" in request:
        body = content(request["body"])
        made["request"]["postData"] = {"mimeType": kind, "text": body["text"], **({"encoding": "base64"} if "encoding" in body else {})}
    if "tags" in record:
        made["_tags"] = record["tags"]
    if "messages" in record:
        made["_webSocketMessages"] = [
            {"type": "send" if message["dir"] == "up" else "receive", "time": 1795000000.5,
             "opcode": 2 if "base64" in message else 1, "data": message.get("base64", message.get("text"))}
            for message in record["messages"]]
    return made


def of(records, plan):
    """Returns the archive as bytes, and adds the values that occur only here to the plan."""
    entries = [entry(record) for record in records]
    form = {"name": "canary_form_a", "value": plan.named("form canary_form_a", "params of a HAR")}
    entries[0]["request"]["postData"] = {"mimeType": "application/x-www-form-urlencoded", "params": [form]}
    entries[1]["comment"] = f"see {plan.formed('comment of a HAR')}"
    page = {"startedDateTime": "2026-11-20T14:03:00Z", "id": "p", "title": plan.formed("title of a page", is_stored=False), "pageTimings": {}}
    return json.dumps({"log": {"version": "1.2", "creator": {"name": "canary", "version": "1"}, "pages": [page], "entries": entries}}, indent=1).encode()
