# SPDX-License-Identifier: MIT
"""Larger programs in the namespace of `exec --all`: pip, apt, git, wget, Java, Chromium, HTTP/2 without TLS,
and namespaces within it."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
FILES = "https://shop.test:8443"


def prepare(work):
    """Makes a Python package and a Debian package, with their indexes, below `www`."""
    simple = work / "www" / "simple" / "tapline-hello"
    simple.mkdir(parents=True)
    with zipfile.ZipFile(simple / "tapline_hello-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tapline_hello.py", "print('hello from a wheel')\n")
        info = "tapline_hello-1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tapline-hello\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: check\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", f"tapline_hello.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    debian = work / "www" / "debian"
    control = "Package: tapline-hello\nVersion: 1.0\nArchitecture: all\nMaintainer: t <t@localhost>\nDescription: hello\n"
    (work / "package" / "DEBIAN").mkdir(parents=True)
    (work / "package" / "DEBIAN" / "control").write_text(control)
    debian.mkdir()
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", "package", debian / "hello.deb"], cwd=work, check=True,
                   capture_output=True)
    data = (debian / "hello.deb").read_bytes()
    (debian / "Packages").write_text(f"{control}Filename: ./hello.deb\nSize: {len(data)}\n"
                                     f"SHA256: {hashlib.sha256(data).hexdigest()}\n")


def is_seen(records, url, version=None):
    return any(record["request"].get("url", "").startswith(url) and record.get("response", {}).get("status") == 200
               and record["state"] == "completed" and version in (None, record["request"]["version"]) for record in records)


def works(check, what, command, output, url, *options, version=None, time_limit=60, **more):
    """Checks that a program gets an output, and that requests for URLs with a beginning are recorded."""
    result, records = check.run(command, *options, time_limit=time_limit, **more)
    check.expect(output in result.stdout, f"{what} works",
                 f"code {result.returncode}, output {result.stdout[-600:]!r}, errors {result.stderr[-1200:]!r}")
    check.expect(is_seen(records, url, version), f"{what} is seen",
                 f"{[(r['request'].get('url'), r.get('state'), r.get('error')) for r in records]}, {result.stderr[-300:]!r}")
    return records


def tls(check):
    """Programs that trust certificates by variables."""
    work = check.work
    subprocess.run(["/usr/bin/python3", "-m", "venv", str(work / "venv")], check=True, capture_output=True)
    check.give(work / "venv")
    pip = ("venv/bin/pip --disable-pip-version-check install --no-cache-dir --retries 0 --index-url "
           f"{FILES}/simple/ tapline-hello && venv/bin/python -c 'import tapline_hello'")
    works(check, "pip", ["sh", "-c", pip], "hello from a wheel", f"{FILES}/simple/tapline-hello/tapline_hello-1.0")
    works(check, "git over TLS", ["sh", "-c", f"git clone -q {FILES}/repository.git clone-tls && cat clone-tls/file"], "from git",
          f"{FILES}/repository.git/info/refs", GIT_CONFIG_GLOBAL="/dev/null")
    works(check, "wget over TLS", ["sh", "-c", 'wget --ca-certificate="$SSL_CERT_FILE" -qO- https://shop.test/wget'],
          "hello /wget", "https://shop.test/wget")
    careless = ["curl", "-skS", "--resolve", "other.test:443:203.0.113.7", "https://other.test/careless"]
    works(check, "a program that verifies nothing", careless, "hello /careless", "https://other.test/careless",
          "--set", "proxy.verify=false")
    if shutil.which("javac"):
        client = HERE / "../../Clients/JavaClient.java"
        shutil.copy(client, work / "JavaClient.java")
        works(check, "Java", ["java", "JavaClient.java", "https://shop.test/java"], "hello /java", "https://shop.test/java")
    if shutil.which("chromium"):
        chromium(check)


def chromium(check):
    home, root = check.work / "home", check.work / "data" / "tapline" / "ca" / "root.pem"
    store = f"sql:{home}/.pki/nssdb"
    (home / ".pki" / "nssdb").mkdir(parents=True)
    for words in (["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "tapline", "-i", str(root)]):
        subprocess.run(["certutil", "-d", store, *words], check=True, capture_output=True)
    check.give(home)
    words = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={home}/profile", "--no-first-run",
             "--disable-component-update", "--disable-background-networking", "--virtual-time-budget=5000", "--dump-dom",
             "https://shop.test/chromium"]
    works(check, "Chromium", words, "hello /chromium", "https://shop.test/chromium")


def apt(check):
    """apt, which downloads as another user."""
    if not shutil.which("apt-get"):
        return
    root = check.work / "apt"
    for folder in ("state/lists/partial", "cache/archives/partial", "etc"):
        (root / folder).mkdir(parents=True)
    (root / "etc" / "sources.list").write_text("deb [trusted=yes] http://shop.test:8102/debian ./\n")
    (root / "status").write_text("")
    options = [f"-oDir::State={root}/state", f"-oDir::Cache={root}/cache", f"-oDir::State::status={root}/status",
               f"-oDir::Etc::sourcelist={root}/etc/sources.list", "-oDir::Etc::sourceparts=/dev/null", "-oDir::Etc::main=/dev/null",
               "-oDir::Etc::parts=/dev/null", "-oAcquire::Retries=0", "-oAcquire::Languages=none"]
    get = " ".join(["apt-get", *options])
    folder = check.work / "downloads"
    folder.mkdir()
    subprocess.run(["chown", "-R", "_apt", str(root), str(folder)], capture_output=True)
    script = f"cd downloads && {get} update && {get} download tapline-hello && ls"
    works(check, "apt", ["sh", "-c", script], "tapline-hello_1.0_all.deb", "http://shop.test:8102/debian/./hello.deb")


def prior_knowledge(check):
    """A server that speaks only HTTP/2 without TLS, and one of HTTP/1 at the same port of another address."""
    server = subprocess.Popen(["/usr/bin/python3", str(HERE / "../../ProxySourceTests/Fixtures/http2_server.py")],
                              stdout=subprocess.PIPE, text=True)
    port = server.stdout.readline().strip()
    plain = subprocess.Popen(["/usr/bin/python3", "-u", "-m", "http.server", "--bind", "127.0.0.2", port],
                             cwd=check.work / "inner", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        plain.stdout.readline()
        url, other = f"http://127.0.0.1:{port}/h2c", f"http://127.0.0.2:{port}/who"
        works(check, "HTTP/2 without TLS", ["curl", "-sS", "-m", "10", "--http2-prior-knowledge", url], "/h2c 1", url,
              version="HTTP/2")
        works(check, "nghttp", ["nghttp", url], "/h2c ", url, version="HTTP/2")
        both = f"curl -sS -m 5 {other}; curl -sS -m 5 --http2-prior-knowledge {url}; "
        result, records = check.run(["sh", "-c", both * 3])
        check.expect(result.stdout.count("inner") == result.stdout.count("/h2c ") == 3, "both versions work at one port",
                     result.stdout + result.stderr)
        check.expect(is_seen(records, other, "HTTP/1.1") and not is_seen(records, other, "HTTP/2")
                     and is_seen(records, url, "HTTP/2"), "both versions are seen", [r["request"] for r in records])
    finally:
        server.kill()
        plain.kill()


def late_rejection(check):
    """A program that looks at the certificate only after it has begun HTTP/2, and then disconnects."""
    program = ("import socket,ssl,h2.connection\nc=ssl._create_unverified_context();c.set_alpn_protocols(['h2'])\n"
               "for i in range(3):\n"
               " s=c.wrap_socket(socket.create_connection(('shop.test',443)),server_hostname='shop.test')\n"
               " if s.selected_alpn_protocol():\n"
               "  h=h2.connection.H2Connection();h.initiate_connection();s.sendall(h.data_to_send());s.recv(9)\n"
               " print(i,s.selected_alpn_protocol(),b'origin' in s.getpeercert(True),flush=True);s.close()\n")
    result, records = check.run(["/usr/bin/python3", "-c", program])
    check.expect(result.stdout.splitlines() == ["0 h2 False", "1 h2 False", "2 None True"],
                 "a program that rejects the certificate after the preface of HTTP/2 passes at its third attempt",
                 result.stdout + result.stderr)
    codes = [(record.get("error") or {}).get("code") for record in records]
    check.expect(codes.count("client_untrusted") == 2, "it is recorded", codes)


def nested(check):
    """Namespaces within the namespace."""
    works(check, "a user namespace within", ["unshare", "--user", "--map-root-user", "curl", "-sS", "http://shop.test/nested"],
          "hello /nested", "http://shop.test/nested")
    result, records = check.run(["unshare", "--user", "--map-root-user", "--net", "curl", "-sS", "-m", "3",
                                 "http://203.0.113.7/nested"])
    check.expect(result.returncode == 7 and not records, "a network namespace within has no network",
                 f"{result.returncode} {result.stderr}")
