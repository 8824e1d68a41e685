// SPDX-License-Identifier: MIT

/// A Lua 5.4 state that runs the hooks of one script over HTTP exchanges.
///
/// Lua raises errors with `longjmp`, so nothing but C may stand between a protected call and an
/// error. Hence Swift lends a flat view of an exchange for the length of one call, the script reads
/// it lazily, its changes gather in an outcome, and Swift applies them after the call has returned.
/// View and outcome lie in the state, so that a call moves nothing but what it needs. Each part of the
/// view is filled in when the script first reads it, by a function of Swift that has returned before
/// Lua goes on.
///
/// No function here raises, traps, or keeps a pointer to what it was lent. One thread at a time.

#pragma once

#include "CLuaFunctions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tapline_lua tapline_lua;

/// Whether a script may read a body.
enum {
    /// The bytes are whole and not coded.
    TAPLINE_LUA_BODY_READABLE = 0,
    /// The bytes are missing: a wire hook whose stage did not ask for the body.
    TAPLINE_LUA_BODY_STREAMED = 1,
    /// Bytes are missing at the end.
    TAPLINE_LUA_BODY_CUT = 2,
    /// The bytes are coded and could not be decoded.
    TAPLINE_LUA_BODY_CODED = 3,
    /// The bytes are coded; they are decoded when the script reads them.
    TAPLINE_LUA_BODY_NOT_DECODED = 4
};

typedef struct tapline_lua_body {
    /// The bytes as the script reads them.
    tapline_lua_bytes bytes;
    /// What a recording says of the content beside the fields, as in Content-Type.
    tapline_lua_bytes content_type;
    /// The size on the wire; negative when not known.
    int64_t size;
    /// One of the numbers above.
    int32_t reading;
    bool truncated;
} tapline_lua_body;

/// A request or a response; the parts of the other kind stay empty.
typedef struct tapline_lua_message {
    bool present;
    /// Whether the hook may change it; the call fills this in.
    bool writable;
    tapline_lua_bytes method, target, scheme, authority;
    tapline_lua_bytes version, reason;
    int64_t status;
    tapline_lua_section headers;
    tapline_lua_body body;
} tapline_lua_message;

enum { TAPLINE_LUA_TIMINGS = 7 };

/// Facts that few scripts read; each is text, and empty when not known.
enum {
    TAPLINE_LUA_TLS = 0,
    TAPLINE_LUA_SERVER_TLS = 4,
    TAPLINE_LUA_ORIGINAL = 8,
    TAPLINE_LUA_ERROR = 11,
    TAPLINE_LUA_CONNECTION = 13,
    TAPLINE_LUA_BYTES = 14,
    TAPLINE_LUA_FACTS = 17
};

/// A WebSocket message or a server-sent event; where it lies in the bytes of the details.
typedef struct tapline_lua_stream_message {
    uint32_t type_start, type_count, start, count;
    /// The type and the id of an event, which follow the message's type in this order.
    uint32_t event_count, id_count;
    /// Microseconds since the start; INT64_MIN when not known.
    int64_t at;
    /// The size on the wire; negative when not known.
    int64_t size;
    /// The status of a close; negative where there is none.
    int32_t code;
    bool is_up, truncated;
} tapline_lua_stream_message;

/// What few scripts read.
typedef struct tapline_lua_details {
    tapline_lua_bytes bytes;
    /// First the facts, in the order of their numbers and without names; then the trailers of the
    /// request and of the response; then the interim responses: each begins with two entries that
    /// have no name, whose values are the status and the reason.
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
    /// The word for the state; empty while the exchange goes on.
    tapline_lua_bytes state;
    /// Only for the hook `message`: its message, which lies in no list.
    tapline_lua_bytes message_type, message_text, message_event, message_id;
    tapline_lua_stream_message message;
    /// dns, connect, tls, send, wait, receive, total in microseconds; INT64_MIN when not known.
    int64_t timing[TAPLINE_LUA_TIMINGS];
    tapline_lua_details details;
    tapline_lua_stream stream;
} tapline_lua_exchange;

/// The parts of an exchange that are lent one by one, a bit each.
enum {
    /// Both messages, their bodies only where these are not coded; tags and variables, id and start.
    TAPLINE_LUA_LENDS_MESSAGES = 1,
    /// Source, client, server, state and timing.
    TAPLINE_LUA_LENDS_ORIGIN = 2,
    TAPLINE_LUA_LENDS_DETAILS = 4,
    TAPLINE_LUA_LENDS_STREAM = 8,
    /// A coded body, decoded.
    TAPLINE_LUA_LENDS_REQUEST_BODY = 16,
    TAPLINE_LUA_LENDS_RESPONSE_BODY = 32,
    /// The time, by `tapline_lua_set_time`.
    TAPLINE_LUA_LENDS_TIME = 64
};

/// The hooks, in the order of their bits in `tapline_lua_hooks`.
enum {
    TAPLINE_LUA_REQUEST = 0,
    TAPLINE_LUA_RESPONSE = 1,
    TAPLINE_LUA_RECORD = 2,
    TAPLINE_LUA_MESSAGE = 3,
    TAPLINE_LUA_START = 4,
    TAPLINE_LUA_STOP = 5,
    TAPLINE_LUA_HOOKS = 6,
    /// The script itself, when it is loaded.
    TAPLINE_LUA_MAIN = 6
};

/// The text that a script gave a message of the stream; its number, from 0, is the position.
typedef struct tapline_lua_text_change {
    size_t position;
    tapline_lua_bytes text;
} tapline_lua_text_change;

/// Which parts of a message a script replaced.
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

/// What a hook did; the view has the messages as the script left them. The pointers are good until the
/// next call.
typedef struct tapline_lua_outcome {
    /// Whether the hook changed, asked and logged nothing; the rest is not filled in then.
    bool is_plain;
    /// Whether lines wait in the log. Filled in by failed calls, too.
    bool has_logged;
    /// The parts that were lent. Filled in by failed calls, too.
    uint32_t lent;
    /// How long the call took; negative when it was not timed, as most are not.
    int64_t nanoseconds;
    uint32_t request_changes, response_changes;
    /// The sections that the script changed, whole; NULL for those that it left.
    const tapline_lua_section *request_headers, *response_headers, *tags, *vars;
    const tapline_lua_text_change *text_changes;
    size_t text_change_count;
    /// Whether the text of the message that the hook `message` runs over, in the view, was changed.
    bool has_changed_text;
    int32_t verdict;
    int64_t delay_microseconds;
    tapline_lua_bytes drop_reason;
    /// The response of `respond`.
    tapline_lua_message reply;
} tapline_lua_outcome;

/// What lies in the state for as long as it lives: what a caller fills in for each call, and what it
/// finds after it.
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
    /// No state could be made.
    TAPLINE_LUA_NO_STATE = 7,
    /// A table would have got more entries than it may.
    TAPLINE_LUA_TABLE = 8
};

/// The last failure. The pointers are good until the next call.
typedef struct tapline_lua_failure {
    int32_t code;
    /// The line in the script; 0 when not known.
    int32_t line;
    /// The module's file in which that line is; empty for the script itself.
    tapline_lua_bytes file;
    /// What went wrong, without anything that a script computed.
    tapline_lua_bytes message;
    /// The error's own text, which may hold anything.
    tapline_lua_bytes detail;
} tapline_lua_failure;

typedef struct tapline_lua_limits {
    uint64_t memory;
    /// Counted in steps of about 1,000.
    uint64_t instructions;
    /// Measured from the start of a call, and checked when it ends, too.
    uint64_t nanoseconds;
    /// The entries that one table may have beside those with the keys 1 to n; counts up to the next
    /// power of two.
    uint64_t table;
} tapline_lua_limits;

/// Lines that a script logged. The pointers are good until the next call.
typedef struct tapline_lua_log {
    tapline_lua_bytes bytes;
    /// Where each line ends.
    const uint32_t *ends;
    /// How grave each line is: 0 debug, 1 info, 2 warning, 3 error.
    const uint8_t *levels;
    size_t count;
    /// How many more lines did not fit.
    size_t lost;
} tapline_lua_log;

/// Makes a state without a script; NULL if there is no memory, or if the table lacks a function. Copies
/// the table.
tapline_lua *tapline_lua_create(tapline_lua_limits limits, const tapline_lua_functions *functions);

void tapline_lua_destroy(tapline_lua *lua);

// MARK: - Surroundings

/// A bounded store of keys and values that states share; any thread may use it.
typedef struct tapline_lua_shared tapline_lua_shared;

/// NULL when there is no memory.
tapline_lua_shared *tapline_lua_shared_create(size_t max_bytes);
void tapline_lua_shared_destroy(tapline_lua_shared *store);
/// The bytes that the store holds.
size_t tapline_lua_shared_used(tapline_lua_shared *store);

/// What a state reaches outside of itself. Nothing is reached where a part is empty.
typedef struct tapline_lua_surroundings {
    /// The folder of the modules that `require` loads.
    tapline_lua_bytes module_folder;
    /// The folder of the files that `respond` sends.
    tapline_lua_bytes file_folder;
    /// Key files, and folders of keys, which neither of these hands out, with a zero byte between.
    tapline_lua_bytes protected_paths;
    /// Has to live as long as the state.
    tapline_lua_shared *shared;
} tapline_lua_surroundings;

/// To be called before a script is loaded; false when there is no memory.
bool tapline_lua_surround(tapline_lua *lua, tapline_lua_surroundings surroundings);

/// The wall clock in microseconds since 1970, as all calls see it until it is set again.
void tapline_lua_set_time(tapline_lua *lua, int64_t microseconds);

/// A file that `require` loaded. The pointers are good until the script is loaded anew.
typedef struct tapline_lua_module {
    /// The whole path.
    tapline_lua_bytes path;
    /// What positions in it begin with.
    tapline_lua_bytes name;
} tapline_lua_module;

size_t tapline_lua_module_count(const tapline_lua *lua);
tapline_lua_module tapline_lua_module_at(const tapline_lua *lua, size_t index);

// MARK: - Scripts

/// Compiles a script (text only) and runs it once, so that its hooks are known.
///
/// name: what positions are given in. first_line: the line of the script's first line.
/// Returns one of the codes above; after a failure the state holds no script.
int32_t tapline_lua_load(
    tapline_lua *lua, tapline_lua_bytes script, tapline_lua_bytes name, uint32_t first_line);

/// Compiles a script and does not run it; the state has no hooks then.
int32_t tapline_lua_compile(
    tapline_lua *lua, tapline_lua_bytes script, tapline_lua_bytes name, uint32_t first_line);

/// Throws the Lua state away and makes a new one of the same script: what to do after a limit was
/// hit, since the old one was left in the middle of something. The script's globals are lost.
int32_t tapline_lua_reload(tapline_lua *lua);

/// The hooks that the script has, a bit each.
uint32_t tapline_lua_hooks(const tapline_lua *lua);

/// Runs the hook `start` with a table made of JSON text.
int32_t tapline_lua_start(tapline_lua *lua, tapline_lua_bytes config);

/// Runs the hook `stop`.
int32_t tapline_lua_stop(tapline_lua *lua);

/// Where the view lies.
tapline_lua_view tapline_lua_view_of(tapline_lua *lua);

/// Copies bytes into the memory of the call that is under way; none where there is no room.
tapline_lua_bytes tapline_lua_keep(tapline_lua *lua, tapline_lua_bytes bytes);

/// Fills in a part of the view of an exchange. It calls nothing here but `tapline_lua_keep` and
/// `tapline_lua_set_time`, and comes back.
typedef void (*tapline_lua_lend)(void *from, uint32_t part);

/// Runs a hook over an exchange, whose parts `lend` fills in when the script first reads them; the hook
/// `message` over the message of the view, too.
int32_t tapline_lua_call(
    tapline_lua *lua, int32_t hook, tapline_lua_lend lend, void *from);

/// Why the last load, reload or call failed.
tapline_lua_failure tapline_lua_last_failure(const tapline_lua *lua);

/// What was logged since the log was last cleared.
tapline_lua_log tapline_lua_logged(const tapline_lua *lua);

void tapline_lua_clear_log(tapline_lua *lua);

/// Writes the names that an object has, at most `capacity`, and how scripts write the object; gives
/// the number of names, and 0 after the last object.
size_t tapline_lua_names(
    size_t object, tapline_lua_bytes *path, tapline_lua_bytes *names, size_t capacity);

/// Seeds `math.random`, for tests that must repeat; states are seeded differently otherwise.
void tapline_lua_seed(tapline_lua *lua, uint64_t seed);

/// Nanoseconds by a clock that only goes forward.
uint64_t tapline_lua_now(void);

/// A script of which lines were counted.
typedef struct tapline_lua_covered {
    /// The name that it was compiled under.
    tapline_lua_bytes name;
    /// How often each line ran, by its number; -1 for one that cannot run.
    const int64_t *counts;
    size_t count;
} tapline_lua_covered;

/// Makes the state count which lines run; before a script is loaded. Costs time at each line.
void tapline_lua_collect_coverage(tapline_lua *lua);

/// How many scripts there are of which lines were counted.
size_t tapline_lua_covered_files(const tapline_lua *lua);

tapline_lua_covered tapline_lua_covered_file(const tapline_lua *lua, size_t index);

/// The entries that a table may have by the limits of the state, rounded up as they are.
size_t tapline_lua_most_entries(const tapline_lua *lua);

/// How Lua grows stacks: a stack of n slots takes n times the bytes of a slot and the extra bytes.
typedef struct tapline_lua_growth {
    size_t slot_bytes, extra_bytes;
} tapline_lua_growth;

/// Computes how stacks grow from sizes that one had in bytes, each time after it grew: three by
/// doubling, and two as somebody asked for, the second by `more` slots larger than the first.
/// Returns false if stacks grow in another way.
bool tapline_lua_learn_growth(const size_t sizes[5], size_t more, tapline_lua_growth *growth);

/// The memory that the state holds, in bytes.
size_t tapline_lua_memory_used(const tapline_lua *lua);
