// SPDX-License-Identifier: MIT

/// The functions of Swift that libraries of scripts call, so that each format has one reader and one
/// writer, whoever asks.
///
/// C has checked the arguments and charged the script's budget before it calls one of these. A
/// function raises nothing, calls nothing in this module, keeps no pointer, and has returned before C
/// goes on. Where it makes bytes, it writes them into `room`, whose least size is stated with the
/// function, and returns how many it wrote. Any thread that runs a state may call.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes that somebody else owns.
typedef struct tapline_lua_bytes {
    const uint8_t *bytes;
    size_t count;
} tapline_lua_bytes;

typedef struct tapline_lua_functions {
    // Percent-encoding (RFC 3986 §2.1).

    /// Decodes into as many bytes as the text has at most; a plus sign becomes a space where asked for.
    size_t (*percent_decode)(tapline_lua_bytes text, bool plus_is_space, uint8_t *room);
    /// Encodes all but unreserved characters into at most three times as many bytes.
    size_t (*percent_encode)(tapline_lua_bytes text, uint8_t *room);
} tapline_lua_functions;
