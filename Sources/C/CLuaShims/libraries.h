// SPDX-License-Identifier: MIT

/// The functions that the libraries share. Part of `internal.h`.

#pragma once

/// Prepares the libraries before a script is loaded or reloaded.
void tapline_lua_extras_begin(vm *lua);
void tapline_lua_extras_free(vm *lua);
/// Opens the libraries of this header.
void tapline_lua_open_libraries(lua_State *L);

/// The time of the call in microseconds.
int64_t tapline_lua_current_time(lua_State *L);
/// A random 64-bit number.
uint64_t tapline_lua_next_random(vm *lua);

/// A line combined with the number of the module that has the chunk name.
int32_t tapline_lua_line_in_chunk(const vm *lua, bytes chunk, int32_t line);
/// Opens a regular file below a folder, never outside of it. Returns a descriptor, or a negative
/// error number.
int tapline_lua_open_below(const char *folder, const char *path);
/// The content of a file for `respond`, valid until the end of the call; raises on failure.
bytes tapline_lua_read_reply_file(lua_State *L, bytes path);
/// Whether an open file is protected from scripts, under any name, or is in a protected folder.
bool tapline_lua_is_protected_file(
    const vm *lua, const char *folder, const char *path, int descriptor);
/// Whether a text contains a private key in PEM (RFC 7468) or in the similar formats of OpenSSH and
/// OpenPGP.
bool tapline_lua_holds_private_key(bytes text);

// Files and caches (files.c, regex_cache.c).

/// The media type for a file name extension.
const char *tapline_lua_media_type_of(bytes path);
void tapline_lua_free_regexes(regex_cache *cache);
void tapline_lua_free_files(file_cache *cache);

/// Pushes nil and a message, the result of functions for texts that they cannot read.
int tapline_lua_give_nil(lua_State *L, const char *message);
/// A text argument of a library function.
bytes tapline_lua_string_argument(lua_State *L, int index, const char *what);

// Percent-encoding (percent.c).

/// Pushes decoded text; a plus sign becomes a space if requested.
void tapline_lua_push_decoded(lua_State *L, bytes text, bool plus);
void tapline_lua_append_encoded(buffer *output, bytes text);

// Base64 (base64.c).

void tapline_lua_push_base64(lua_State *L, bytes text, bool url, bool pads);
/// Pushes the decoded bytes of either alphabet, padded or not; returns false and pushes nothing if
/// the text is not base64.
bool tapline_lua_push_base64_decoded(lua_State *L, bytes text);

// Bodies (messages.c).

/// Raises unless a body's bytes are available.
void tapline_lua_check_readable(lua_State *L, const side *message);
/// Replaces a body, and on the wire the fields that describe it.
void tapline_lua_replace_body(lua_State *L, side *message, bytes value);
section *tapline_lua_headers_of(lua_State *L, const side *message);

// Details (details.c).

void tapline_lua_push_details(lua_State *L, int object);
void tapline_lua_push_interim(lua_State *L);
tapline_lua_section tapline_lua_trailers_of(lua_State *L, bool is_request);

// The message of the hook `message` (stream.c).

/// Pushes the message; neither allocates nor raises.
void tapline_lua_push_message(lua_State *L);

/// Creates a metatable that userdata share, stored under a key of the registry. Metamethods get the
/// table of names as their first upvalue.
void tapline_lua_make_metatable(
    lua_State *L, const void *place, const luaL_Reg *metamethods, const char *const *names);

void tapline_lua_open_shared(lua_State *L);
void tapline_lua_open_details(lua_State *L);
void tapline_lua_open_stream(lua_State *L);
void tapline_lua_open_cookies(lua_State *L);
void tapline_lua_open_multipart(lua_State *L);
void tapline_lua_open_base64(lua_State *L);
void tapline_lua_open_url(lua_State *L);
void tapline_lua_open_hash(lua_State *L);
void tapline_lua_open_regex(lua_State *L);
void tapline_lua_open_time(lua_State *L);
void tapline_lua_open_uuid(lua_State *L);
void tapline_lua_open_jwt(lua_State *L);
void tapline_lua_open_log(lua_State *L);
void tapline_lua_open_require(lua_State *L);

int tapline_lua_message_multipart(lua_State *L);
/// The content type of a message, from its fields or otherwise from the recording; empty if neither
/// has one.
bytes tapline_lua_content_type_of(lua_State *L, const side *message);
/// Whether the content of a message has one of the kinds, which are bits.
bool tapline_lua_has_media_kind(lua_State *L, const side *message, uint32_t kind);

// The members of objects, for comparison with the declared interface (names.c).

extern const char *const tapline_lua_exchange_names[], *const tapline_lua_timing_names[],
    *const tapline_lua_request_names[], *const tapline_lua_response_names[],
    *const tapline_lua_tls_names[], *const tapline_lua_original_names[],
    *const tapline_lua_error_names[], *const tapline_lua_connection_names[],
    *const tapline_lua_bytes_names[], *const tapline_lua_grpc_names[], *const tapline_lua_message_names[],
    *const tapline_lua_part_names[], *const tapline_lua_attribute_names[],
    *const tapline_lua_reply_names[];
extern const luaL_Reg tapline_lua_header_methods[], tapline_lua_trailer_methods[],
    tapline_lua_query_methods[], tapline_lua_cookie_methods[], tapline_lua_list_methods[];
