# SPDX-License-Identifier: MIT
"""Connections that are not read."""

from records import is_record, summary


def tunnels(check):
    """Other protocols, and programs that reject the certificate."""
    result, records = check.run(["/usr/bin/python3", "-c", "import socket;"
                                 "s=socket.create_connection(('203.0.113.7',2525));print(s.recv(100));"
                                 "s.sendall(b'bye');print(s.recv(100))"])
    tunnel = [r for r in records if r["request"]["method"] == "CONNECT"]
    check.expect("220 ready" in result.stdout and "221 bye" in result.stdout, "a server that speaks first works",
                 result.stdout + result.stderr)
    check.expect(len(tunnel) == 1 and tunnel[0]["bytes"]["up"]["body"] == 3, "it is a tunnel with its sizes",
                 [summary(r) for r in records])
    pinned = ("import ssl,socket\nc=ssl.create_default_context(cafile='ca.pem')\n"
              "def get():\n s=c.wrap_socket(socket.create_connection(('shop.test',443)),server_hostname='shop.test')\n"
              " s.sendall(b'GET /p HTTP/1.0\\r\\n\\r\\n');return s.makefile().read()\n"
              "for i in range(2):\n try: print(i,get())\n except OSError as e: print(i,e)\n")
    result, records = check.run(["/usr/bin/python3", "-c", pinned])
    check.expect("1 HTTP/1.1 200" in result.stdout, "a program that pins certificates works at its second attempt",
                 result.stdout + result.stderr)
    check.expect(any(r["request"].get("target") == "shop.test:443" and r["state"] == "completed" for r in records),
                 "it is a tunnel with its name", [summary(r) for r in records])
    result, records = check.run(["/usr/bin/python3", "-c", pinned], "--fail-untrusted")
    check.expect("1 HTTP/1.1 200" not in result.stdout, "with --fail-untrusted it fails", result.stdout)
    rejected = [r for r in records if (r.get("error") or {}).get("code") == "client_untrusted"]
    check.expect(len(rejected) == 2 and all(r.get("tls", {}).get("sni") == r["request"]["target"].split(":")[0] == "shop.test"
                                            and r["tls"]["handshake"]["up"] > 200 and "'shop.test'" in r["error"]["message"]
                                            for r in rejected), "the records of it name the server and its sizes", rejected)
    unused = ("import ssl,socket\nc=ssl.create_default_context()\n"
              "def connect(): return c.wrap_socket(socket.create_connection(('shop.test',443)),"
              "server_hostname='shop.test')\n"
              "def get(n):\n s=connect();s.sendall(f'GET /u{n} HTTP/1.0\\r\\n\\r\\n'.encode());s.makefile().read()\n"
              "connect().close();get(1)\nfor i in range(3): connect().close()\nget(2)\n")
    result, records = check.run(["/usr/bin/python3", "-c", unused])
    check.expect(all(any(is_record(r, "GET", f"https://shop.test/u{n}", 200) for r in records) for n in (1, 2)),
                 "a program that also opens connections in vain is read", [summary(r) for r in records])


def unreadable(check):
    """Servers whose TLS only the program itself can use."""
    def is_tunnel(records, port, hint):
        found = [(r["request"]["target"], r["state"], r.get("tags", {}).get("hint"), r.get("tls", {}).get("sni"),
                  "response" in r) for r in records]
        return found == [(f"shop.test:{port}", "completed", hint, "shop.test", False)]

    # The program trusts Tapline as well as the server.
    root = check.work / "data" / "tapline" / "ca" / "root.pem"
    (check.work / "both.pem").write_text(root.read_text() + (check.work / "ca.pem").read_text())
    identity = ["--cacert", "both.pem", "--cert", "cert.pem", "--key", "key.pem"]
    for port, version in ((9442, "1.2"), (9443, "1.3")):
        url = f"https://shop.test:{port}/identity"
        result, records = check.run(["curl", "-sS", "-4", "-m", "10", *identity, url])
        check.expect("hello /identity" in result.stdout, f"a client certificate works with TLS {version}",
                     result.stdout + result.stderr)
        check.expect(is_tunnel(records, port, "client_certificate"), "it is a tunnel that says why", records)
    words = ["curl", "-skS", "-4", "-m", "10", "https://shop.test:9444/own"]
    result, records = check.run(words)
    check.expect("hello /own" in result.stdout, "a program that verifies nothing works", result.stdout + result.stderr)
    check.expect(is_tunnel(records, 9444, "tls_verify"), "it is a tunnel that says why", records)
    result, records = check.run(words, "--fail-untrusted")
    check.expect([(r.get("error") or {}).get("code") for r in records] == ["tls_verify"], "with --fail-untrusted it fails",
                 result.stdout)
