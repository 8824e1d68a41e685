// SPDX-License-Identifier: MIT

/// The declarations that the files of this module share. Lua's headers are not exposed beyond it.

#pragma once

#include "CLuaShims.h"

#include <CSimdjsonShims.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <string.h>

typedef tapline_lua vm;
typedef tapline_lua_bytes bytes;
typedef tapline_lua_entry entry;
typedef tapline_lua_message message;

/// Bounds on what one hook call may allocate outside of Lua's memory.
enum {
    MAX_TEXT_CHANGES = 4096,
    MAX_FIELD_VALUES = 4096,
    MAX_SECTION_BYTES = 1 << 20,
    MAX_NAME_BYTES = 1024,
    MAX_LOG_LINE = 1024,
    MAX_LOG_LINES = 256,
    MAX_LOG_BYTES = 64 * 1024,
    MAX_VALUES = 16384,
    MAX_JSON_DEPTH = 100,
    MAX_SCRIPT_BYTES = 4 << 20,
};

// MARK: - Memory for one call (arena.c)

typedef struct chunk chunk;

/// Memory that is freed at once when the next call begins.
typedef struct arena {
    chunk *first, *current;
    size_t used;
    size_t limit;
} arena;

/// Returns NULL if memory is exhausted or the limit would be exceeded.
void *tapline_lua_arena_take(arena *memory, size_t size);
void tapline_lua_arena_reset(arena *memory);
void tapline_lua_arena_free(arena *memory);

// MARK: - Small blocks of Lua's memory (pool.c)

enum { POOL_SIZES = 32 };

/// Memory for small blocks, with a list of the freed blocks of each size.
typedef struct pool {
    uint8_t *room;
    size_t used;
    void *free[POOL_SIZES];
} pool;

/// These functions allocate and free blocks of any size above 0; they return NULL if memory is
/// exhausted.
void *tapline_lua_pool_take(pool *memory, size_t size);
void *tapline_lua_pool_resize(pool *memory, void *block, size_t old_size, size_t new_size);
void tapline_lua_pool_give(pool *memory, void *block, size_t size);
/// Releases all small blocks, none of which may still be in use.
void tapline_lua_pool_reset(pool *memory);
void tapline_lua_pool_free(pool *memory);

// MARK: - Sections (section.c)

/// A list of names and values: lent until the first change makes a copy.
typedef struct section {
    tapline_lua_section view;
    uint8_t *own_bytes;
    size_t own_bytes_capacity;
    entry *own_entries;
    size_t own_entries_capacity;
    /// Whether the section was changed.
    bool is_own;
    /// Names are compared without regard to the case of ASCII letters, and may repeat.
    bool is_fields;
    /// The word for a name in messages.
    const char *noun;
} section;

static inline void section_lend(section *list, tapline_lua_section view) {
    list->view = view;
    list->is_own = false;
}
void tapline_lua_section_free(section *list);
/// The position of a name at or after `start`; -1 if there is none.
ptrdiff_t tapline_lua_section_find(const section *list, bytes name, size_t start);
bytes tapline_lua_section_name(const section *list, size_t position);
bytes tapline_lua_section_value(const section *list, size_t position);
/// These functions return false if memory is exhausted or a bound would be exceeded.
bool tapline_lua_section_set(section *list, bytes name, bytes value);
bool tapline_lua_section_add(section *list, bytes name, bytes value);
bool tapline_lua_section_remove(section *list, bytes name);
bool tapline_lua_section_set_at(section *list, size_t position, bytes value);
bool tapline_lua_section_remove_at(section *list, size_t position);
/// Replaces the content by a copy of other names and values.
bool tapline_lua_section_assign(section *list, tapline_lua_section view);

// MARK: - The state

#include "extras.h"

/// Userdata that scripts can hold; each state has one of each, which is reused for each exchange.
enum {
    OBJECT_EXCHANGE,
    OBJECT_REQUEST,
    OBJECT_RESPONSE,
    OBJECT_REQUEST_HEADERS,
    OBJECT_RESPONSE_HEADERS,
    OBJECT_TAGS,
    OBJECT_VARS,
    OBJECT_QUERY,
    OBJECT_TIMING,
    OBJECT_TLS,
    OBJECT_SERVER_TLS,
    OBJECT_ORIGINAL,
    OBJECT_ERROR,
    OBJECT_CONNECTION,
    OBJECT_BYTES,
    OBJECT_GRPC,
    OBJECT_STREAM,
    OBJECT_MESSAGE,
    OBJECT_REQUEST_TRAILERS,
    OBJECT_RESPONSE_TRAILERS,
    OBJECT_REQUEST_COOKIES,
    OBJECT_RESPONSE_COOKIES,
    OBJECT_FORM,
    OBJECT_VERDICT,
    OBJECT_NULL,
    OBJECT_COUNT
};

enum { FIELDS = 64 };

/// A cached number of a field's name, found by the address of the name and of its list
/// (`tapline_lua_field_number`).
typedef struct field {
    const void *name;
    const char *const *names;
    int number;
} field;

typedef struct side {
    message view;
    uint32_t changes;
    /// Whether the caches in the userdata have values.
    bool cached;
} side;

typedef struct verdict {
    int32_t kind;
    /// The line that created the verdict.
    int32_t line;
    bool made;
    bool has_delay;
    int64_t delay;
    bytes reason;
    message reply;
} verdict;

/// A buffer outside of Lua for the last failure's texts.
typedef struct text {
    size_t count;
    uint8_t bytes[TAPLINE_LUA_MESSAGE_BYTES];
} text;

/// A file whose lines are counted.
typedef struct covered_file {
    char name[256];
    /// The counts by line; -1 for a line without code.
    int64_t *counts;
    size_t count;
} covered_file;

/// The number of long stacks whose addresses are tracked.
enum { LONG_STACKS = 16 };

/// The address of a long stack, and its size.
typedef struct long_stack {
    const void *block;
    size_t bytes;
} long_stack;

struct tapline_lua {
    lua_State *L;
    tapline_lua_limits limits;
    /// The Swift functions that the libraries use.
    tapline_lua_functions functions;

    // Resources in use (limits.c).
    pool blocks;
    size_t memory_used;
    int64_t budget;
    /// Work since the clock was last read, in instructions and in bytes allocated.
    int64_t uncharged;
    uint64_t allocated;
    /// When the call must end, on the monotonic clock.
    uint64_t deadline;
    /// The maximum lag of the coarse clock (`cheap_now`).
    uint64_t tick;
    /// The limit that was hit, after which nothing may run in this state; 0 if none.
    int32_t tripped;
    int32_t tripped_line;
    /// The line at which an allocation was last refused.
    int32_t refused_line;
    bool running;
    /// The number of nested coroutines that are being closed.
    int32_t closing;
    /// The memory above which the instruction hook must be called more often.
    size_t watched;
    /// The running coroutine; NULL for the state itself.
    lua_State *current;
    long_stack stacks[LONG_STACKS];
    /// The size of the longest stack that did not fit in `stacks`.
    size_t longest_beside;
    /// The block that the last call of the allocator created; NULL if it created none.
    long_stack made;
    /// Whether a stack is currently being grown.
    bool reserves_slots;
    /// How stacks grow (`tapline_lua_limits_learn_stacks`), and the minimum size of a long stack.
    tapline_lua_growth growth;
    size_t long_bytes;
    /// The bytes of one node in the hash part of a table (`tapline_lua_limits_learn_tables`), and
    /// the maximum number of nodes of a hash part.
    size_t place_bytes, max_places;
    /// The minimum size of new blocks that are checked as possible hash parts.
    size_t min_watched;
    /// Whether the running C function adds entries to a table of the script.
    bool fills_table;
    /// The size of the last allocated block and the number of blocks, while sizes are learned.
    size_t learned_size;
    int32_t learned_count;

    // The script.
    uint8_t *script;
    size_t script_count;
    char name[256];
    size_t name_count;
    uint32_t first_line;
    /// Whether a script is only compiled, not run.
    bool only_compiles;
    uint32_t hooks;
    uint64_t seed;
    bool has_seed;

    // The exchange of the running hook; NULL outside of a hook.
    const tapline_lua_exchange *exchange;
    /// The parts that callers fill in; the messages are in `request` and `response`.
    tapline_lua_exchange lent;
    /// Fills in the parts of `lent`.
    tapline_lua_lend lend;
    void *lent_from;
    /// The parts that were lent in this call.
    uint32_t lent_parts;
    tapline_lua_outcome outcome;
    /// How often each hook was called; one in `CALLS_OF_TIMED` calls is timed.
    uint32_t calls[TAPLINE_LUA_HOOKS];
    int32_t hook;
    side request, response;
    section request_headers, response_headers, tags, vars, reply_headers;
    arena memory;
    tapline_lua_text_change *text_changes;
    size_t text_change_count, text_change_capacity;
    bool has_changed_text;
    /// Why a partial change was refused; the call then fails even if the script caught the error.
    const char *refused_change;
    int32_t refused_change_line;
    verdict verdict;
    void *objects[OBJECT_COUNT];
    field fields[FIELDS];

    // The last failure.
    int32_t failure;
    int32_t failure_line;
    text failure_message, failure_detail;
    /// Whether the current error was raised by the script's `error` or `assert`.
    bool raised;

    // The log.
    uint8_t *log;
    size_t log_count;
    uint32_t log_ends[MAX_LOG_LINES];
    uint8_t log_levels[MAX_LOG_LINES];
    size_t log_lines, log_lost;

    tapline_json_parser *json;

    // Line counts (coverage.c).
    bool covers;
    covered_file *covered;
    size_t covered_count;

    // The state of the libraries (extras.h).
    extras extras;
};

static inline vm *vm_of(lua_State *L) { return *(vm **)lua_getextraspace(L); }

static inline bytes bytes_at(lua_State *L, int index) {
    size_t count;
    const char *start = lua_tolstring(L, index, &count);
    return (bytes){(const uint8_t *)start, count};
}

static inline void push_bytes(lua_State *L, bytes value) {
    lua_pushlstring(L, (const char *)value.bytes, value.count);
}

static inline bool bytes_equal(bytes left, bytes right) {
    return left.count == right.count &&
        (left.count == 0 || memcmp(left.bytes, right.bytes, left.count) == 0);
}

#define BYTES(literal) ((bytes){(const uint8_t *)(literal), sizeof(literal) - 1})

bool tapline_lua_bytes_equal_ignoring_case(bytes left, bytes right);

#include "bounds.h"

// MARK: - Coverage (coverage.c)

/// Notes the lines with code of the function on top of the stack, which was just compiled with a
/// name; does nothing if lines are not counted.
void tapline_lua_coverage_add(lua_State *L, const char *name);
/// Counts an executed line.
void tapline_lua_coverage_count(lua_State *L, lua_Debug *frame);
void tapline_lua_coverage_free(vm *lua);

// MARK: - Failures (failure.c)

int tapline_lua_failure_handler(lua_State *L);
void tapline_lua_failure_record(vm *lua, int status, bytes message);
/// Removes computed values from the message of Lua on top of the stack; keeps its position.
void tapline_lua_failure_clean(lua_State *L);
void tapline_lua_failure_clear(vm *lua);
void tapline_lua_failure_set(vm *lua, int32_t code, const char *message);

// MARK: - A growing buffer on Lua's memory (buffer.c)

/// Bytes under construction. Lua frees them if an error is raised.
typedef struct buffer {
    lua_State *L;
    int slot;
    uint8_t *bytes;
    size_t count, capacity;
    uint8_t small[256];
} buffer;

/// Takes one slot of the stack.
void tapline_lua_buffer_begin(lua_State *L, buffer *output);
uint8_t *tapline_lua_buffer_room(buffer *output, size_t count);
static inline void buffer_append(buffer *output, const void *start, size_t count) {
    if (count == 0) return;
    if (output->capacity - output->count < count) tapline_lua_buffer_room(output, count);
    memcpy(output->bytes + output->count, start, count);
    output->count += count;
}
static inline void buffer_byte(buffer *output, uint8_t byte) {
    if (output->count == output->capacity) tapline_lua_buffer_room(output, 1);
    output->bytes[output->count++] = byte;
}
/// Pushes the string; the buffer's slot stays below it.
void tapline_lua_buffer_push(buffer *output);

// MARK: - The libraries of the sandbox

void tapline_lua_open_base(lua_State *L);
void tapline_lua_open_coroutines(lua_State *L);
void tapline_lua_open_strings(lua_State *L);
void tapline_lua_open_patterns(lua_State *L);
void tapline_lua_open_tables(lua_State *L);
void tapline_lua_open_json(lua_State *L);
void tapline_lua_open_verdicts(lua_State *L);
void tapline_lua_open_exchange(lua_State *L);
/// Replaces a function of the table on top with one that charges for the length of its arguments.
void tapline_lua_wrap_charged(lua_State *L, const char *name, unsigned factor);
/// Pushes a value as text, as `luaL_tolstring` does. An object without its own text is written as
/// the name of its type, because its address would reveal the memory layout.
void tapline_lua_push_text(lua_State *L, int index);
/// The number of the option that an argument names; 0 if it is absent. Raises for an unknown option
/// without repeating it.
int tapline_lua_option_argument(
    lua_State *L, int index, const char *what, const char *const *options);
/// `utf8.codepoint` with a bounded number of results; the library's function is its upvalue.
int tapline_lua_utf8_codepoint(lua_State *L);

// MARK: - JSON (json_decode.c, json_encode.c)

/// Pushes the value of a JSON text and returns true; on failure pushes nothing and sets reason and
/// offset.
bool tapline_lua_json_try_push(lua_State *L, bytes input, const char **reason, size_t *offset);

/// Pushes the value of a JSON text; raises if the text is malformed.
void tapline_lua_json_push(lua_State *L, bytes input);
/// Appends the JSON text of a value; raises if the value has none.
void tapline_lua_json_append(buffer *output, int index);

// MARK: - The exchange (exchange.c and following)

/// Makes the caller fill in a part of the exchange; raises outside of a hook.
void tapline_lua_have_lent(lua_State *L, uint32_t part);
/// Must be called before a part of an exchange is read. Raises outside of a hook.
static inline void need_part(lua_State *L, uint32_t part) {
    if ((vm_of(L)->lent_parts & part) == 0) tapline_lua_have_lent(L, part);
}
/// Must be called before an exchange is read or written. Raises outside of a hook.
static inline void check_exchange(lua_State *L) { need_part(L, TAPLINE_LUA_LENDS_MESSAGES); }
/// Raises if the hook may not change a message, or if there is none.
void tapline_lua_check_writable(lua_State *L, const side *message);
void tapline_lua_check_present(lua_State *L, const side *message);
/// Drops the cached `body` and `json()` of a message.
void tapline_lua_drop_cache(lua_State *L, side *message);
/// Creates one of the state's userdata with a number of user values. If there are names,
/// metamethods get the table of `names` as their first upvalue.
void tapline_lua_make_object(
    lua_State *L, int object, const luaL_Reg *metamethods, const char *const *names, int values);
/// Creates a userdata of a size, for objects that are not identified by their address alone.
void tapline_lua_make_object_of(
    lua_State *L, int object, size_t size, const luaL_Reg *metamethods, const char *const *names,
    int values);
void tapline_lua_push_object(lua_State *L, int object);
/// The number of a field's name in the table of names in the first upvalue; raises for an unknown
/// name, and suggests the nearest one.
int tapline_lua_field_number(lua_State *L, int index, const char *object, const char *const *names);
/// Raises for a table with a key that is not one of the names.
void tapline_lua_check_names(lua_State *L, int index, const char *object, const char *const *names);
void tapline_lua_open_messages(lua_State *L);
void tapline_lua_open_headers(lua_State *L);
void tapline_lua_open_query(lua_State *L);

/// Copies bytes into the call's memory. If they do not fit, the call fails even if the script
/// catches the error; otherwise a change could be applied partially.
bytes tapline_lua_keep_bytes(lua_State *L, bytes value);
void *tapline_lua_keep_room(lua_State *L, size_t count);
/// Changes the text of a message of the stream.
void tapline_lua_change_text(lua_State *L, size_t position, bytes text);
/// Fails the call because a section would exceed its bound.
void tapline_lua_too_large(lua_State *L, const section *list);
void tapline_lua_set_field(lua_State *L, section *list, const char *name, bytes value);
void tapline_lua_remove_field(lua_State *L, section *list, const char *name);

/// Raises unless the bytes are a token (RFC 9110 §5.6.2).
void tapline_lua_check_token(lua_State *L, bytes name, const char *what);
/// Raises unless the bytes are a valid field value, without CR, LF and NUL.
void tapline_lua_check_field_value(lua_State *L, bytes value);
/// The argument as text: a string, or a number in decimal form; raises for other types.
bytes tapline_lua_text_argument(lua_State *L, int index, const char *what);
int64_t tapline_lua_status_argument(lua_State *L, int index);
/// Appends a name and a value to the fields of a response that a script creates.
void tapline_lua_add_reply_field(lua_State *L, bytes name, bytes value);
/// The names of the hooks, by number.
extern const char *const tapline_lua_hook_names[];
/// Compares two `bytes` bytewise.
int tapline_lua_compare_bytes(const void *left, const void *right);
/// Sorts by that order.
void tapline_lua_sort_bytes(bytes *list, size_t count);
/// The field names that are the keys of a table, sorted; valid as long as the table is not changed.
const bytes *tapline_lua_sorted_names(lua_State *L, int index, size_t *count);

// MARK: - URLs (url.c)

static inline tapline_lua_target tapline_lua_split_target(lua_State *L, bytes target) {
    return vm_of(L)->functions.target_split(target);
}
static inline tapline_lua_authority tapline_lua_split_authority(
    lua_State *L, bytes authority, bytes scheme) {
    return vm_of(L)->functions.authority_split(authority, scheme);
}
void tapline_lua_push_url(lua_State *L, const message *request);
void tapline_lua_assign_url(lua_State *L, side *request, bytes url);
void tapline_lua_assign_host(lua_State *L, side *request, bytes host);
void tapline_lua_assign_port(lua_State *L, side *request, int64_t port);
void tapline_lua_assign_scheme(lua_State *L, side *request, bytes scheme);
void tapline_lua_assign_path(lua_State *L, side *request, bytes path);
void tapline_lua_assign_query(lua_State *L, side *request, bytes query, bool has_query);

#include "libraries.h"
