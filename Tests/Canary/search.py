# SPDX-License-Identifier: MIT
"""Searches files for values in all encodings that it can decode, using only Python.

`tapline leaks` is compared with it, so they share no code.
"""

import base64
import binascii
import gzip
import html
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import tempfile
import urllib.parse
import zlib

import codings

MAX_DEPTH = 5
BASE64 = [re.compile(rb"[A-Za-z0-9+/]{16,}"), re.compile(rb"[A-Za-z0-9_-]{16,}")]
MAGIC = (b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x78\x01", b"\x78\x9c", b"\x78\xda")
UNPRINTABLE = bytes(range(9)) + bytes(range(14, 32)) + bytes(range(127, 256))
HEX = re.compile(rb"[0-9A-Fa-f]{16,}")
ESCAPE = re.compile(rb"\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|(.))", re.S)


def unescaped(data):
    """Decodes escapes of JSON and of scripts, wherever they occur."""
    plain = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}

    def letter(match):
        digits = match[1] or match[2] or match[3]
        if digits:
            return chr(min(int(digits, 16), 0x10FFFF)).encode("utf-8", "surrogatepass")
        return plain.get(match[4], match[4])
    return ESCAPE.sub(letter, data)


def decompressed(data):
    """Decodes the bytes as a whole, and data that begins within them."""
    for head in MAGIC:
        undo = 31 if head[0] == 0x1F else 15
        start = data.find(head) if head[0] != 0x28 else -1
        while 0 <= start:
            try:
                yield zlib.decompressobj(undo).decompress(data[start:], 4 << 20)
            except zlib.error:
                pass
            start = data.find(head, start + 1)
    start = data.find(b"\x28\xb5\x2f\xfd")
    if start >= 0:
        try:
            yield codings.unzstd(data[start:])
        except ValueError:
            pass


def unbrotlied(data):
    """Decodes the bytes if they are brotli, which has no signature."""
    if 8 <= len(data) < 1 << 20:
        try:
            yield codings.unbrotli(data)
        except ValueError:
            pass


def is_text(data):
    """Whether the bytes are mostly text, including any form of UTF-16."""
    return len(data.translate(None, UNPRINTABLE[1:])) * 4 >= len(data) * 3


def from_base64(data):
    """Decodes each run of digits at each alignment; the results that are text form one view."""
    texts = []
    for run in {match[0] for alphabet in BASE64 for match in alphabet.finditer(data)}:
        run = run.translate(bytes.maketrans(b"-_", b"+/"))
        for skip in range(4):
            digits = run[skip:len(run) - ((len(run) - skip) % 4 == 1)]
            part = base64.b64decode(digits + b"=" * (-len(digits) % 4))
            if is_text(part):
                texts.append(part)
            elif skip == 0:
                yield from decompressed(part)
                yield from unbrotlied(part)
    if texts:
        yield b"\n".join(texts)


def decoded(data):
    """Yields all views that remove one encoding."""
    yield from decompressed(data)
    if b"%" in data:
        yield urllib.parse.unquote_to_bytes(data)
    if b"+" in data:
        yield data.replace(b"+", b" ")
    if b"\\" in data:
        yield unescaped(data)
    if b"&" in data:
        yield html.unescape(data.decode("utf-8", "replace")).encode()
    yield from from_base64(data)
    hexes = [binascii.unhexlify(match[0][:len(match[0]) // 2 * 2]) for match in HEX.finditer(data)]
    hexes = [part for part in hexes if is_text(part)]
    if hexes:
        yield b"\n".join(hexes)
    if data.count(b"\0") * 4 > len(data):
        for order in ("utf-16-le", "utf-16-be"):
            yield data.decode(order, "replace").encode()


def views(data):
    """Yields the bytes and everything that they decode to, each view once."""
    seen, level = {hash(data)}, [data, *unbrotlied(data)]
    yield from level
    for _ in range(MAX_DEPTH):
        following = []
        for one in level:
            for view in decoded(one):
                # Only views that may still contain a value are decoded further.
                if len(view) >= 8 and hash(view) not in seen:
                    seen.add(hash(view))
                    following.append(view)
                    yield view
        level = following


def rows(path):
    """Yields every value of every table of a database, one on each line."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "database"
        for suffix in ("", "-wal", "-journal"):
            source = pathlib.Path(str(path) + suffix)
            if source.exists():
                pathlib.Path(str(copy) + suffix).write_bytes(source.read_bytes())
        database = sqlite3.connect(copy)
        database.text_factory = bytes
        names = [row[0].decode() for row in database.execute("select name from sqlite_master where type='table'")]
        for name in names:
            for row in database.execute(f'select * from "{name}"'):
                for value in row:
                    if value is not None:
                        yield value if isinstance(value, bytes) else str(value).encode()
        database.close()


def pieces(path):
    """Yields the parts of a file that are searched separately."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    if path.suffix == ".zst":
        data = codings.unzstd(data)
    yield data
    if data.startswith(b"SQLite format 3\0"):
        values = list(rows(path))
        yield b"\n".join(values)
        yield from (value for value in values if b"\0" in value or not value.isascii())
    elif data.lstrip().startswith(b"{"):
        for line in data.splitlines():
            yield from bodies(line)


def bodies(line):
    """Yields the bodies of a record that are not text."""
    try:
        record = json.loads(line)
    except ValueError:
        return
    if not isinstance(record, dict):
        return
    parts = [record.get(side) or {} for side in ("request", "response")]
    for body in [part.get("body") or {} for part in parts] + (record.get("messages") or []):
        if "base64" in body:
            yield base64.b64decode(body["base64"])


def find(folder, secrets):
    """Returns the ids of the secrets found in the files of a folder, with the files."""
    ids = {secret.value.lower().encode(): secret.id for secret in secrets}
    found = {}
    with tempfile.TemporaryDirectory() as work:
        values, text = pathlib.Path(work) / "values", pathlib.Path(work) / "text"
        values.write_bytes(b"\n".join(ids))
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if not path.is_file() or path.is_symlink():
                continue
            with open(text, "wb") as file:
                for piece in pieces(path):
                    for view in views(piece):
                        file.write(view + b"\n")
            result = subprocess.run(["grep", "-aoiF", "-f", values, text], env={"LC_ALL": "C", "PATH": os.environ["PATH"]},
                                    stdout=subprocess.PIPE, check=False)
            for value in set(result.stdout.lower().splitlines()):
                if value in ids:
                    found.setdefault(ids[value], set()).add(path.name)
    return found
