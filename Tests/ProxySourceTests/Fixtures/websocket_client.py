# SPDX-License-Identifier: MIT
"""Opens a WebSocket through a proxy, and does what a function says.

    websocket_client.py ROUTE PORT SERVER-PORT ROOT COMPRESSION FUNCTION [ARGUMENT...]

COMPRESSION is `deflate` or empty.
"""
import asyncio
import ssl
import sys

import peers
import websockets


async def echo(*texts):
    """Sends texts, and prints the echo of each."""
    for text in texts:
        await ws.send(text)
        print(await ws.recv())


async def echo_last(*texts):
    """Sends texts, and prints the first message that arrives."""
    for text in texts:
        await ws.send(text)
    print(await ws.recv())


async def echo_size(count):
    """Sends a long text, and prints the size of its echo."""
    await ws.send("x" * int(count))
    print(len(await ws.recv()))


async def flood():
    """Prints the size of the 200 messages that the server sends."""
    await ws.send("flood")
    print(sum([len(await ws.recv()) for _ in range(200)]))


async def every_kind():
    """Exchanges messages of every kind, whole and in fragments."""
    await echo("hello", b"bytes", ["a ", "b ", "ü"], "fragments")
    await (await ws.ping(b"from the client"))
    await echo_size(1 << 20)
    await ws.close(1000, "done")


async def changed():
    """Sends messages of which a hook drops one."""
    await echo("hello")
    await ws.send("secret")
    await echo(["a", "b", "c"])
    await (await ws.ping(b"from the client"))
    await echo_size(1_000_000)
    await ws.close(1000, "done")


async def large():
    """Sends two large messages, of which one may return, and a short one."""
    await ws.send("d" * 3_000_000)
    await ws.send("y" * 3_000_000)
    text = await ws.recv()
    print(len(text), text.strip("y") == "")
    await echo("short")


async def closed():
    """Sends a message, and prints `closed` if the connection fails."""
    await ws.send("hello")
    try:
        await ws.recv()
    except websockets.ConnectionClosedError:
        print("closed")


async def close_code():
    """Sends a message, prints its echo, and then the code of the close frame."""
    try:
        await echo("hello")
        await ws.recv()
    except websockets.ConnectionClosed as error:
        print(error.rcvd.code)


async def ask_to(what):
    """Sends a command to the server, and waits for the end."""
    await ws.send(what)
    await ws.wait_closed()


async def wait():
    """Waits for the end."""
    await ws.wait_closed()


async def leave():
    """Aborts the connection."""
    await ws.ping()
    ws.transport.abort()


async def main():
    global ws
    route, proxy, port, root, compression, action = sys.argv[1:7]
    options = dict(compression=compression or None, max_size=None)
    options.update(ping_interval=None, close_timeout=5)
    if route == "reverse":
        port = proxy
    else:
        options["sock"] = peers.tunnel(proxy, f"localhost:{port}")
    if route == "secure":
        context = ssl.create_default_context(cafile=root)
        options.update(ssl=context, server_hostname="localhost")
    scheme = "wss" if route == "secure" else "ws"
    async with websockets.connect(f"{scheme}://localhost:{port}/chat?a=1", **options) as ws:
        await globals()[action](*sys.argv[7:])


asyncio.run(asyncio.wait_for(main(), 30))
