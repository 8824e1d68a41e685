// SPDX-License-Identifier: MIT

// The C library's iconv (iconv(3)), with errors as return values.

#pragma once

#include <errno.h>
#include <iconv.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /// All of the input is converted.
    TAPLINE_ICONV_DONE = 0,
    /// The output is too small for the next character.
    TAPLINE_ICONV_FULL = 1,
    /// The input ends within a character.
    TAPLINE_ICONV_CUT = 2,
    /// The next bytes are not a character, or the target charset lacks the character.
    TAPLINE_ICONV_BAD = 3,
    /// All of the input is converted, but not all of it can be converted back.
    TAPLINE_ICONV_INEXACT = 4
};

/// Opens a conversion; returns NULL if the library does not support it.
static inline void *tapline_iconv_open(const char *to, const char *from) {
    iconv_t handle = iconv_open(to, from);
    return handle == (iconv_t)-1 ? NULL : (void *)handle;
}

static inline void tapline_iconv_close(void *handle) { iconv_close((iconv_t)handle); }

/// Resets a conversion to its initial state.
static inline void tapline_iconv_reset(void *handle) {
    iconv((iconv_t)handle, NULL, NULL, NULL, NULL);
}

/// Converts as much as fits; sets the numbers to the consumed and produced bytes.
static inline int tapline_iconv(
    void *handle, const uint8_t *input, size_t *consumed, uint8_t *output, size_t *produced) {
    char *in = (char *)input, *out = (char *)output;
    size_t in_left = *consumed, out_left = *produced;
    size_t result = iconv((iconv_t)handle, input == NULL ? NULL : &in, &in_left, &out, &out_left);
    int error = errno;
    *consumed -= in_left;
    *produced -= out_left;
    if (result == 0) return TAPLINE_ICONV_DONE;
    if (result != (size_t)-1) return TAPLINE_ICONV_INEXACT;
    return error == E2BIG ? TAPLINE_ICONV_FULL
        : error == EINVAL ? TAPLINE_ICONV_CUT
        : TAPLINE_ICONV_BAD;
}
