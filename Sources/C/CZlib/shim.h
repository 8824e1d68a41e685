// SPDX-License-Identifier: MIT

#pragma once

#include <zlib.h>

// Both are macros in zlib.h, which pass the version and size that the caller was compiled with.
static inline int tapline_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

static inline int tapline_deflate_init(z_stream *stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}
