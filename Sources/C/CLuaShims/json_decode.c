// SPDX-License-Identifier: MIT

#include "internal.h"

#include <stdlib.h>

/// The registry key of the metatable that marks arrays, so that an empty array stays an array.
extern const char tapline_lua_json_array_mark;

static const char *const parse_errors[] = {
    [TAPLINE_JSON_TRUNCATED] = "text ends too early",
    [TAPLINE_JSON_EMPTY] = "text is empty",
    [TAPLINE_JSON_BAD_UTF8] = "text is not valid UTF-8",
    [TAPLINE_JSON_BAD_CONTROL] = "control character in a string",
    [TAPLINE_JSON_BAD_ESCAPE] = "malformed escape in a string",
    [TAPLINE_JSON_BAD_SURROGATE] = "half a surrogate pair in a string",
    [TAPLINE_JSON_BAD_NUMBER] = "malformed number",
    [TAPLINE_JSON_BAD_LITERAL] = "malformed word",
    [TAPLINE_JSON_EXPECTED_VALUE] = "expected a value",
    [TAPLINE_JSON_EXPECTED_KEY] = "expected a key",
    [TAPLINE_JSON_EXPECTED_COLON] = "expected a colon",
    [TAPLINE_JSON_EXPECTED_COMMA] = "expected a comma or an end",
    [TAPLINE_JSON_TRAILING] = "unexpected text after the value",
    [TAPLINE_JSON_TOO_DEEP] = "nested too deeply",
    [TAPLINE_JSON_TOO_LARGE] = "text is too large",
    [TAPLINE_JSON_NO_MEMORY] = "out of memory",
    [TAPLINE_JSON_UNKNOWN_LIBRARY] = "unknown version of simdjson",
};

enum { KEYS = 32, MAX_KEPT_KEY = 32 };

/// The state of a walk over the tokens. No script code runs during it, so nothing else parses.
typedef struct walk {
    lua_State *L;
    const uint8_t *input;
    tapline_json_result result;
    /// The stack index of the metatable of arrays.
    int array_mark;
    /// The stack index of the cached keys, each in a slot chosen by its length and its first and
    /// last bytes. Objects in a list have the same keys, which Lua would otherwise hash again.
    int first_key;
    bytes keys[KEYS];
    /// A number that exceeds a double, or an object with too many members; the text is then treated
    /// as malformed.
    const tapline_json_token *refused;
    const char *refusal;
} walk;

static void refuse(walk *state, const tapline_json_token *token, const char *reason) {
    state->refused = token;
    state->refusal = reason;
}

/// Pushes a number: an integer that fits in 64 bits stays one, every other number becomes a float.
static void push_number(walk *state, const tapline_json_token *token) {
    const uint8_t *text = state->input + token->offset;
    if ((token->flags & TAPLINE_JSON_REAL) == 0) {
        bool negative = text[0] == '-';
        uint64_t value = 0;
        bool fits = token->length - negative <= 19;
        for (uint32_t index = negative; fits && index < token->length; index++) {
            value = value * 10 + (uint64_t)(text[index] - '0');
        }
        if (fits && value <= (uint64_t)INT64_MAX + negative) {
            lua_pushinteger(state->L, (lua_Integer)(negative ? 0 - value : value));
            return;
        }
    }
    double value = 0;
    if (!tapline_json_to_double(text, token->length, &value)) {
        refuse(state, token, "number is too large");
    }
    lua_pushnumber(state->L, value);
}

static void push_string(walk *state, const tapline_json_token *token) {
    const uint8_t *start = tapline_json_bytes(&state->result, state->input, token);
    lua_pushlstring(state->L, (const char *)start, token->length);
}

static void push_key(walk *state, const tapline_json_token *token) {
    lua_State *L = state->L;
    bytes key = {tapline_json_bytes(&state->result, state->input, token), token->length};
    if (key.count == 0 || key.count > MAX_KEPT_KEY) {
        push_bytes(L, key);
        return;
    }
    size_t place = (key.count + key.bytes[0] * 3u + key.bytes[key.count - 1] * 5u) % KEYS;
    if (bytes_equal(key, state->keys[place])) {
        lua_pushvalue(L, state->first_key + (int)place);
        return;
    }
    push_bytes(L, key);
    lua_pushvalue(L, -1);
    lua_replace(L, state->first_key + (int)place);
    state->keys[place] = key;
}

static void push_value(walk *state, uint32_t index);

static void push_array(walk *state, uint32_t index) {
    lua_State *L = state->L;
    luaL_checkstack(L, 6, "json");
    const tapline_json_token *tokens = state->result.tokens;
    int count = 0;
    for (uint32_t next = index + 1; next < tokens[index].next; next = tokens[next].next) count++;
    lua_createtable(L, count, 0);
    lua_Integer position = 1;
    for (uint32_t next = index + 1; next < tokens[index].next; next = tokens[next].next) {
        push_value(state, next);
        lua_rawseti(L, -2, position++);
    }
    lua_pushvalue(L, state->array_mark);
    lua_setmetatable(L, -2);
}

static void push_object_value(walk *state, uint32_t index) {
    lua_State *L = state->L;
    luaL_checkstack(L, 6, "json");
    const tapline_json_token *tokens = state->result.tokens;
    int count = 0;
    for (uint32_t key = index + 1; key < tokens[index].next; key = tokens[key + 1].next) count++;
    if ((size_t)count > vm_of(L)->max_places) {
        refuse(
            state, &tokens[index], "an object has more members than option 'max_table' allows");
        lua_pushnil(L);
        return;
    }
    lua_createtable(L, 0, count);
    for (uint32_t key = index + 1; key < tokens[index].next; key = tokens[key + 1].next) {
        push_key(state, &tokens[key]);
        push_value(state, key + 1);
        lua_rawset(L, -3);
    }
}

/// Pushes the value at a token. Recurses as deeply as the text, whose depth the parser limits.
static void push_value(walk *state, uint32_t index) {
    lua_State *L = state->L;
    const tapline_json_token *token = &state->result.tokens[index];
    switch (token->kind) {
    case TAPLINE_JSON_NULL: tapline_lua_push_object(L, OBJECT_NULL); break;
    case TAPLINE_JSON_FALSE: lua_pushboolean(L, 0); break;
    case TAPLINE_JSON_TRUE: lua_pushboolean(L, 1); break;
    case TAPLINE_JSON_NUMBER: push_number(state, token); break;
    case TAPLINE_JSON_STRING: push_string(state, token); break;
    case TAPLINE_JSON_ARRAY: push_array(state, index); break;
    default: push_object_value(state, index); break;
    }
}

bool tapline_lua_json_try_push(lua_State *L, bytes input, const char **reason, size_t *offset) {
    vm *lua = vm_of(L);
    // The parser's arena is outside of Lua's memory and takes up to four times the size of the
    // text.
    if (input.count > lua->limits.memory / 4) tapline_lua_trip(L, TAPLINE_LUA_MEMORY);
    charge(L, input.count / 4);
    walk state = {.L = L, .input = input.bytes};
    tapline_json_parse(lua->json, input.bytes, input.count, &state.result);
    if (state.result.error != TAPLINE_JSON_OK) {
        *reason = parse_errors[state.result.error];
        *offset = state.result.error_offset;
        return false;
    }
    lua->fills_table = false;
    luaL_checkstack(L, KEYS + 8, "json");
    lua_rawgetp(L, LUA_REGISTRYINDEX, &tapline_lua_json_array_mark);
    state.array_mark = lua_gettop(L);
    state.first_key = state.array_mark + 1;
    lua_settop(L, state.array_mark + KEYS);
    push_value(&state, 0);
    lua_replace(L, state.array_mark);
    lua_settop(L, state.array_mark);
    if (state.refused != NULL) {
        *reason = state.refusal;
        *offset = state.refused->offset;
        lua_pop(L, 1);
    }
    if (input.count > 1 << 20) tapline_json_parser_shrink(lua->json, 1 << 20);
    return state.refused == NULL;
}

void tapline_lua_json_push(lua_State *L, bytes input) {
    const char *reason;
    size_t offset;
    if (!tapline_lua_json_try_push(L, input, &reason, &offset)) {
        luaL_error(L, "json: %s at byte %I", reason, (lua_Integer)offset + 1);
    }
}
