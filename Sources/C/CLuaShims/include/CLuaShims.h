// SPDX-License-Identifier: MIT

/// A Lua 5.4 state that runs the hooks of one script over HTTP exchanges.
///
/// Lua raises errors with `longjmp`, so only C frames may be between a protected call and an error.
/// Swift therefore lends a flat view of an exchange for the duration of one call. The script reads
/// the view lazily, its changes are collected in an outcome, and Swift applies them after the call
/// has returned. View and outcome are stored in the state, so that a call copies only what it
/// needs. A Swift function fills in each part of the view when the script first reads it, and
/// returns before Lua continues.
///
/// No function here raises errors, traps, or keeps a pointer to lent memory. A state may be used by
/// one thread at a time.

#pragma once

#include "CLuaFunctions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tapline_lua tapline_lua;

/// Whether a script may read a body.
enum {
    /// The bytes are complete and not encoded.
    TAPLINE_LUA_BODY_READABLE = 0,
    /// The bytes are missing: the stage of a wire hook does not buffer the body.
    TAPLINE_LUA_BODY_STREAMED = 1,
    /// Bytes are missing at the end.
    TAPLINE_LUA_BODY_CUT = 2,
    /// The bytes are encoded and could not be decoded.
    TAPLINE_LUA_BODY_CODED = 3,
    /// The bytes are encoded; they are decoded when the script reads them.
    TAPLINE_LUA_BODY_NOT_DECODED = 4
};

typedef struct tapline_lua_body {
    /// The bytes that the script reads.
    tapline_lua_bytes bytes;
    /// The media type that a recording stores outside the fields, in the syntax of Content-Type.
    tapline_lua_bytes content_type;
    /// The size on the wire; negative if unknown.
    int64_t size;
    /// One of the `TAPLINE_LUA_BODY_…` constants.
    int32_t reading;
    bool truncated;
} tapline_lua_body;

/// A request or a response; the parts of the other kind are empty.
typedef struct tapline_lua_message {
    bool present;
    /// Whether the hook may change it; set by the call.
    bool writable;
    tapline_lua_bytes method, target, scheme, authority;
    tapline_lua_bytes version, reason;
    int64_t status;
    tapline_lua_section headers;
    tapline_lua_body body;
} tapline_lua_message;

enum { TAPLINE_LUA_TIMINGS = 7 };

/// Rarely used details; each is text, and empty if unknown.
enum {
    TAPLINE_LUA_TLS = 0,
    TAPLINE_LUA_SERVER_TLS = 4,
    TAPLINE_LUA_ORIGINAL = 8,
    TAPLINE_LUA_ERROR = 11,
    TAPLINE_LUA_CONNECTION = 13,
    TAPLINE_LUA_BYTES = 14,
    TAPLINE_LUA_GRPC = 17,
    TAPLINE_LUA_DETAIL_COUNT = 23
};

/// A WebSocket message or a server-sent event, with its position in the bytes of the details.
typedef struct tapline_lua_stream_message {
    uint32_t type_start, type_count, start, count;
    /// The sizes of the type and the id of an event, which follow the message's type in this order.
    uint32_t event_count, id_count;
    /// Microseconds since the start; INT64_MIN if unknown.
    int64_t at;
    /// The size on the wire; negative if unknown.
    int64_t size;
    /// The status of a close; negative if there is none.
    int32_t code;
    bool is_up, truncated;
} tapline_lua_stream_message;

/// The rarely used parts of an exchange.
typedef struct tapline_lua_details {
    tapline_lua_bytes bytes;
    /// The details, in the order of their numbers and without names; then the trailers of the
    /// request and of the response; then the interim responses. Each interim response begins with
    /// two entries without names, whose values are the status and the reason.
    const tapline_lua_entry *entries;
    size_t request_trailers, response_trailers, interim;
} tapline_lua_details;

/// The messages of an exchange, in order.
typedef struct tapline_lua_stream {
    tapline_lua_bytes bytes;
    const tapline_lua_stream_message *messages;
    size_t count;
} tapline_lua_stream;

typedef struct tapline_lua_exchange {
    uint64_t id_high, id_low;
    /// Microseconds since 1970.
    int64_t started;
    tapline_lua_section tags, vars;
    tapline_lua_bytes source, client, server;
    /// The name of the state; empty while the exchange is in progress.
    tapline_lua_bytes state;
    /// Only for the hook `message`: its message, which is not part of the list.
    tapline_lua_bytes message_type, message_text, message_event, message_id;
    tapline_lua_stream_message message;
    /// dns, connect, tls, send, wait, receive, total in microseconds; INT64_MIN if unknown.
    int64_t timing[TAPLINE_LUA_TIMINGS];
    tapline_lua_details details;
    tapline_lua_stream stream;
} tapline_lua_exchange;

/// The parts of an exchange that are lent separately, one bit each.
enum {
    /// Both messages, with bodies that are not encoded; tags and variables, id and start.
    TAPLINE_LUA_LENDS_MESSAGES = 1,
    /// Source, client, server, state and timing.
    TAPLINE_LUA_LENDS_ORIGIN = 2,
    TAPLINE_LUA_LENDS_DETAILS = 4,
    TAPLINE_LUA_LENDS_STREAM = 8,
    /// An encoded body, decoded.
    TAPLINE_LUA_LENDS_REQUEST_BODY = 16,
    TAPLINE_LUA_LENDS_RESPONSE_BODY = 32,
    /// The time, set with `tapline_lua_set_time`.
    TAPLINE_LUA_LENDS_TIME = 64
};

/// The hooks; each number is the position of the hook's bit in `tapline_lua_hooks`.
enum {
    TAPLINE_LUA_REQUEST = 0,
    TAPLINE_LUA_RESPONSE = 1,
    TAPLINE_LUA_RECORD = 2,
    TAPLINE_LUA_MESSAGE = 3,
    TAPLINE_LUA_START = 4,
    TAPLINE_LUA_STOP = 5,
    TAPLINE_LUA_HOOKS = 6,
    /// The script itself, while it is loaded.
    TAPLINE_LUA_MAIN = 6
};

/// The text that a script assigned to a message of the stream; positions start at 0.
typedef struct tapline_lua_text_change {
    size_t position;
    tapline_lua_bytes text;
} tapline_lua_text_change;

/// The parts of a message that a script replaced.
enum {
    TAPLINE_LUA_METHOD = 1,
    TAPLINE_LUA_TARGET = 2,
    TAPLINE_LUA_SCHEME = 4,
    TAPLINE_LUA_AUTHORITY = 8,
    TAPLINE_LUA_STATUS = 16,
    TAPLINE_LUA_REASON = 32,
    TAPLINE_LUA_BODY = 64
};

enum {
    TAPLINE_LUA_PROCEED = 0,
    TAPLINE_LUA_RESPOND = 1,
    TAPLINE_LUA_DROP = 2,
    TAPLINE_LUA_ABORT = 3
};

/// The outcome of a hook; the view contains the messages with the script's changes. The pointers
/// are valid until the next call.
typedef struct tapline_lua_outcome {
    /// Whether the hook made no change, verdict or log line; the other fields are not set then.
    bool is_plain;
    /// Whether the log has lines. Also set by failed calls.
    bool has_logged;
    /// The parts that were lent. Also set by failed calls.
    uint32_t lent;
    /// The duration of the call; negative if it was not measured, which is the common case.
    int64_t nanoseconds;
    uint32_t request_changes, response_changes;
    /// The complete sections that the script changed; NULL for unchanged ones.
    const tapline_lua_section *request_headers, *response_headers, *tags, *vars;
    const tapline_lua_text_change *text_changes;
    size_t text_change_count;
    /// Whether the hook `message` changed the text of its message in the view.
    bool has_changed_text;
    int32_t verdict;
    int64_t delay_microseconds;
    tapline_lua_bytes drop_reason;
    /// The response of `respond`.
    tapline_lua_message reply;
} tapline_lua_outcome;

/// Pointers into the state that stay valid for its lifetime: the input of each call, set by the
/// caller, and its outcome.
typedef struct tapline_lua_view {
    tapline_lua_exchange *exchange;
    tapline_lua_message *request, *response;
    const tapline_lua_outcome *outcome;
} tapline_lua_view;

/// Why a call failed.
enum {
    TAPLINE_LUA_OK = 0,
    TAPLINE_LUA_SYNTAX = 1,
    /// An error that Lua or the interface raised.
    TAPLINE_LUA_FAULT = 2,
    /// An error that the script raised itself.
    TAPLINE_LUA_RAISED = 3,
    TAPLINE_LUA_INSTRUCTIONS = 4,
    TAPLINE_LUA_TIME = 5,
    TAPLINE_LUA_MEMORY = 6,
    /// No state could be created.
    TAPLINE_LUA_NO_STATE = 7,
    /// A table would have exceeded its maximum number of entries.
    TAPLINE_LUA_TABLE = 8
};

/// The last failure. The pointers are valid until the next call.
typedef struct tapline_lua_failure {
    int32_t code;
    /// The line in the script; 0 if unknown.
    int32_t line;
    /// The module's file that contains the line; empty for the script itself.
    tapline_lua_bytes file;
    /// The problem, without anything that a script computed.
    tapline_lua_bytes message;
    /// The error's own text, which may contain anything.
    tapline_lua_bytes detail;
} tapline_lua_failure;

typedef struct tapline_lua_limits {
    uint64_t memory;
    /// Counted in steps of about 1,000.
    uint64_t instructions;
    /// Measured from the start of a call, and also checked at its end.
    uint64_t nanoseconds;
    /// The entries that one table may have in addition to the keys 1 to n; rounded up to a power of
    /// two.
    uint64_t table;
} tapline_lua_limits;

/// Lines that a script logged. The pointers are valid until the next call.
typedef struct tapline_lua_log {
    tapline_lua_bytes bytes;
    /// The end of each line.
    const uint32_t *ends;
    /// The level of each line: 0 debug, 1 info, 2 warning, 3 error.
    const uint8_t *levels;
    size_t count;
    /// The number of lines that did not fit.
    size_t lost;
} tapline_lua_log;

/// Creates a state without a script; returns NULL if memory is exhausted or if the table lacks a
/// function. Copies the table.
tapline_lua *tapline_lua_create(tapline_lua_limits limits, const tapline_lua_functions *functions);

void tapline_lua_destroy(tapline_lua *lua);

// MARK: - The environment

/// A bounded store of keys and values that states share; safe to use from any thread.
typedef struct tapline_lua_shared tapline_lua_shared;

/// Creates a store; returns NULL if memory is exhausted.
tapline_lua_shared *tapline_lua_shared_create(size_t max_bytes);
void tapline_lua_shared_destroy(tapline_lua_shared *store);
/// The bytes that the store uses.
size_t tapline_lua_shared_used(tapline_lua_shared *store);

/// The resources outside of a state that it can reach; an empty part disables the resource.
typedef struct tapline_lua_environment {
    /// The folder of the modules that `require` loads.
    tapline_lua_bytes module_folder;
    /// The folder of the files that `respond` sends.
    tapline_lua_bytes file_folder;
    /// Key files and folders of keys, which are never read, separated by zero bytes.
    tapline_lua_bytes protected_paths;
    /// Must live as long as the state.
    tapline_lua_shared *shared;
} tapline_lua_environment;

/// Sets the environment before a script is loaded; returns false if memory is exhausted.
bool tapline_lua_set_environment(tapline_lua *lua, tapline_lua_environment environment);

/// Sets the wall clock of all following calls, in microseconds since 1970.
void tapline_lua_set_time(tapline_lua *lua, int64_t microseconds);

/// Sets whether the following calls leave the shared store as it is: their functions return what
/// they would return otherwise, also values that an earlier one of these calls has set.
void tapline_lua_set_preview(tapline_lua *lua, bool is_preview);

/// A file that `require` loaded. The pointers are valid until the script is reloaded.
typedef struct tapline_lua_module {
    /// The full path.
    tapline_lua_bytes path;
    /// The name at the start of positions in the file.
    tapline_lua_bytes name;
} tapline_lua_module;

size_t tapline_lua_module_count(const tapline_lua *lua);
tapline_lua_module tapline_lua_module_at(const tapline_lua *lua, size_t index);

// MARK: - Scripts

/// Compiles a script (text only) and runs it once to find its hooks.
///
/// name: the name at the start of positions. first_line: the number of the script's first line.
/// Returns one of the codes above; after a failure the state has no script.
int32_t tapline_lua_load(
    tapline_lua *lua, tapline_lua_bytes script, tapline_lua_bytes name, uint32_t first_line);

/// Compiles a script without running it; the state then has no hooks.
int32_t tapline_lua_compile(
    tapline_lua *lua, tapline_lua_bytes script, tapline_lua_bytes name, uint32_t first_line);

/// Replaces the Lua state by a new one with the same script. Required after a limit was hit,
/// because the old state was interrupted at an arbitrary point. The script's globals are lost.
int32_t tapline_lua_reload(tapline_lua *lua);

/// The hooks that the script defines, one bit each.
uint32_t tapline_lua_hooks(const tapline_lua *lua);

/// Runs the hook `start` with a table created from JSON text.
int32_t tapline_lua_start(tapline_lua *lua, tapline_lua_bytes config);

/// Runs the hook `stop`.
int32_t tapline_lua_stop(tapline_lua *lua);

/// The view of a state.
tapline_lua_view tapline_lua_view_of(tapline_lua *lua);

/// Copies bytes into the memory of the running call; returns no bytes if memory is exhausted.
tapline_lua_bytes tapline_lua_keep(tapline_lua *lua, tapline_lua_bytes bytes);

/// Fills in a part of the view of an exchange. It may call only `tapline_lua_keep` and
/// `tapline_lua_set_time`, and must return normally.
typedef void (*tapline_lua_lend)(void *from, uint32_t part);

/// Runs a hook for an exchange, whose parts `lend` fills in when the script first reads them. The
/// hook `message` also uses the message of the view.
int32_t tapline_lua_call(
    tapline_lua *lua, int32_t hook, tapline_lua_lend lend, void *from);

/// Why the last load, reload or call failed.
tapline_lua_failure tapline_lua_last_failure(const tapline_lua *lua);

/// The lines that were logged since the log was last cleared.
tapline_lua_log tapline_lua_logged(const tapline_lua *lua);

void tapline_lua_clear_log(tapline_lua *lua);

/// Writes the names of an object's members, at most `capacity`, and how scripts write the object.
/// Returns the number of names, and 0 after the last object.
size_t tapline_lua_names(
    size_t object, tapline_lua_bytes *path, tapline_lua_bytes *names, size_t capacity);

/// Seeds `math.random` for reproducible tests; otherwise each state has a different seed.
void tapline_lua_seed(tapline_lua *lua, uint64_t seed);

/// Nanoseconds of a monotonic clock.
uint64_t tapline_lua_now(void);

/// A script whose lines were counted.
typedef struct tapline_lua_covered {
    /// The name that it was compiled with.
    tapline_lua_bytes name;
    /// How often each line ran, by line number; -1 for a line without code.
    const int64_t *counts;
    size_t count;
} tapline_lua_covered;

/// Makes the state count how often each line runs, which takes time for each line. Must be called
/// before a script is loaded.
void tapline_lua_collect_coverage(tapline_lua *lua);

/// The number of scripts whose lines were counted.
size_t tapline_lua_covered_files(const tapline_lua *lua);

tapline_lua_covered tapline_lua_covered_file(const tapline_lua *lua, size_t index);

/// The entries that a table may have, which is the state's limit rounded up to a power of two.
size_t tapline_lua_max_entries(const tapline_lua *lua);

/// How Lua grows stacks: a stack of n slots takes n times `slot_bytes` plus `extra_bytes`.
typedef struct tapline_lua_growth {
    size_t slot_bytes, extra_bytes;
} tapline_lua_growth;

/// Computes how stacks grow from the sizes in bytes that a stack had after it grew: three times by
/// doubling, and twice to a requested size, the second time `more` slots larger than the first.
/// Returns false if stacks grow differently.
bool tapline_lua_learn_growth(const size_t sizes[5], size_t more, tapline_lua_growth *growth);

/// The memory that the state uses, in bytes.
size_t tapline_lua_memory_used(const tapline_lua *lua);
