// SPDX-License-Identifier: MIT

/// What the parts of this module know of each other. Lua's headers stop here.

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

/// Bounds on what one hook call may gather outside of Lua's memory.
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

/// Memory that is given back all at once, when the next call begins.
typedef struct arena {
    chunk *first, *current;
    size_t used;
    size_t limit;
} arena;

/// NULL when there is no memory or the limit would be passed.
void *tapline_lua_arena_take(arena *memory, size_t size);
void tapline_lua_arena_reset(arena *memory);
void tapline_lua_arena_free(arena *memory);

// MARK: - Small blocks of Lua's memory (pool.c)

enum { POOL_SIZES = 32 };

/// Room for small blocks, and those of each size that were given back.
typedef struct pool {
    uint8_t *room;
    size_t used;
    void *free[POOL_SIZES];
} pool;

/// These take and give blocks of any size above 0, small or not; NULL when there is no memory.
void *tapline_lua_pool_take(pool *memory, size_t size);
void *tapline_lua_pool_resize(pool *memory, void *block, size_t old_size, size_t new_size);
void tapline_lua_pool_give(pool *memory, void *block, size_t size);
/// Forgets all small blocks, of which none is used any more.
void tapline_lua_pool_reset(pool *memory);
void tapline_lua_pool_free(pool *memory);

// MARK: - Sections (section.c)

/// A list of names and values: lent, until the first change makes a copy.
typedef struct section {
    tapline_lua_section view;
    uint8_t *own_bytes;
    size_t own_bytes_capacity;
    entry *own_entries;
    size_t own_entries_capacity;
    /// Whether it was changed.
    bool is_own;
    /// Names are compared without regard to the case of ASCII letters, and may repeat.
    bool is_fields;
    /// What a name in it is called in messages.
    const char *noun;
} section;

static inline void section_lend(section *list, tapline_lua_section view) {
    list->view = view;
    list->is_own = false;
}
void tapline_lua_section_free(section *list);
/// The position of a name at or after `start`; -1 when there is none.
ptrdiff_t tapline_lua_section_find(const section *list, bytes name, size_t start);
bytes tapline_lua_section_name(const section *list, size_t position);
bytes tapline_lua_section_value(const section *list, size_t position);
/// These return false when there is no memory or a bound would be passed.
bool tapline_lua_section_set(section *list, bytes name, bytes value);
bool tapline_lua_section_add(section *list, bytes name, bytes value);
bool tapline_lua_section_remove(section *list, bytes name);
bool tapline_lua_section_set_at(section *list, size_t position, bytes value);
bool tapline_lua_section_remove_at(section *list, size_t position);
/// Takes a copy of other names and values.
bool tapline_lua_section_assign(section *list, tapline_lua_section view);

// MARK: - The state

#include "extras.h"

/// Userdata that scripts hold; there is one of each for each state, used again for each exchange.
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

/// The number of a field's name, by the address of the name and its list
/// (`tapline_lua_field_number`).
typedef struct field {
    const void *name;
    const char *const *names;
    int number;
} field;

typedef struct side {
    message view;
    uint32_t changes;
    /// Whether the caches in the userdata hold something.
    bool cached;
} side;

typedef struct verdict {
    int32_t kind;
    /// The line that made it.
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

/// A file of which lines are counted.
typedef struct covered_file {
    char name[256];
    /// By line; -1 for a line that cannot run.
    int64_t *counts;
    size_t count;
} covered_file;

/// More stacks than these may not be long at the same time.
enum { LONG_STACKS = 16 };

/// Where a long stack lies, and its size.
typedef struct long_stack {
    const void *block;
    size_t bytes;
} long_stack;

struct tapline_lua {
    lua_State *L;
    tapline_lua_limits limits;
    /// What Swift does for the libraries.
    tapline_lua_functions functions;

    // What is spent (limits.c).
    pool blocks;
    size_t memory_used;
    int64_t budget;
    /// Work since the clock was last read, in instructions and in bytes allocated.
    int64_t uncharged;
    uint64_t allocated;
    /// When the call must end, by the monotonic clock.
    uint64_t deadline;
    /// By how much the cheap clock may be late (`cheap_now`).
    uint64_t tick;
    /// The limit that was hit: nothing may go on in this state then.
    int32_t tripped;
    int32_t tripped_line;
    /// Where memory was refused last.
    int32_t refused_line;
    bool running;
    /// How many coroutines are being closed, each from within the one before.
    int32_t closing;
    /// The memory from which on the hook has to be called more often.
    size_t watched;
    /// The coroutine that runs; NULL for the state itself.
    lua_State *current;
    long_stack stacks[LONG_STACKS];
    /// The size of the longest stack for which there was no place there.
    size_t longest_beside;
    /// The block that was made by the last call of the allocator; NULL if that did something else.
    long_stack made;
    /// Whether what grows now is a stack.
    bool reserves_slots;
    /// How stacks grow (`tapline_lua_limits_learn_stacks`), and the size from which on one is long.
    tapline_lua_growth growth;
    size_t long_bytes;
    /// The bytes of one place in the hash part of a table (`tapline_lua_limits_learn_tables`), and the
    /// places that such a part may have.
    size_t place_bytes, most_places;
    /// New blocks of at least so many bytes may be hash parts.
    size_t least_watched;
    /// Whether the C function that runs adds entries to a table of the script.
    bool fills_table;
    /// The size of the block that was taken last, while sizes are learned, and how many were.
    size_t learned_size;
    int32_t learned_count;

    // The script.
    uint8_t *script;
    size_t script_count;
    char name[256];
    size_t name_count;
    uint32_t first_line;
    /// Whether a script that is loaded is not run.
    bool only_compiles;
    uint32_t hooks;
    uint64_t seed;
    bool has_seed;

    // The exchange that a hook runs over; NULL outside.
    const tapline_lua_exchange *exchange;
    /// What callers fill in of it; the messages lie in `request` and `response`.
    tapline_lua_exchange lent;
    /// Fills in its parts.
    tapline_lua_lend lend;
    void *lent_from;
    /// The parts that were lent in this call.
    uint32_t lent_parts;
    tapline_lua_outcome outcome;
    /// How often each hook was called; every so many calls one is timed.
    uint32_t calls[TAPLINE_LUA_HOOKS];
    int32_t hook;
    side request, response;
    section request_headers, response_headers, tags, vars, reply_headers;
    arena memory;
    tapline_lua_text_change *text_changes;
    size_t text_change_count, text_change_capacity;
    bool has_changed_text;
    /// Why a change was refused half-way: the call fails then, whether the script caught it or not.
    const char *refused_change;
    int32_t refused_change_line;
    verdict verdict;
    void *objects[OBJECT_COUNT];
    field fields[FIELDS];

    // The last failure.
    int32_t failure;
    int32_t failure_line;
    text failure_message, failure_detail;
    /// Whether the error under way comes from the script's own `error` or `assert`.
    bool raised;

    // The log.
    uint8_t *log;
    size_t log_count;
    uint32_t log_ends[MAX_LOG_LINES];
    uint8_t log_levels[MAX_LOG_LINES];
    size_t log_lines, log_lost;

    tapline_json_parser *json;

    // Which lines ran (coverage.c).
    bool covers;
    covered_file *covered;
    size_t covered_count;

    // What the libraries keep (extras.h).
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

/// Notes the lines that can run of the function on top of the stack, which was just compiled under
/// a name; nothing where lines are not counted.
void tapline_lua_coverage_add(lua_State *L, const char *name);
/// Counts a line that runs.
void tapline_lua_coverage_count(lua_State *L, lua_Debug *frame);
void tapline_lua_coverage_free(vm *lua);

// MARK: - Failures (failure.c)

int tapline_lua_failure_handler(lua_State *L);
void tapline_lua_failure_record(vm *lua, int status, bytes message);
/// Takes what a script computed out of the message of Lua on top of the stack; its position stays.
void tapline_lua_failure_clean(lua_State *L);
void tapline_lua_failure_clear(vm *lua);
void tapline_lua_failure_set(vm *lua, int32_t code, const char *message);

// MARK: - A growing buffer on Lua's memory (buffer.c)

/// Bytes under construction. Where an error is raised in between, Lua frees it.
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
/// Pushes the string; the slot keeps its place below.
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
/// Replaces a function of the table on top by one that charges for the length of its arguments.
void tapline_lua_wrap_charged(lua_State *L, const char *name, unsigned factor);
/// Pushes a value as text, as `luaL_tolstring` does; an object without a text of its own gives the
/// name of its type, since its address would show how memory is laid out.
void tapline_lua_push_text(lua_State *L, int index);
/// The number of the option that an argument names, 0 if it is absent; raises for an unknown one
/// without repeating it.
int tapline_lua_option_argument(
    lua_State *L, int index, const char *what, const char *const *options);
/// `utf8.codepoint` of a bounded count; the library's own is its upvalue.
int tapline_lua_utf8_codepoint(lua_State *L);

// MARK: - JSON (json_decode.c, json_encode.c)

/// Pushes the value of a JSON text; otherwise pushes nothing, and says why and where.
bool tapline_lua_json_try_push(lua_State *L, bytes input, const char **reason, size_t *offset);

/// Pushes the value of a JSON text; raises when it is none.
void tapline_lua_json_push(lua_State *L, bytes input);
/// Appends the JSON text of a value; raises when it has none.
void tapline_lua_json_append(buffer *output, int index);

// MARK: - The exchange (exchange.c and following)

/// Has a part of the exchange of this call filled in; raises outside of a hook.
void tapline_lua_have_lent(lua_State *L, uint32_t part);
/// What reads a part of an exchange calls this first. Raises outside of a hook.
static inline void need_part(lua_State *L, uint32_t part) {
    if ((vm_of(L)->lent_parts & part) == 0) tapline_lua_have_lent(L, part);
}
/// What reads an exchange or writes it calls this first. Raises outside of a hook.
static inline void check_exchange(lua_State *L) { need_part(L, TAPLINE_LUA_LENDS_MESSAGES); }
/// Raises where the hook may not change a message, or where there is none.
void tapline_lua_check_writable(lua_State *L, const side *message);
void tapline_lua_check_present(lua_State *L, const side *message);
/// Forgets what `body` and `json()` keep for a message.
void tapline_lua_drop_cache(lua_State *L, side *message);
/// Makes one of the state's userdata, with room for values that stay with it. Metamethods get the
/// table of `names`, where there are names, as their first upvalue.
void tapline_lua_make_object(
    lua_State *L, int object, const luaL_Reg *metamethods, const char *const *names, int values);
/// The same of a size, for what is not reached by its address alone.
void tapline_lua_make_object_of(
    lua_State *L, int object, size_t size, const luaL_Reg *metamethods, const char *const *names,
    int values);
void tapline_lua_push_object(lua_State *L, int object);
/// The number that a field's name has in the table of names that is the first upvalue; raises
/// where it has none, and then says which name is near.
int tapline_lua_field_number(lua_State *L, int index, const char *object, const char *const *names);
/// Refuses a table with a key that is none of the names.
void tapline_lua_check_names(lua_State *L, int index, const char *object, const char *const *names);
void tapline_lua_open_messages(lua_State *L);
void tapline_lua_open_headers(lua_State *L);
void tapline_lua_open_query(lua_State *L);

/// Copies bytes into the call's memory. Where they do not fit the call fails, even if the script
/// catches the error: what had been changed before would otherwise stay without the rest.
bytes tapline_lua_keep_bytes(lua_State *L, bytes value);
void *tapline_lua_keep_room(lua_State *L, size_t count);
/// Gives a message of the stream another text.
void tapline_lua_change_text(lua_State *L, size_t position, bytes text);
/// Fails the call since a section would grow beyond its bound.
void tapline_lua_too_large(lua_State *L, const section *list);
void tapline_lua_set_field(lua_State *L, section *list, const char *name, bytes value);
void tapline_lua_remove_field(lua_State *L, section *list, const char *name);

/// Raises unless the bytes are a token (RFC 9110 §5.6.2).
void tapline_lua_check_token(lua_State *L, bytes name, const char *what);
/// Raises unless the bytes may be a field's value: no CR, LF or NUL.
void tapline_lua_check_field_value(lua_State *L, bytes value);
/// The argument as text: a string, or a number in its decimal form; raises for all else.
bytes tapline_lua_text_argument(lua_State *L, int index, const char *what);
int64_t tapline_lua_status_argument(lua_State *L, int index);
/// Appends a name and a value to the section of a response that a script makes.
void tapline_lua_add_reply_field(lua_State *L, bytes name, bytes value);
/// The names of the hooks, by their numbers.
extern const char *const tapline_lua_hook_names[];
/// The order of two `bytes`, by their bytes.
int tapline_lua_compare_bytes(const void *left, const void *right);
/// Sorts by that order.
void tapline_lua_sort_bytes(bytes *list, size_t count);
/// The names of fields that are the keys of a table, sorted; good as long as the table is.
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
