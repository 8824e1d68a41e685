#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes COUNT exchanges of about 1.4 KB as NDJSON to standard output.

    store_traffic.py COUNT [--gzip]

They go to 400 routes of 20 hosts, some far more often than others. Half of the responses are JSON,
the others are text, and every response is different. The output is the same each time. With --gzip,
the bodies of responses are compressed.
"""
import base64
import gzip
import json
import random
import sys
import time

NOUNS = ("users orders carts items prices stock search login reviews images pages events jobs mails "
         "tokens teams plans bills refunds labels").split()
START = 1_764_000_000_000_000
STATUSES = [200, 201, 204, 301, 304, 400, 401, 404, 422, 500, 502, 503]
WEIGHTS = [700, 60, 40, 20, 60, 20, 20, 40, 10, 15, 10, 5]


def bodies(words):
    """Returns JSON texts, escaped as strings of JSON, without the first brace."""
    for _ in range(20_000):
        body = {
            "id": random.randint(1, 10**9),
            "name": " ".join(random.choices(words, k=6)),
            "price": round(random.random() * 1000, 2),
            "tags": random.choices(words, k=5),
            "text": " ".join(random.choices(words, k=70)),
        }
        yield json.dumps(json.dumps(body, separators=(",", ":")))[2:]


def compressed(text):
    """Returns the content of a body as base64, and its size."""
    content = gzip.compress(json.loads(text).encode(), mtime=0)
    return base64.b64encode(content).decode(), len(content)


def main():
    count, is_compressed = int(sys.argv[1]), "--gzip" in sys.argv
    random.seed(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(random.choices(letters, k=random.randint(3, 10))) for _ in range(5000)]
    texts = list(bodies(words))
    routes = [(f"svc{host}.shop.test", noun) for host in range(20) for noun in NOUNS]
    statuses = random.choices(STATUSES, WEIGHTS, k=100_000)
    second, stamp, lines = None, "", []
    for i in range(count):
        host, noun = routes[int(random.random() ** 2 * len(routes))]
        started = START + i * 2000
        if started // 1_000_000 != second:
            second = started // 1_000_000
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
        ms = started // 1000
        ident = (f"{ms >> 16:08x}-{ms & 0xffff:04x}-7{random.getrandbits(12):03x}-"
                 f"8{random.getrandbits(12):03x}-{random.getrandbits(48):012x}")
        duration = random.lognormvariate(3, 1.2)
        text = '"{\\"n\\":%d,%s' % (i, texts[(i * 7919) % len(texts)])
        kind = "application/json"
        if i % 2 == 0:
            text, kind = text.replace(",", " "), "text/plain"
        size = len(text) - text.count("\\") - 2
        body, coding = f'"text":{text}', ""
        if is_compressed:
            content, size = compressed(text)
            body = f'"coding":"gzip","base64":"{content}"'
            coding = '["Content-Encoding","gzip"],'
        method, sent = "GET", ""
        if i % 4 == 0:
            method = "POST"
            sent = f'"body":{{"text":"{{\\"q\\":{i},\\"w\\":\\"{words[i % len(words)]}\\"}}"}},'
        lines.append(
            f'{{"v":1,"id":"{ident}","source":"proxy","state":"completed",'
            f'"started":"{stamp}.{started % 1_000_000:06d}Z",'
            f'"timing":{{"wait_ms":{duration * 0.8:.3f},"total_ms":{duration:.3f}}},'
            f'"client":"10.0.{i % 7}.{i % 250}:5{i % 9999:04d}","server":"10.1.0.{i % 20}:443",'
            f'"request":{{"method":"{method}","url":"https://{host}/{noun}/{i % 100000}?page={i % 50}",'
            f'"version":"HTTP/1.1","headers":[["Host","{host}"],["User-Agent","app/2.{i % 5}"],'
            f'["Accept","application/json"],["X-Request-Id","{ident}"]],{sent}"trailers":[]}},'
            f'"response":{{"status":{statuses[i % len(statuses)]},"reason":"OK","version":"HTTP/1.1",'
            f'"headers":[["Content-Type","{kind}"],["Content-Length","{size}"],'
            f'["Date","Wed, 26 Nov 2025 08:00:00 GMT"],{coding}["Cache-Control","no-store"]],'
            f'"body":{{{body},"size":{size}}}}}}}\n')
        if len(lines) == 5000:
            sys.stdout.write("".join(lines))
            lines = []
    sys.stdout.write("".join(lines))


main()
