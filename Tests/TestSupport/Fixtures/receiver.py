# SPDX-License-Identifier: MIT
"""An HTTP server on plain sockets that receives what sinks send.

    receiver.py LOG PORT ANSWERS [CERTIFICATE KEY]

LOG gets a line of JSON for each request. ANSWERS is a JSON list with an object for each request in
turn; the last one is repeated:
    status, fields, body    the answer; a status of 200 and an empty body are the default
    wait                    seconds before the answer
    raw                     the whole answer as text, instead of status, fields and body
    then                    `close` or `endless`: what follows the answer
    refuse                  [STATUS, TEXT]: requests whose body contains the text get this status
    limit                   requests with a larger body get 413
    drop                    closes the connection without an answer
    early                   answers before it reads the body, which it discards, and closes
"""
import gzip, json, socket, ssl, sys, threading, time
log, port, answers = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
lock = threading.Lock()
connections = 0
def answer_of(body):
    with lock: step = answers.pop(0) if len(answers) > 1 else answers[0]
    status = step.get("status", 200)
    if "refuse" in step and step["refuse"][1].encode() in body: status = step["refuse"][0]
    if len(body) > step.get("limit", 1 << 40): status = 413
    if step.get("drop"): status = 0
    return step, status
def reply(client, step, status):
    if "raw" in step: return client.sendall(step["raw"].encode())
    body = step.get("body", "").encode("latin-1")
    head = [f"HTTP/1.1 {status} Answer", f"Content-Length: {len(body)}"]
    head += [f"{name}: {value}" for name, value in step.get("fields", {}).items()]
    client.sendall("\r\n".join(head + ["", ""]).encode() + body)
def serve(client, number):
    data = b""
    while True:
        while b"\r\n\r\n" not in data:
            part = client.recv(65536)
            if not part: return
            data += part
        head, data = data.split(b"\r\n\r\n", 1)
        line, *lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value for name, value in (field.split(": ", 1) for field in lines)}
        if answers[0].get("early"):
            reply(client, *answer_of(b""))
            client.shutdown(socket.SHUT_WR)
            while client.recv(1 << 20): pass
            return
        while len(data) < int(fields.get("content-length", 0)): data += client.recv(1 << 20)
        body, data = data[:int(fields.get("content-length", 0))], data[int(fields.get("content-length", 0)):]
        if fields.get("content-encoding") == "gzip": body = gzip.decompress(body)
        step, status = answer_of(body)
        entry = {"line": line, "fields": fields, "body": body.decode("latin-1"), "status": status,
                 "connection": number}
        with lock, open(log, "a") as file: file.write(json.dumps(entry) + "\n")
        if step.get("drop"): return
        time.sleep(step.get("wait", 0))
        reply(client, step, status)
        while step.get("then") == "endless": client.sendall(b"x" * 1000)
        if step.get("then") == "close": return
def run(client, number):
    try:
        with client: serve(client, number)
    except OSError: pass
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("127.0.0.1", port))
server.listen(64)
if len(sys.argv) > 4:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[4], sys.argv[5])
    server = context.wrap_socket(server, server_side=True, do_handshake_on_connect=False)
print(server.getsockname()[1], flush=True)
while True:
    accepted = server.accept()[0]
    connections += 1
    threading.Thread(target=run, args=(accepted, connections), daemon=True).start()
