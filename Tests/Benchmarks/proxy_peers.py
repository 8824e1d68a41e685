# SPDX-License-Identifier: MIT
"""The servers that `proxy` measures, each configured to do the same work with one worker, with kept
connections on both legs, and without an access log. A configuration is a text with `{names}`; literal
braces are doubled."""

import glob
import os
import shutil
import subprocess

CJSON = "/usr/lib/*/lua/5.*/cjson.so"

# The hooks of each server; `header` reads a field and the path, and sets a field.
NGINX_HOOKS = {
    "empty": "rewrite_by_lua_block { local nothing = nil }",
    "header": 'rewrite_by_lua_block { ngx.req.set_header("X-Seen", ngx.var.http_host '
              '.. ngx.var.uri) }',
    "json": 'rewrite_by_lua_block { ngx.req.read_body(); local json = require "cjson"; '
            "local data = json.decode(ngx.req.get_body_data()); data.items[1].count = 7; "
            "ngx.req.set_body_data(json.encode(data)) }",
}
# Each with the frontend option that calls it. Only a filter may change a body, and it does not update
# Content-Length: the new body has the same length as the old one.
HAPROXY_HOOKS = {
    "empty": ("http-request lua.hook", """local function hook(txn) end
core.register_action("hook", {"http-req"}, hook)
"""),
    "header": ("http-request lua.hook", """local function hook(txn)
    txn.http:req_set_header("x-seen", txn.sf:req_hdr("host") .. txn.sf:path())
end
core.register_action("hook", {"http-req"}, hook)
"""),
    "json": ("option http-buffer-request\n    filter lua.hook", """local json = require "cjson"
local Hook = {id = "hook", flags = filter.FLT_CFG_FL_HTX}
Hook.__index = Hook
function Hook:new() return setmetatable({}, Hook) end
function Hook:start_analyze(txn, channel)
    if channel:is_resp() then return filter.CONTINUE end
    filter.register_data_filter(self, channel)
end
function Hook:http_payload(txn, message)
    local text = message:body()
    if not text or not message:eom() then return 0 end
    local data = json.decode(text)
    data.items[1].count = 7
    message:set(json.encode(data))
end
core.register_filter("hook", Hook, function(hook, arguments) return hook end)
"""),
}
TAPLINE_HOOKS = {
    "empty": "function request(ex) end",
    "header": "function request(ex) local request = ex.request "
              'request.headers["X-Seen"] = request.headers["Host"] .. request.path end',
    "json": "function request(ex) local data = ex.request:json() data.items[1].count = 7 "
            "ex.request.body = json.encode(data) end",
}

NGINX = """
{modules}
daemon off; master_process off; worker_processes 1; pid {folder}/pid; error_log {folder}/log;
events {{ worker_connections 8192; }}
http {{
    access_log off; keepalive_requests 1000000000; client_body_buffer_size 64k;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    {servers}
}}
"""
NGINX_ORIGIN = """
    server {{
        listen 127.0.0.1:{port}; listen 127.0.0.1:{tls} ssl;
        listen 127.0.0.1:{clear} http2; listen 127.0.0.1:{secure} ssl http2;
        http2_max_concurrent_streams 128;
        ssl_certificate {folder}/../server.pem; ssl_certificate_key {folder}/../server.key;
        default_type text/plain;
        location /small {{ return 200 "{small}"; }}
        location /large {{ return 200 "{large}"; }}
        location /seen {{ if ($http_x_seen = "") {{ return 400; }} return 200 "{small}"; }}
    }}
"""
NGINX_PROXY = """
    upstream origin {{
        server 127.0.0.1:{origin}; keepalive 256; keepalive_requests 1000000000;
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            {hook}
            proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
        }}
    }}
"""
HAPROXY = """
global
    nbthread 1
    maxconn 8192
    {load}
defaults
    mode http
    timeout connect 5s
    timeout client 60s
    timeout server 60s
    http-reuse always
frontend front
    bind 127.0.0.1:{port} {version}
    {action}
    default_backend origin
backend origin
    server origin 127.0.0.1:{origin} {version}
"""
SQUID = """
{listen}
http_access allow all
cache deny all
access_log none
cache_store_log none
cache_log {folder}/log
pid_filename {folder}/pid
coredump_dir {folder}
netdb_filename none
pinger_enable off
shutdown_lifetime 0 seconds
visible_hostname localhost
memory_cache_shared off
"""
SQUID_PLAIN = """http_port 127.0.0.1:{port} accel no-vhost defaultsite=127.0.0.1
cache_peer 127.0.0.1 parent {origin} 0 no-query no-digest originserver"""
SQUID_BUMP = """http_port 127.0.0.1:{port} ssl-bump tls-cert={folder}/../ca.both \\
    generate-host-certificates=on dynamic_cert_mem_cache_size=4MB
sslcrtd_program /usr/lib/squid/security_file_certgen -s {folder}/certificates -M 4MB
sslcrtd_children 1
ssl_bump bump all
sslproxy_cert_error allow all
tls_outgoing_options flags=DONT_VERIFY_PEER"""
TAPLINE = """version: 1
{runtime}
sources:
  - proxy: {{ listen: 127.0.0.1:{port}, threads: 1, {options} }}
{stages}
sinks:
  - {sink}
"""


class Peer:
    """A server that can be started: the name of its row, the commands and files that it needs (patterns
    that begin with a slash are files), and the function that returns its command."""

    def __init__(self, name, needs, begin, *, speaks_connect=True, is_own=False):
        self.name, self.needs, self.begin = name, needs, begin
        self.speaks_connect, self.is_own = speaks_connect, is_own

    @property
    def missing(self):
        """Returns a message about a missing requirement, or None."""
        for need in self.needs:
            if not (glob.glob(need) if need.startswith("/") else shutil.which(need)):
                return f"{self.name}: skipped, '{need}' is not installed"
        return None


def write(folder, name, text, **values):
    path = folder / name
    path.write_text(text.format(folder=folder, **values) if values else text)
    return path


def nginx_words(folder, servers, modules=""):
    path = write(folder, "nginx.conf", NGINX, servers=servers, modules=modules)
    return ["nginx", "-p", str(folder), "-e", f"{folder}/log", "-c", str(path)]


def origin(folder, port, tls, clear, secure):
    """The origin of all proxies: 100 bytes and 1,000 bytes of content; `/seen` accepts only requests in
    which a hook has set X-Seen."""
    text = "every order of the shop has a number, items and an address to send them to. " * 20
    servers = NGINX_ORIGIN.format(folder=folder, port=port, tls=tls, clear=clear, secure=secure,
                                  small=text[:100], large=text[:1000])
    return nginx_words(folder, servers)


def nginx(hook=None):
    def begin(folder, port, target):
        modules = "" if hook is None else "\n".join(
            f"load_module /usr/lib/nginx/modules/{name}.so;"
            for name in ["ndk_http_module", "ngx_http_lua_module"])
        servers = NGINX_PROXY.format(origin=target.plain, port=port, hook=NGINX_HOOKS.get(hook, ""))
        return nginx_words(folder, servers, modules)
    needs = ["nginx"]
    if hook is not None:
        needs.append("/usr/lib/nginx/modules/ngx_http_lua_module.so")
    return Peer(named("nginx", hook), needs + ([CJSON] if hook == "json" else []), begin)


def named(server, hook):
    return server if hook is None else f"{server}, Lua: {hook}"


def haproxy(hook=None):
    def begin(folder, port, target):
        load = action = ""
        if hook is not None:
            action, script = HAPROXY_HOOKS[hook]
            load = f"lua-load {write(folder, 'hook.lua', script)}"
        path = write(folder, "haproxy.conf", HAPROXY, origin=target.plain, port=port, load=load,
                     action=action, version="")
        return ["haproxy", "-db", "-q", "-f", str(path)]
    needs = ["haproxy", *([CJSON] if hook == "json" else [])]
    return Peer(named("HAProxy", hook), needs, begin)


def haproxy_streams():
    """HAProxy with HTTP/2 on both legs."""
    def begin(folder, port, target):
        path = write(folder, "haproxy.conf", HAPROXY, origin=target.clear, port=port, load="", action="",
                     version="proto h2")
        return ["haproxy", "-db", "-q", "-f", str(path)]
    return Peer("HAProxy", ["haproxy"], begin)


def nghttpx():
    """nghttpx with HTTP/2 on both legs."""
    def begin(folder, port, target):
        return ["nghttpx", "--conf=/dev/null", "--workers=1", "--log-level=ERROR",
                f"--errorlog-file={folder}/log", f"--frontend=127.0.0.1,{port};no-tls",
                f"--backend=127.0.0.1,{target.clear};;proto=h2"]
    return Peer("nghttpx", ["nghttpx"], begin)


def connect_relay(port, proxy, origin):
    """A relay that opens a tunnel of the proxy to the origin for each connection."""
    return ["socat", f"TCP-LISTEN:{port},bind=127.0.0.1,fork,reuseaddr,nodelay",
            f"PROXY:127.0.0.1:localhost:{origin},proxyport={proxy},nodelay"]


def give_away(folder):
    """Gives squid write access: if root starts it, it runs as the user 'proxy'."""
    if os.geteuid() == 0:
        for path in [folder, *folder.rglob("*")]:
            shutil.chown(path, "proxy")


def squid(bumps=False):
    def begin(folder, port, target):
        listen = SQUID_BUMP if bumps else SQUID_PLAIN
        if bumps:
            subprocess.run(["/usr/lib/squid/security_file_certgen", "-c", "-s",
                            f"{folder}/certificates", "-M", "4MB"], check=True, timeout=30,
                           stdout=subprocess.DEVNULL)
        give_away(folder)
        listen = listen.format(folder=folder, port=port, origin=target.plain)
        path = write(folder, "squid.conf", SQUID, listen=listen)
        return ["squid", "-N", "-n", f"bench{port}", "-f", str(path)]
    return Peer("squid, ssl-bump" if bumps else "squid", ["squid"], begin)


def sslsplit():
    def begin(folder, port, target):
        # Its target is fixed, since it does not support CONNECT. It does not parse HTTP: if it did, as
        # `https`, it would close every connection after one request.
        words = ["-k", f"{folder}/../ca.key", "-c", f"{folder}/../ca.pem", "ssl", "127.0.0.1",
                 str(port), "127.0.0.1", str(target.tls)]
        return ["sslsplit", *(["-u", "root"] if os.geteuid() == 0 else []), *words]
    return Peer("sslsplit", ["sslsplit"], begin, speaks_connect=False)


def mitmdump(intercepts=False, program="mitmdump"):
    def begin(folder, port, target):
        mode = [] if intercepts else ["--mode", f"reverse:http://127.0.0.1:{target.plain}"]
        return [program, "-q", "-w", f"{folder}/flows", "--listen-host", "127.0.0.1",
                "--listen-port", str(port), "--ssl-insecure", "--set", f"confdir={folder}", *mode]
    return Peer("mitmdump, `-w`", [program], begin)


def tapline(command, name, *, sink="forget", stages=(), intercepts=False, control=None, speaks_streams=False):
    """`name` describes the pipeline; `sink` and `stages` are lines of YAML, `control` is the port of a
    control listener; with `speaks_streams`, both legs speak HTTP/2."""
    def begin(folder, port, target):
        runtime = f"runtime: {{ control: '127.0.0.1:{control}' }}" if control else ""
        options = f"upstream: 'http://127.0.0.1:{target.plain}'"
        if speaks_streams:
            options = f"upstream: 'h2c://127.0.0.1:{target.clear}'"
        if intercepts:
            options = f"intercept: true, verify: false, ca: {folder}/ca"
        lines = "stages:\n" + "".join(f"  - {stage}\n" for stage in stages) if stages else ""
        path = write(folder, "pipeline.yaml", TAPLINE, port=port, options=options, stages=lines,
                     sink=sink, runtime=runtime)
        return [command, "run", str(path)]
    return Peer(f"Tapline, {name}", [command], begin, is_own=True)


def tapline_hook(command, hook):
    extra = "\n    buffer: [request]" if hook == "json" else ""
    stage = f"lua: {{ code: '{TAPLINE_HOOKS[hook]}' }}{extra}"
    return tapline(command, f"Lua: {hook}", stages=[stage])


def make_certificates(folder):
    """Creates an authority for proxies that do not create one, and the origin's certificate."""
    for name, subject, extra in [
            ("ca", "/CN=bench", "basicConstraints=critical,CA:TRUE"),
            ("server", "/CN=localhost", "subjectAltName=DNS:localhost,IP:127.0.0.1")]:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "30",
             "-subj", subject, "-addext", extra],
            check=True, timeout=30, cwd=folder, capture_output=True)
    both = (folder / "ca.pem").read_text() + (folder / "ca.key").read_text()
    (folder / "ca.both").write_text(both)
