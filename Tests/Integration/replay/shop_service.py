#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A shop whose answers can only be used by the client that got them, for tests of replay.

    shop_service.py [--port N] [--seed N] [--any-password] [--master-password TEXT]
                    [--regress NAME,...] [--log FILE] [--delay SECONDS] [--address]

It hands out bearer tokens, session cookies, one-time tokens in HTML forms, cursors, ETags and random
ids, and refuses all that it has not handed out. Each seed hands out other ones. It prints its port. On
SIGTERM it ends and prints how it answered, as JSON. With --log, the id of each request that arrives is
appended to FILE at once, so that it survives SIGKILL.

Regressions: `field` changes a field of an order, `status` the status of profiles, `missing` leaves an
element out of the list of items.
"""

import argparse
import asyncio
import collections
import datetime
import email.utils
import html
import json
import os
import random
import re
import signal
import urllib.parse
import uuid

REGRESSIONS = {"field": "GET /api/orders/{id}", "status": "GET /api/users/{id}", "missing": "GET /api/items"}
WORDS = ["tea", "coffee", "cup", "pot", "spoon", "sieve", "tin", "tray"]
CATALOGUE = [{"id": number, "name": f"{WORDS[number % 8]} {number}", "price": 250 + 35 * number,
              "tags": [WORDS[number % 8], WORDS[number * 3 % 8]]} for number in range(1, 41)]
PAGE = 8


class Refused(Exception):
    """The request is answered with this status and reason."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


class Request:
    def __init__(self, method, target, fields, body):
        parts = urllib.parse.urlsplit(target)
        self.method, self.path, self.fields, self.body = method, parts.path, fields, body
        self.query = dict(urllib.parse.parse_qsl(parts.query))

    def cookie(self, name):
        for pair in self.fields.get("cookie", "").split(";"):
            key, _, value = pair.strip().partition("=")
            if key == name:
                return value
        return None

    def json(self):
        try:
            value = json.loads(self.body)
        except ValueError:
            raise Refused(400, "not JSON") from None
        if not isinstance(value, dict):
            raise Refused(400, "not an object")
        return value

    def form(self):
        return dict(urllib.parse.parse_qsl(self.body.decode("utf-8", "replace")))


class Response:
    def __init__(self, status, body=b"", kind=None, **fields):
        self.status, self.body, self.kind, self.fields = status, body, kind, fields

    @staticmethod
    def json(value, status=200, **fields):
        return Response(status, json.dumps(value).encode(), "application/json", **fields)

    @staticmethod
    def page(text, status=200, **fields):
        return Response(status, f"<!doctype html><html><body>{text}</body></html>".encode(),
                        "text/html; charset=utf-8", **fields)


def now():
    return datetime.datetime.now(datetime.timezone.utc)


class Shop:
    """The state of a shop. Each route is a method whose documentation is its method and template."""

    def __init__(self, options):
        self.random, self.any_password = random.Random(options.seed), options.any_password
        self.master_password, self.regress = options.master_password, options.regress
        self.bearers, self.refreshes, self.cookies, self.visits = {}, {}, {}, {}
        self.users, self.orders, self.payments, self.cursors = {}, {}, {}, {}
        self.carts, self.receipts = {}, {}
        self.counts = collections.defaultdict(collections.Counter)
        self.routes = []
        for name in dir(Shop):
            if (handler := getattr(self, name)).__doc__ and name.startswith("do_"):
                method, template = handler.__doc__.split()
                pattern = re.sub(r"\{id\}", r"([^/]+)", template)
                self.routes.append((method, re.compile(pattern), f"{method} {template}", handler))

    # MARK: what is handed out

    def token(self):
        return "".join(self.random.choices("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=32))

    def number(self):
        return self.random.randrange(10_000_000, 999_999_999)

    def uuid(self):
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def shuffled(self, values):
        return self.random.sample(values, len(values))

    # MARK: who asks

    def checked(self, name, password):
        if not name or not (self.any_password or password in (f"correct-{name}", self.master_password)):
            raise Refused(403, "wrong password")
        return self.users.setdefault(name, {"id": self.number(), "name": name, "orders": []})

    def caller(self, request):
        """The user of a bearer token."""
        scheme, _, token = request.fields.get("authorization", "").partition(" ")
        if scheme != "Bearer" or token not in self.bearers:
            raise Refused(401, "unknown bearer token")
        return self.bearers[token]

    def visitor(self, request):
        """The user of a session cookie."""
        user = self.cookies.get(request.cookie("session"))
        if user is None:
            raise Refused(401, "unknown session")
        return user

    def own(self, things, key, user):
        thing = things.get(key)
        if thing is None or thing["owner"] is not user:
            raise Refused(404, "no such thing")
        return thing

    # MARK: the interface in JSON

    def do_login(self, request):
        """POST /api/login"""
        given = request.json()
        user = self.checked(given.get("user"), given.get("password"))
        return self.signed_in(user)

    def do_refresh(self, request):
        """POST /api/refresh"""
        user = self.refreshes.pop(request.json().get("refresh_token"), None)
        if user is None:
            raise Refused(401, "unknown refresh token")
        for token in [token for token, owner in self.bearers.items() if owner is user]:
            del self.bearers[token]
        return self.signed_in(user)

    def signed_in(self, user):
        access, refresh = self.token(), self.token()
        self.bearers[access], self.refreshes[refresh] = user, user
        return Response.json({"access_token": access, "token_type": "Bearer", "refresh_token": refresh,
                              "expires_at": int(now().timestamp()) + 3600,
                              "user": {"id": user["id"], "name": user["name"]}})

    def do_profile(self, request, number):
        """GET /api/users/{id}"""
        user = self.caller(request)
        if str(user["id"]) != number:
            raise Refused(403, "another user's profile")
        if "status" in self.regress:
            raise Refused(500, "planted")
        return Response.json({"id": user["id"], "name": user["name"], "language": "en",
                              "seen_at": now().isoformat()})

    def do_items(self, request):
        """GET /api/items"""
        self.caller(request)
        start = 0
        if (cursor := request.query.get("cursor")) is not None:
            start = self.cursors.pop(cursor, None)
            if start is None:
                raise Refused(404, "unknown cursor")
        page, following = self.shuffled(CATALOGUE[start:start + PAGE]), None
        if "missing" in self.regress:
            page.remove(CATALOGUE[start])
        if start + PAGE < len(CATALOGUE):
            following = self.token()
            self.cursors[following] = start + PAGE
        return Response.json({"items": page, "total": len(CATALOGUE), "next": following})

    def do_order(self, request):
        """POST /api/orders"""
        user, wanted = self.caller(request), request.json()
        if wanted.get("item") not in range(1, 41):
            raise Refused(409, "no such item")
        order = {"id": self.number(), "reference": self.uuid(), "item": wanted["item"],
                 "quantity": wanted.get("quantity", 1), "state": "open", "owner": user, "tag": self.token()}
        self.orders[str(order["id"])] = order
        user["orders"].append(order)
        return Response.json(self.shown(order), 201, Location=f"/api/orders/{order['id']}")

    def shown(self, order):
        shown = {name: order[name] for name in ("id", "reference", "item", "quantity", "state")}
        shown["total"] = CATALOGUE[order["item"] - 1]["price"] * order["quantity"]
        shown["currency"] = "EUR"
        shown["at"] = now().isoformat()
        return shown

    def do_orders(self, request):
        """GET /api/orders"""
        orders = self.shuffled(self.caller(request)["orders"])
        return Response.json({"orders": [{"id": order["id"], "item": order["item"]} for order in orders]})

    def do_read_order(self, request, number):
        """GET /api/orders/{id}"""
        order = self.own(self.orders, number, self.caller(request))
        shown = self.shown(order)
        if "field" in self.regress:
            shown["currency"] = "EURO"
        return Response.json(shown, ETag=f'"{order["tag"]}"')

    def do_change_order(self, request, number):
        """PUT /api/orders/{id}"""
        order, given = self.own(self.orders, number, self.caller(request)), request.json()
        if request.fields.get("if-match") != f'"{order["tag"]}"':
            raise Refused(412, "the order has changed")
        if given.get("id") != order["id"]:
            raise Refused(409, "the id is another order's")
        order["state"], order["tag"] = given.get("state", "open"), self.token()
        return Response.json(self.shown(order), ETag=f'"{order["tag"]}"')

    def do_pay(self, request):
        """POST /api/payments"""
        user, given = self.caller(request), request.json()
        order = self.own(self.orders, str(given.get("order", {}).get("id")), user)
        if given["order"].get("reference") != order["reference"] or order["state"] != "confirmed":
            raise Refused(409, "the order cannot be paid")
        order["state"] = "paid"
        payment = {"id": self.uuid(), "order": order["id"], "owner": user}
        self.payments[payment["id"]] = payment
        return Response.json({"payment": payment["id"], "order": order["id"], "paid_at": now().timestamp()}, 201)

    def do_payment(self, request, key):
        """GET /api/payments/{id}"""
        payment = self.own(self.payments, key, self.caller(request))
        if request.query.get("order") != str(payment["order"]):
            raise Refused(409, "the payment is of another order")
        return Response.json({"payment": key, "order": payment["order"], "state": "booked"})

    def do_delete_order(self, request, number):
        """DELETE /api/orders/{id}"""
        user = self.caller(request)
        order = self.own(self.orders, number, user)
        if request.query.get("reference") != order["reference"]:
            raise Refused(403, "wrong reference")
        del self.orders[number]
        user["orders"].remove(order)
        return Response(204)

    def do_logout(self, request):
        """POST /api/logout"""
        self.caller(request)
        del self.bearers[request.fields["authorization"].partition(" ")[2]]
        return Response(204)

    # MARK: the pages

    def do_style(self, request, name):
        """GET /assets/{id}"""
        return Response(200, f"/* {name} */ body {{ margin: 0 }}".encode(), "text/css", Cache_Control="max-age=60")

    def do_form(self, request):
        """GET /login"""
        visit, token = self.token(), self.token()
        self.visits[visit] = token
        return Response.page(self.form("/login", token, '<input name="user"><input name="password">'),
                             Set_Cookie=f"visit={visit}; Path=/; HttpOnly")

    def form(self, action, token, inputs):
        return (f'<form method="post" action="{action}"><input type="hidden" name="csrf_token" value="{token}">'
                f'{inputs}<button>Send</button></form>')

    def do_enter(self, request):
        """POST /login"""
        form = request.form()
        if self.visits.pop(request.cookie("visit"), None) != form.get("csrf_token"):
            raise Refused(403, "wrong one-time token")
        user, session = self.checked(form.get("user"), form.get("password")), self.token()
        self.cookies[session] = user
        return Response(303, Location=f"/account/{user['id']}", Set_Cookie=f"session={session}; Path=/; HttpOnly")

    def do_account(self, request, number):
        """GET /account/{id}"""
        user = self.visitor(request)
        if str(user["id"]) != number:
            raise Refused(403, "another user's account")
        return Response.page(f"<h1>Account of {html.escape(user['name'])}</h1>"
                             f'<p>Now: {now().isoformat()}</p><a href="/cart">Cart</a>')

    def do_cart(self, request):
        """GET /cart"""
        user, token = self.visitor(request), self.token()
        self.carts[token] = user
        return Response.page(self.form("/cart", token, '<input name="item"><input name="quantity">'))

    def do_buy(self, request):
        """POST /cart"""
        user, form = self.visitor(request), request.form()
        if self.carts.pop(form.get("csrf_token"), None) is not user:
            raise Refused(403, "wrong one-time token")
        key = self.uuid()
        self.receipts[key] = {"owner": user, "item": form.get("item"), "number": self.number()}
        return Response(303, Location=f"/receipts/{key}")

    def do_receipt(self, request, key):
        """GET /receipts/{id}"""
        receipt = self.own(self.receipts, key, self.visitor(request))
        return Response.page(f"<h1>Receipt {receipt['number']}</h1><p>Item {html.escape(str(receipt['item']))}</p>"
                             f'<a href="/invoices/{receipt["number"]}?receipt={key}">Invoice</a>')

    def do_invoice(self, request, number):
        """GET /invoices/{id}"""
        receipt = self.own(self.receipts, request.query.get("receipt"), self.visitor(request))
        if str(receipt["number"]) != number:
            raise Refused(409, "the invoice of another receipt")
        return Response(200, f"Invoice {number}\nItem {receipt['item']}\n".encode(), "text/plain")

    # MARK: answers

    def answer(self, request):
        found, route = Response.json({"error": "no such route"}, 404), "none"
        for method, pattern, name, handler in self.routes:
            if method == request.method and (match := pattern.fullmatch(request.path)):
                route = name
                try:
                    found = handler(request, *match.groups())
                except Refused as refused:
                    found = Response.json({"error": str(refused), "request": self.uuid()}, refused.status)
                except (AttributeError, TypeError, KeyError):
                    found = Response.json({"error": "malformed"}, 400)
                break
        self.counts[route][found.status] += 1
        return found

    def encoded(self, response):
        lines = [f"HTTP/1.1 {response.status} X", f"Date: {email.utils.formatdate(usegmt=True)}",
                 f"X-Request: {self.uuid()}", f"Server-Timing: app;dur={self.random.random() * 9:.3f}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in response.fields.items()]
        if response.kind:
            lines.append(f"Content-Type: {response.kind}")
        if response.status != 204:
            lines.append(f"Content-Length: {len(response.body)}")
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + response.body


class Connection(asyncio.Protocol):
    """One client's connection; requests are answered in order."""

    def __init__(self, shop, log, delay):
        self.shop, self.log, self.delay, self.data, self.transport = shop, log, delay, b"", None

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.data += data
        while (end := self.data.find(b"\r\n\r\n")) >= 0:
            line, *fields = self.data[:end].decode("latin-1").split("\r\n")
            method, _, rest = line.partition(" ")
            named = {}
            for field in fields:
                name, _, value = field.partition(":")
                key, value = name.lower(), value.strip()
                named[key] = f"{named[key]}; {value}" if key == "cookie" and key in named else value
            length = int(named.get("content-length", "0"))
            if "transfer-encoding" in named:
                self.transport.abort()
                return
            if len(self.data) < end + 4 + length:
                return
            body, self.data = self.data[end + 4:end + 4 + length], self.data[end + 4 + length:]
            if self.log is not None:
                os.write(self.log, f"{named.get('x-number', '-')} {method} {rest.rpartition(' ')[0]}\n".encode())
            answer = self.shop.encoded(self.shop.answer(Request(method, rest.rpartition(" ")[0], named, body)))
            if self.delay:
                asyncio.get_running_loop().call_later(self.delay, self.transport.write, answer)
            else:
                self.transport.write(answer)


async def serve(options):
    shop = Shop(options)
    log = os.open(options.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) if options.log else None
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, ended.set)
    server = await loop.create_server(lambda: Connection(shop, log, options.delay), "127.0.0.1", options.port,
                                      backlog=1024)
    port = server.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}" if options.address else port, flush=True)
    await ended.wait()
    server.close()
    print(json.dumps({route: dict(sorted(counts.items())) for route, counts in sorted(shop.counts.items())}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--address", action="store_true", help="print the whole address")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--any-password", action="store_true")
    parser.add_argument("--master-password")
    parser.add_argument("--regress", default="")
    parser.add_argument("--log")
    parser.add_argument("--delay", type=float, default=0)
    options = parser.parse_args()
    options.regress = [name for name in options.regress.split(",") if name]
    if unknown := set(options.regress) - set(REGRESSIONS):
        parser.error(f"unknown regressions: {', '.join(sorted(unknown))}")
    asyncio.run(serve(options))


if __name__ == "__main__":
    main()
