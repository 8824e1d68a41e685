# SPDX-License-Identifier: MIT
"""The server side of a WebSocket (RFC 6455), limited to what the shop's chat needs."""

import base64
import hashlib
import struct

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
LONGEST = 1 << 16


def accept(key):
    """Returns the Sec-WebSocket-Accept for a client's Sec-WebSocket-Key (RFC 6455 §4.2.2)."""
    digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
    return base64.b64encode(digest).decode()


def read(stream):
    """Reads one frame as opcode and payload; returns None at the end (RFC 6455 §5.2)."""
    head = stream.read(2)
    if len(head) < 2:
        return None
    size = head[1] & 127
    if size == 126:
        size = struct.unpack(">H", stream.read(2))[0]
    if size >= LONGEST or not head[1] & 128:
        return None
    mask = stream.read(4)
    return head[0] & 15, bytes(b ^ mask[i % 4] for i, b in enumerate(stream.read(size)))


def frame(opcode, payload):
    """Returns one whole unmasked frame, as servers send it."""
    size = bytes([len(payload)]) if len(payload) < 126 else struct.pack(">BH", 126, len(payload))
    return bytes([128 | opcode]) + size + payload


def serve(stream, output, answers):
    """Answers each text message with what `answers` yields for it, until the client closes."""
    while received := read(stream):
        opcode, payload = received
        if opcode == CLOSE:
            output.write(frame(CLOSE, payload[:2]))
            return
        replies = [(PONG, payload)] if opcode == PING else [
            (TEXT, text) for text in (answers(payload) if opcode == TEXT else ())]
        for reply in replies:
            output.write(frame(*reply))
