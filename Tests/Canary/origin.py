# SPDX-License-Identifier: MIT
"""An origin on loopback that answers requests with the responses of records, with and without TLS, including WebSockets."""

import asyncio
import base64
import hashlib
import ssl
import struct
import threading

MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def raw(value):
    """A text of a record, or bytes that are not text."""
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value.encode()


def body_of(message):
    body = message.get("body") or {}
    return base64.b64decode(body["base64"]) if "base64" in body else body.get("text", "").encode()


def head(start, fields):
    return start + b"\r\n" + b"".join(raw(name) + b": " + raw(value) + b"\r\n" for name, value in fields) + b"\r\n"


def answer(response, is_head=False):
    """Returns a response as bytes: interim responses first, trailers after a chunked body."""
    made = b""
    for interim in response.get("interim") or []:
        made += head(b"HTTP/1.1 %d Early" % interim["status"], interim["headers"])
    body, trailers = body_of(response), response.get("trailers")
    framing = [["Transfer-Encoding", "chunked"]] if trailers else [["Content-Length", str(len(body))]]
    made += head(b"HTTP/1.1 %d %s" % (response["status"], raw(response["reason"])), response["headers"] + framing)
    if is_head:
        return made
    if not trailers:
        return made + body
    chunk = b"%x\r\n%s\r\n" % (len(body), body) if body else b""
    return made + chunk + head(b"0", trailers)


class Origin:
    """Serves in its own thread; a request names its record in the field `X-Number`."""

    def __init__(self, records, certificate=None):
        self.records = records
        # The numbers of the requested records, once for each request.
        self.served = []
        self.loop = asyncio.new_event_loop()
        self.ports = []
        ready = threading.Event()
        threading.Thread(target=self.run, args=(certificate, ready), daemon=True).start()
        ready.wait(30)

    def run(self, certificate, ready):
        asyncio.set_event_loop(self.loop)
        contexts = [None]
        if certificate:
            contexts.append(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
            contexts[1].load_cert_chain(*certificate)

        async def serve():
            for context in contexts:
                server = await asyncio.start_server(self.connected, "127.0.0.1", 0, ssl=context)
                self.ports.append(server.sockets[0].getsockname()[1])
            ready.set()
        self.loop.create_task(serve())
        self.loop.run_forever()

    def stop(self):
        async def end():
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.loop.stop()
        asyncio.run_coroutine_threadsafe(end(), self.loop)

    async def connected(self, reader, writer):
        try:
            while await self.exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError, ssl.SSLError):
            pass
        finally:
            writer.close()

    async def exchange(self, reader, writer):
        """Reads a request and answers it; returns whether another may follow."""
        text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        fields = dict((name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in text.split("\r\n")[1:] if line))
        await reader.readexactly(int(fields.get("content-length", 0)))
        number = int(fields.get("x-number", -1))
        self.served.append(number)
        if number < 0:
            # A request that hangs until its client disconnects.
            await reader.read()
            return False
        record = self.records[number]
        if "sec-websocket-key" in fields:
            await self.talk(reader, writer, fields, record["messages"])
            return False
        writer.write(answer(record["response"], text.startswith("HEAD ")))
        await writer.drain()
        return True

    async def talk(self, reader, writer, fields, messages):
        """Sends the server's messages of the record, alternating with the client."""
        accept = base64.b64encode(hashlib.sha1((fields["sec-websocket-key"] + MAGIC).encode()).digest())
        writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
        for message in messages:
            if message["dir"] == "up":
                await self.frame(reader)
                continue
            data = body_of({"body": message})
            length = bytes([len(data)]) if len(data) < 126 else b"\x7e" + struct.pack(">H", len(data))
            writer.write(bytes([0x82 if "base64" in message else 0x81]) + length + data)
        await writer.drain()
        while (await self.frame(reader)) & 15 != 8:
            pass
        writer.write(b"\x88\x02\x03\xe8")
        await writer.drain()

    async def frame(self, reader):
        """Reads a masked frame; returns its first byte."""
        first, size = await reader.readexactly(2)
        size &= 127
        if size >= 126:
            size = int.from_bytes(await reader.readexactly(2 if size == 126 else 8), "big")
        await reader.readexactly(4 + size)
        return first
