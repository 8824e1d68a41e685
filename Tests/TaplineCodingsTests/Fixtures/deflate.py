# SPDX-License-Identifier: MIT
"""Compresses or decompresses standard input with zlib.

    deflate.py compress|compress_raw|decompress
"""
import sys
import zlib


def compress(data):
    return zlib.compress(data)


def compress_raw(data):
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(data) + compressor.flush()


def decompress(data):
    return zlib.decompress(data)


sys.stdout.buffer.write(globals()[sys.argv[1]](sys.stdin.buffer.read()))
