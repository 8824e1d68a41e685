# SPDX-License-Identifier: MIT
"""A server of the `websockets` package that echoes each message, except for some that are commands.

    websocket_server.py CERTIFICATE KEY WORDS

The words may include `tls` and `deflate`.
"""
import asyncio, socket, ssl, struct, sys, websockets
def linger(ws):
    s = ws.transport.get_extra_info("socket")
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
async def answer(ws):
    async for message in ws:
        if message == "close": await ws.close(4000, "so long")
        elif message == "leave": ws.transport.close()
        elif message == "reset":
            linger(ws)
            ws.transport.abort()
        elif message == "fragments": await ws.send(["one ", "two ", "three"])
        elif message == "ping": await (await ws.ping(b"from the server"))
        elif message == "flood":
            for number in range(200): await ws.send("x" * 100_000)
        else: await ws.send(message)
async def main():
    words = sys.argv[3].split()
    context = None
    if "tls" in words:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    options = dict(compression="deflate" if "deflate" in words else None, max_size=None)
    options.update(ping_interval=None, ssl=context)
    async with websockets.serve(answer, "127.0.0.1", 0, **options) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()
asyncio.run(main())
