# SPDX-License-Identifier: MIT
"""Clients that disconnect, half-close, pipeline, stall and leave at random.

    unsteady_clients.py PORT SERVER SECONDS SEED

Prints the number of requests that were sent completely, and of those, the number with a complete
response.
"""
import random, socket, struct, sys, threading, time
port, server, seconds, seed = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
end, lock, sent, answered = time.time() + seconds, threading.Lock(), [0], [0]
def run(number):
    chance = random.Random(seed * 1000 + number)
    while time.time() < end:
        s = socket.create_connection(("127.0.0.1", port), 10)
        body = b"b" * chance.choice((0, 10, 30000))
        head = "POST http://%s/%d HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
        request = (head % (server, chance.randrange(9), len(body))).encode() + body
        way = chance.randrange(6)
        try:
            if way == 0: s.sendall(request[:chance.randrange(len(request))])
            else:
                count = 2 if way == 1 else 1
                s.sendall(request * count)
                with lock: sent[0] += count
            if way == 2: s.shutdown(socket.SHUT_WR)
            if way == 3: time.sleep(chance.random() / 50)
            if way in (1, 2, 4):
                s.settimeout(0.5)
                got = s.recv(65536)
                if got.endswith(b"whole"):
                    with lock: answered[0] += 1
            if way in (0, 3, 5) and chance.random() < 0.5:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError: pass
        s.close()
threads = [threading.Thread(target=run, args=(i,)) for i in range(12)]
for t in threads: t.start()
for t in threads: t.join()
print(sent[0], answered[0])
