# SPDX-License-Identifier: MIT
"""An application that speaks HTTP/1.1, and the configurations of nginx, HAProxy and Envoy as its gateways."""

import hashlib
import http.server
import subprocess
import threading

import websockets.sync.server

CREDITS = 50  # requests until Envoy and nginx end a connection with GOAWAY


chat_is_over = threading.Event()


class Application(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        kind, _, number = self.path[1:].partition("?")[0].partition("/")
        if kind == "status":
            return self.answer(int(number), b"")
        if kind == "trailers":
            return self.trailers()
        if kind == "wait":
            chat_is_over.wait(20)
        self.answer(200, b"x" * int(number or 0))

    do_HEAD = do_GET

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])) if "Content-Length" in self.headers else self.chunks()
        self.answer(200, f"{len(body)} {hashlib.sha256(body).hexdigest()}".encode())

    def chunks(self):
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def answer(self, status, body):
        self.send_response(status)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def trailers(self):
        self.send_response(200)
        for name, value in (("Transfer-Encoding", "chunked"), ("Trailer", "X-Sum")):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"4\r\nbody\r\n0\r\nX-Sum: 7\r\n\r\n")

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, request, address):
        pass


def application():
    """Starts the application; returns its port."""
    server = Server(("127.0.0.1", 0), Application)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def chat():
    """Starts a WebSocket server that repeats messages; returns its port."""
    def repeat(connection):
        for message in connection:
            connection.send(f"{message}, you said")
        chat_is_over.set()
    server = websockets.sync.server.serve(repeat, "127.0.0.1", 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.socket.getsockname()[1]


def nginx(work, clear, secure, port, page):
    talk = chat()
    (work / "nginx.conf").write_text(f"""
daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes 1;
events {{ worker_connections 512; }}
http {{
    access_log off; client_max_body_size 0; client_body_temp_path {work}/a; proxy_temp_path {work}/b;
    fastcgi_temp_path {work}/c; uwsgi_temp_path {work}/d; scgi_temp_path {work}/e;
    ssl_certificate {work}/cert.pem; ssl_certificate_key {work}/key.pem;
    types {{ text/html html; text/javascript js; }}
    server {{
        listen 127.0.0.1:{clear} http2; listen 127.0.0.1:{secure} ssl http2;
        keepalive_requests {CREDITS};
        location / {{ proxy_pass http://127.0.0.1:{port}; proxy_http_version 1.1; }}
    }}
    server {{
        listen 127.0.0.1:{page} ssl http2; root {work}/page;
        location = /wait {{ proxy_pass http://127.0.0.1:{port}; }}
        location = /chat {{
            proxy_pass http://127.0.0.1:{talk}; proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;
        }}
    }}
}}
""")
    return ["nginx", "-c", f"{work}/nginx.conf", "-p", str(work)]


def haproxy(work, clear, secure, port, _):
    pem = work / "both.pem"
    pem.write_text((work / "cert.pem").read_text() + (work / "key.pem").read_text())
    (work / "haproxy.cfg").write_text(f"""
global
    maxconn 500
defaults
    mode http
    timeout client 20s
    timeout server 20s
    timeout connect 5s
frontend both
    bind 127.0.0.1:{clear} proto h2
    bind 127.0.0.1:{secure} ssl crt {pem} alpn h2,http/1.1
    default_backend application
backend application
    server one 127.0.0.1:{port}
""")
    return ["haproxy", "-db", "-f", str(work / "haproxy.cfg")]


def listener(name, port, codec, tls=""):
    return f"""
  - name: {name}
    address: {{ socket_address: {{ address: 127.0.0.1, port_value: {port} }} }}
    filter_chains:
    - {tls}
      filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: {name}
          codec_type: {codec}
          http_protocol_options: {{ enable_trailers: true }}
          common_http_protocol_options: {{ max_requests_per_connection: {CREDITS} }}
          drain_timeout: 0.1s
          route_config:
            virtual_hosts: [{{ name: all, domains: ["*"], routes: [{{ match: {{ prefix: "/" }}, route: {{ cluster: application }} }}] }}]
          http_filters:
          - name: envoy.filters.http.router
            typed_config: {{ "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }}"""


def envoy(work, clear, secure, port, _):
    tls = f"""transport_socket:
        name: envoy.transport_sockets.tls
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
          common_tls_context:
            alpn_protocols: [h2, http/1.1]
            tls_certificates:
            - {{ certificate_chain: {{ filename: {work}/cert.pem }}, private_key: {{ filename: {work}/key.pem }} }}"""
    (work / "envoy.yaml").write_text(f"""
static_resources:
  listeners:{listener("clear", clear, "HTTP2")}{listener("secure", secure, "AUTO", tls)}
  clusters:
  - name: application
    type: STATIC
    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
        explicit_http_config: {{ http_protocol_options: {{ enable_trailers: true }} }}
    load_assignment:
      cluster_name: application
      endpoints: [{{ lb_endpoints: [{{ endpoint: {{ address: {{ socket_address: {{ address: 127.0.0.1, port_value: {port} }} }} }} }}] }}]
""")
    program = subprocess.run(["which", "envoy"], capture_output=True, text=True).stdout.strip()
    return program and [program, "-c", str(work / "envoy.yaml"), "--concurrency", "1", "--disable-hot-restart", "-l", "error"]
