# SPDX-License-Identifier: MIT
"""Content codings and encodings of the canary test: Python's own, and the C libraries by ctypes.

None of this is Tapline's code, so a mistake there is not repeated here.
"""

import base64
import ctypes
import gzip
import json
import urllib.parse
import zlib

_brotli_encoder = ctypes.CDLL("libbrotlienc.so.1")
_brotli_decoder = ctypes.CDLL("libbrotlidec.so.1")
_zstd = ctypes.CDLL("libzstd.so.1")
for _name in ("ZSTD_compress", "ZSTD_decompress", "ZSTD_compressBound"):
    getattr(_zstd, _name).restype = ctypes.c_size_t
_ROOM = 4 << 20
_room = ctypes.create_string_buffer(_ROOM)


def brotli(data):
    room = ctypes.create_string_buffer(len(data) + 1024)
    size = ctypes.c_size_t(len(room))
    if not _brotli_encoder.BrotliEncoderCompress(
            5, 22, 0, ctypes.c_size_t(len(data)), data, ctypes.byref(size), room):
        raise ValueError("brotli")
    return room.raw[:size.value]


def unbrotli(data):
    size = ctypes.c_size_t(_ROOM)
    if _brotli_decoder.BrotliDecoderDecompress(
            ctypes.c_size_t(len(data)), data, ctypes.byref(size), _room) != 1:
        raise ValueError("brotli")
    return ctypes.string_at(_room, size.value)


def zstd(data):
    room = ctypes.create_string_buffer(_zstd.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    size = _zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 3)
    return room.raw[:size]


def unzstd(data):
    size = _zstd.ZSTD_decompress(_room, ctypes.c_size_t(_ROOM), data, ctypes.c_size_t(len(data)))
    if size > _ROOM:
        raise ValueError("zstd")
    return ctypes.string_at(_room, size)


ENCODERS = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli, "zstd": zstd}


def percent(text, every=False):
    """Percent-encodes the bytes that require it, or every byte."""
    if not every:
        return urllib.parse.quote(text, safe="")
    return "".join(f"%{byte:02x}" for byte in text.encode())


def escaped(text):
    """Returns the contents of a JSON string, with every character escaped."""
    return "".join(f"\\u{ord(letter):04x}" for letter in text)


def in_json(text):
    """Returns a JSON string, including the quotes."""
    return json.dumps(text, ensure_ascii=False)


def b64(data):
    return base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode()


def b64url(data):
    return base64.urlsafe_b64encode(data if isinstance(data, bytes) else data.encode()).decode().rstrip("=")


def jwt(claims):
    """Returns a token with these claims and an invalid signature."""
    head = b64url('{"alg":"HS256","typ":"JWT"}')
    return f"{head}.{b64url(json.dumps(claims))}.{b64url(bytes(range(32)))}"
