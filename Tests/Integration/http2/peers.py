# SPDX-License-Identifier: MIT
"""curl, httpx, Node.js, nghttp, h2load and Chromium as clients of nginx, HAProxy and Envoy through the proxy: what
they see and what is recorded agree.   peers.py TAPLINE

Connections to nginx and Envoy end with GOAWAY after some requests, and no request may be lost by that.
"""

import collections
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import httpx

import servers
from tools import LIMIT, Proxy, equal, fail, free_ports, intercepting, make_certificate, run, until_open

UPLOAD = bytes(range(256)) * 4000  # 1 MB
UPLOADED = f"{len(UPLOAD)} {hashlib.sha256(UPLOAD).hexdigest()}"
LOAD = 500
RESOURCES = 200

NODE = """
const [net, tls, http2] = ['net', 'tls', 'http2'].map(name => require(name));
const [proxy, server, origin] = process.argv.slice(1);
const socket = net.connect(proxy, '127.0.0.1', () => socket.write(`CONNECT ${server} HTTP/1.1\\r\\nHost: ${server}\\r\\n\\r\\n`));
socket.once('data', () => {
  const secure = tls.connect({ socket, servername: 'localhost', ALPNProtocols: ['h2'] }, () => {
    const session = http2.connect('https://' + server, { createConnection: () => secure });
    let left = 40, bytes = 0;
    for (let n = 0; n < 40; n++) {
      const stream = session.request({ ':path': `/size/1000?${origin}-node-${n}` });
      stream.on('data', chunk => bytes += chunk.length);
      stream.on('end', () => { if (--left === 0) { console.log(bytes, secure.alpnProtocol); session.close(); } });
    }
  });
});
"""


class Clients:
    """Makes requests to one server, and counts what has to be recorded."""

    def __init__(self, work, ports, name, secure):
        self.name, self.work = name, work
        self.clear, self.forward = f"http://127.0.0.1:{ports[name]}", f"http://127.0.0.1:{ports['forward']}"
        self.server = f"localhost:{secure}"
        self.proxy_port = ports["forward"]
        self.root = work / "ca" / "root.pem"
        # By version of the client and status.
        self.expected = collections.Counter()

    def made(self, count, status=200, version="HTTP/2"):
        self.expected[version, status] += count

    def curl(self):
        through = ["-x", self.forward, "--cacert", self.root]
        for base, options in ((self.clear, ["--http2-prior-knowledge"]), (f"https://{self.server}", ["--http2", *through]),
                              (self.clear, ["--http1.1"])):
            version = "HTTP/1.1" if options == ["--http1.1"] else "HTTP/2"
            get = lambda path, *more, **how: run("curl", "-sS", "-m", LIMIT, *options, *more, f"{base}{path}?{self.name}-curl",
                                                 **how)
            equal(len(get("/size/3000000")), 3_000_000, f"{self.name}: a large body")
            equal(get("/echo", "--data-binary", f"@{self.work}/upload"), UPLOADED, f"{self.name}: an upload")
            with open(self.work / "upload", "rb") as upload:
                equal(get("/echo", "-T", "-", "-X", "POST", stdin=upload), UPLOADED, f"{self.name}: an upload of unknown length")
            self.made(3, version=version)
            for status in (204, 404, 503):
                equal(get(f"/status/{status}", "-o", "/dev/null", "-w", "%{http_code} %{http_version}"),
                      f"{status} {version[5:].removesuffix('.0')}", f"{self.name}: a status")
                self.made(1, status, version)
            equal("content-length: 1234" in get("/size/1234", "-I").lower(), True, f"{self.name}: HEAD")
            self.made(1, version=version)
            fields = get("/trailers", "-i").lower()
            equal("body" in fields, True, f"{self.name}: a body with trailers")
            # nginx removes trailers.
            equal("x-sum: 7" in fields, self.name != "nginx", f"{self.name}: trailers")
            self.made(1, version=version)

    def httpx(self):
        context = httpx.create_ssl_context(verify=str(self.root))
        with httpx.Client(http2=True, proxy=self.forward, verify=context, timeout=LIMIT) as client:
            for number in range(120):
                answer = client.get(f"https://{self.server}/size/{number}?{self.name}-httpx")
                equal((answer.http_version, len(answer.content)), ("HTTP/2", number), f"{self.name}: httpx")
            equal(client.post(f"https://{self.server}/echo?{self.name}-httpx", content=UPLOAD).text, UPLOADED, "httpx")
        self.made(121)

    def node(self):
        output = run("node", "-e", NODE, self.proxy_port, self.server, self.name,
                     env={**os.environ, "NODE_EXTRA_CA_CERTS": str(self.root)})
        equal(output.strip(), "40000 h2", f"{self.name}: Node.js")
        self.made(40)

    def load(self):
        output = run("h2load", "-n", LOAD, "-c", 4, "-m", 16, f"{self.clear}/size/100?{self.name}-h2load")
        if f"{LOAD} succeeded, 0 failed" not in output or f"{LOAD} 2xx" not in output:
            fail(f"{self.name}: {output}")
        output = run("nghttp", "-m", 30, f"{self.clear}/size/100?{self.name}-nghttp")
        equal(output.count("x"), 3000, f"{self.name}: nghttp")
        self.made(LOAD + 30)

    def compare(self, records):
        found = collections.Counter()
        for record in records:
            where = f"{self.name}: {record['request']['method']} {record['request']['url']}"
            equal((record["state"], record["bytes"]["exact"]), ("completed", True), where)
            client, server = record["request"]["version"], record["response"]["version"]
            equal(server, "HTTP/2", where)
            equal(record["stream"]["server"]["version"], "HTTP/2", where)
            size(record, where)
            found[client, record["response"]["status"]] += 1
        equal(found, self.expected, f"{self.name}: records")


def size(record, where):
    """The size of a body is that of the path, and not much more has been sent."""
    kind, _, number = record["request"]["target"][1:].partition("?")[0].partition("/")
    body = record["response"].get("body", {}).get("size", 0)
    if kind == "size":
        equal(body, 0 if record["request"]["method"] == "HEAD" else int(number), where)
    if kind == "echo":
        equal(record["request"]["body"]["size"], len(UPLOAD), where)
    sent = record["bytes"]["down"]["body"]
    if not body <= sent <= body * 1.05 + 100:
        fail(f"{where}: {sent} bytes for {body}")


def make_page(work):
    """A page whose scripts count themselves, and one with a WebSocket."""
    folder = work / "page"
    folder.mkdir()
    scripts = "".join(f'<script src="{number}.js"></script>' for number in range(RESOURCES))
    (folder / "index.html").write_text(f"<!doctype html><title>t</title><script>count = 0</script>{scripts}"
                                       "<p id=p></p><script>p.textContent = 'loaded ' + count</script>")
    # The image arrives when the conversation is over, and the page is loaded then.
    (folder / "chat.html").write_text("""<!doctype html><title>t</title><p id=p></p><script>
const socket = new WebSocket(`wss://${location.host}/chat`);
socket.onopen = () => socket.send("hello");
socket.onmessage = event => { p.textContent = event.data; socket.close(1000); };
</script><img src="/wait">""")
    for number in range(RESOURCES):
        (folder / f"{number}.js").write_text(f"count++; // {'x' * number}\n")


def chromium(work, proxy, server):
    """Loads the pages, with a profile that trusts the proxy's authority."""
    home = work / "home"
    (home / ".pki" / "nssdb").mkdir(parents=True)
    run("certutil", "-d", f"sql:{home}/.pki/nssdb", "-N", "--empty-password")
    run("certutil", "-d", f"sql:{home}/.pki/nssdb", "-A", "-t", "C,,", "-n", "tapline", "-i", work / "ca" / "root.pem")
    words = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={home}/profile", "--no-first-run",
             f"--proxy-server=http://127.0.0.1:{proxy}", "--proxy-bypass-list=<-loopback>", "--disable-component-update",
             "--disable-background-networking", "--dump-dom"]
    for name, text in (("index", f"loaded {RESOURCES}"), ("chat", "hello, you said")):
        output = run(*words, f"https://{server}/{name}.html", env={**os.environ, "HOME": str(home)})
        if text not in output:
            fail(f"Chromium: {output[-500:]}")


def compare_page(records):
    scripts = [record for record in records if record["request"]["url"].endswith(".js")]
    versions = collections.Counter((r["state"], r["request"]["version"], r["response"]["version"]) for r in scripts)
    equal(versions, {("completed", "HTTP/2", "HTTP/2"): RESOURCES}, "records of Chromium's page")
    equal(sum(r["response"]["body"]["size"] for r in scripts), sum(13 + number for number in range(RESOURCES)), "its bytes")
    equal(len({r["client"] for r in scripts}), 1, "connections of Chromium")
    chats = [record for record in records if record["request"]["url"].endswith("/chat")]
    equal([record["state"] for record in chats], ["completed"], "records of Chromium's WebSocket")
    texts = [(message["dir"], message["text"]) for message in chats[0]["messages"] if message["type"] == "text"]
    equal(texts, [("up", "hello"), ("down", "hello, you said")], "messages of Chromium's WebSocket")


def main():
    tapline = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        work.chmod(0o755)  # for nginx, whose workers may run as another user
        make_certificate(work)
        (work / "key.pem").chmod(0o644)
        (work / "upload").write_bytes(UPLOAD)
        make_page(work)
        page_port, = free_ports(1)
        port, running, origins = servers.application(), [], {}
        try:
            for make in (servers.nginx, servers.haproxy, servers.envoy):
                clear, secure = free_ports(2)
                words = make(work, clear, secure, port, page_port)
                if not words or not shutil.which(words[0]):
                    print(f"http2: SKIPPED: {make.__name__} is not installed", file=sys.stderr)
                    continue
                with open(work / f"{make.__name__}.out", "wb") as log:
                    running.append(subprocess.Popen(words, stdout=log, stderr=log))
                origins[make.__name__] = clear, secure
            until_open(page_port, *(each for both in origins.values() for each in both))
            sources = {name: f'upstream: "h2c://127.0.0.1:{clear}"' for name, (clear, _) in origins.items()}
            with Proxy(tapline, work, {**sources, "forward": intercepting(work)}) as proxy:
                all_clients = [Clients(work, proxy.ports, name, secure) for name, (_, secure) in origins.items()]
                for clients in all_clients:
                    for make_requests in (clients.curl, clients.httpx, clients.node, clients.load):
                        make_requests()
                chromium(work, proxy.ports["forward"], f"localhost:{page_port}")
        finally:
            for process in running:
                process.kill()
                process.wait()
        of = lambda text: [record for record in proxy.records if text in record["request"].get("url", "")]
        for clients in all_clients:
            clients.compare(of(f"?{clients.name}-"))
        compare_page(of(f":{page_port}/"))
    print(f"http2: clients of {', '.join(origins)} and their {len(proxy.records)} records agree")


main()
