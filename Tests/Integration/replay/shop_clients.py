#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Clients of shop_service.py, half of them programs and half of them browsers, through a proxy.

    http_proxy=http://ADDRESS:PORT shop_clients.py URL [--sessions N] [--at-once N]

Each session has about 25 requests and continues with what the answers handed out. Prints how many
requests were sent. The exit code is 1 if one of them failed.
"""

import argparse
import concurrent.futures
import http.client
import itertools
import json
import os
import random
import re
import sys
import urllib.parse

NUMBERS = itertools.count(1)


class Failed(Exception):
    """An answer has an unexpected status."""


class Client:
    """A client with its own connection to the proxy, or with one for each request."""

    def __init__(self, url, keeps):
        proxy = os.environ.get("http_proxy")
        self.url, self.keeps, self.cookies, self.sent = url.rstrip("/"), keeps, {}, 0
        self.prefix = self.url if proxy else ""
        self.peer = urllib.parse.urlsplit(proxy or url).netloc
        self.connection = None

    def send(self, method, path, expected, body=None, kind=None, **fields):
        headers = {"X-Number": str(next(NUMBERS)), "Host": urllib.parse.urlsplit(self.url).netloc,
                   "User-Agent": "shop/1", **{name.replace("_", "-"): value for name, value in fields.items()}}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if body is not None:
            headers["Content-Type"] = kind
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.peer, timeout=20)
        self.connection.request(method, self.prefix + path, body, headers)
        response = self.connection.getresponse()
        data = response.read()
        self.sent += 1
        if not self.keeps:
            self.close()
        for cookie in response.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        if response.status != expected:
            raise Failed(f"{method} {path}: {response.status} instead of {expected}: {data[:200]}")
        return data, response.headers

    def json(self, method, path, expected=200, value=None, **fields):
        body = None if value is None else json.dumps(value)
        data, headers = self.send(method, path, expected, body, "application/json", **fields)
        return (json.loads(data) if data else None), headers

    def post(self, path, expected, **form):
        return self.send("POST", path, expected, urllib.parse.urlencode(form), "application/x-www-form-urlencoded")

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


def program(client, user, choice):
    """Signs in, reads all pages, orders and pays, and continues with a new token."""
    def authorized(answer):
        return {"Authorization": f"Bearer {answer['access_token']}"}

    login, _ = client.json("POST", "/api/login", value={"user": user, "password": f"correct-{user}"})
    token = authorized(login)
    client.json("GET", f"/api/users/{login['user']['id']}", **token)
    page, _ = client.json("GET", "/api/items", **token)
    while page["next"]:
        page, _ = client.json("GET", f"/api/items?cursor={page['next']}", **token)
    for number in range(3):
        order, made = client.json("POST", "/api/orders", 201, {"item": choice.randint(1, 40),
                                                               "quantity": choice.randint(1, 3)}, **token)
        _, read = client.json("GET", made["Location"], **token)
        if number == 1:
            login, _ = client.json("POST", "/api/refresh", value={"refresh_token": login["refresh_token"]})
            token = authorized(login)
        client.json("PUT", f"/api/orders/{order['id']}", value={"id": order["id"], "state": "confirmed"},
                    If_Match=read["ETag"], **token)
        if number == 2:
            client.json("DELETE", f"/api/orders/{order['id']}?reference={order['reference']}", 204, **token)
            client.json("GET", f"/api/orders/{order['id']}", 404, **token)
        else:
            paid, _ = client.json("POST", "/api/payments", 201,
                                  {"order": {"id": order["id"], "reference": order["reference"]}}, **token)
            client.json("GET", f"/api/payments/{paid['payment']}?order={paid['order']}", **token)
    client.json("GET", "/api/orders", **token)
    client.json("POST", "/api/logout", 204, **token)


def browser(client, user, choice):
    """Signs in by a form and buys; each form has a one-time token."""
    def token(page):
        return re.search(rb'name="csrf_token" value="(\w+)"', page)[1].decode()

    client.send("GET", "/assets/shop.css", 200)
    page, _ = client.send("GET", "/login", 200)
    _, moved = client.post("/login", 303, csrf_token=token(page), user=user, password=f"correct-{user}")
    client.send("GET", moved["Location"], 200)
    for _ in range(5):
        page, _ = client.send("GET", "/cart", 200)
        _, moved = client.post("/cart", 303, csrf_token=token(page), item=choice.randint(1, 40),
                               quantity=choice.randint(1, 3))
        page, _ = client.send("GET", moved["Location"], 200)
        link = re.search(rb'href="(/invoices/[^"]+)"', page)[1].decode()
        client.send("GET", link, 200)
    client.send("GET", "/assets/none", 200)


def session(url, number):
    # A tenth of the clients of each kind use a new connection for each request.
    client = Client(url, keeps=number % 20 not in (8, 9))
    try:
        (program if number % 2 else browser)(client, f"user{number}@customers.test", random.Random(number))
    finally:
        client.close()
    return client.sent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--at-once", type=int, default=20)
    options = parser.parse_args()
    failures, sent = 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        for done in [pool.submit(session, options.url, number) for number in range(options.sessions)]:
            try:
                sent += done.result()
            except (Failed, OSError, http.client.HTTPException) as error:
                failures += 1
                print(f"failed: {error}", file=sys.stderr)
    print(sent)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
