# SPDX-License-Identifier: MIT
"""A relay in front of a mock broker of librdkafka, which itself speaks neither TLS nor SASL.

    kafkarelay.py BROKER_PORT SETTINGS

SETTINGS is a JSON object:
    certificate, key    the relay speaks TLS with these files
    authority           clients have to show a certificate that this file signs
    mechanism           clients have to authenticate: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512
    user, password      as this user
The relay prints its port. It names itself instead of the broker in the broker's responses.
"""
import base64, hashlib, hmac, json, os, socket, ssl, struct, sys, threading
broker, settings = int(sys.argv[1]), json.loads(sys.argv[2])
HANDSHAKE, VERSIONS, AUTHENTICATE = 17, 18, 36

def receive(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part: raise EOFError
        data += part
    return data
def frame(connection): return receive(connection, struct.unpack(">i", receive(connection, 4))[0])
def send(connection, data): connection.sendall(struct.pack(">i", len(data)) + data)
def text(value): return struct.pack(">h", len(value)) + value

class Scram:
    """The server's part of RFC 5802; a wrong proof raises an error."""
    def __init__(self, name): self.hash, self.step = name.replace("SCRAM-SHA-", "sha"), 0
    def sign(self, key, data): return hmac.digest(key, data, self.hash)
    def answer(self, token):
        self.step += 1
        if self.step == 1:
            self.bare = token.split(b",", 2)[2]
            fields = dict(field.split(b"=", 1) for field in self.bare.split(b","))
            if fields[b"n"].decode() != settings["user"]: raise ValueError
            self.salt, nonce = os.urandom(16), fields[b"r"] + base64.b64encode(os.urandom(12))
            self.first = b"r=%s,s=%s,i=4096" % (nonce, base64.b64encode(self.salt))
            return self.first
        plain, proof = token.rsplit(b",p=", 1)
        salted = hashlib.pbkdf2_hmac(self.hash, settings["password"].encode(), self.salt, 4096)
        key = self.sign(salted, b"Client Key")
        message = b",".join([self.bare, self.first, plain])
        signature = self.sign(hashlib.new(self.hash, key).digest(), message)
        wanted = bytes(a ^ b for a, b in zip(key, signature))
        if base64.b64decode(proof) != wanted: raise ValueError
        return b"v=" + base64.b64encode(self.sign(self.sign(salted, b"Server Key"), message))
class Plain:
    def answer(self, token):
        if token.split(b"\0")[1:] != [settings["user"].encode(), settings["password"].encode()]:
            raise ValueError
        return b""

def authenticate(client, state, request, kind, version, correlation):
    """Answers a request of SASL; returns whether the client is known now."""
    length = struct.unpack(">h", request[8:10])[0]
    body = request[10 + max(length, 0):]
    if kind == HANDSHAKE:
        mechanism = body[2:].decode()
        isOffered = mechanism == settings["mechanism"]
        if isOffered: state["sasl"] = Plain() if mechanism == "PLAIN" else Scram(mechanism)
        offered = struct.pack(">i", 1) + text(settings["mechanism"].encode())
        send(client, correlation + struct.pack(">h", 0 if isOffered else 33) + offered)
        return False
    sasl = state["sasl"]
    try:
        answer, error, message = sasl.answer(body[4:]), 0, struct.pack(">h", -1)
    except (ValueError, KeyError, IndexError):
        answer, error, message = b"", 58, text(b"who are you?")
    ending = struct.pack(">q", 0) if version > 0 else b""
    send(client, correlation + struct.pack(">h", error) + message
         + struct.pack(">i", len(answer)) + answer + ending)
    return error == 0 and (isinstance(sasl, Plain) or sasl.step == 2)

def versions(server, request, version, correlation):
    """Adds the requests of SASL to those that the broker knows."""
    if version > 0: return correlation + struct.pack(">hi", 35, 0)
    send(server, request)
    response = frame(server)
    count = struct.unpack(">i", response[6:10])[0]
    extra = b"".join(struct.pack(">hhh", kind, 0, 1) for kind in (HANDSHAKE, AUTHENTICATE))
    return response[:6] + struct.pack(">i", count + 2) + response[10:10 + 6 * count] + extra

def responses(server, client):
    known = b"127.0.0.1" + struct.pack(">i", broker)
    ours = b"127.0.0.1" + struct.pack(">i", port)
    try:
        while True: send(client, frame(server).replace(known, ours))
    except (OSError, EOFError):
        client.close()
def serve(client):
    server = socket.create_connection(("127.0.0.1", broker))
    state, isKnown, pumps = {}, "mechanism" not in settings, False
    while True:
        request = frame(client)
        kind, version = struct.unpack(">hh", request[:4])
        if kind in (HANDSHAKE, AUTHENTICATE):
            isKnown = authenticate(client, state, request, kind, version, request[4:8]) or isKnown
        elif kind == VERSIONS and not pumps:
            send(client, versions(server, request, version, request[4:8]))
        elif not isKnown:
            return
        else:
            if not pumps: threading.Thread(target=responses, args=(server, client), daemon=True).start()
            pumps = True
            send(server, request)
def run(client):
    try:
        if "certificate" in settings: client = context.wrap_socket(client, server_side=True)
        with client: serve(client)
    except (OSError, EOFError): pass

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(64)
port = listener.getsockname()[1]
if "certificate" in settings:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(settings["certificate"], settings["key"])
    if "authority" in settings:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(settings["authority"])
print(port, flush=True)
while True: threading.Thread(target=run, args=(listener.accept()[0],), daemon=True).start()
