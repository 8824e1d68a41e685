// SPDX-License-Identifier: MIT

#include "pattern.h"

#include <ctype.h>

typedef struct compiler {
    lua_State *L;
    const uint8_t *next, *end;
    node *nodes;
    byte_set *sets;
    uint32_t node_count, set_count, captures;
    /// The open captures, innermost last, and whether each capture is closed.
    uint8_t open[MAX_CAPTURES];
    uint32_t open_count;
    bool closed[MAX_CAPTURES];
} compiler;

static void set_add(byte_set *set, unsigned byte) { set->bits[byte >> 6] |= 1ull << (byte & 63); }

/// Whether a byte is in the class of a lowercase letter; 2 if the letter names no class.
static int in_class(uint8_t letter, int byte) {
    switch (letter) {
    case 'a': return isalpha(byte) != 0;
    case 'c': return iscntrl(byte) != 0;
    case 'd': return isdigit(byte) != 0;
    case 'g': return isgraph(byte) != 0;
    case 'l': return islower(byte) != 0;
    case 'p': return ispunct(byte) != 0;
    case 's': return isspace(byte) != 0;
    case 'u': return isupper(byte) != 0;
    case 'w': return isalnum(byte) != 0;
    case 'x': return isxdigit(byte) != 0;
    // Deprecated: no longer in the manual, but still supported by Lua.
    case 'z': return byte == 0;
    default: return 2;
    }
}

/// Adds the meaning of `%letter`: a class, or the letter itself.
static void add_escaped(byte_set *set, uint8_t letter) {
    uint8_t small = (uint8_t)tolower(letter);
    if (in_class(small, 0) == 2) {
        set_add(set, letter);
        return;
    }
    int wanted = small == letter;
    for (int byte = 0; byte < 256; byte++) {
        if (in_class(small, byte) == wanted) set_add(set, (unsigned)byte);
    }
}

/// Reads `[...]` after its bracket.
static void read_set(compiler *state, byte_set *set) {
    memset(set, 0, sizeof *set);
    bool inverted = state->next < state->end && *state->next == '^';
    if (inverted) state->next++;
    // A bracket in the first position matches itself.
    for (bool first = true;; first = false) {
        if (state->next >= state->end) luaL_error(state->L, "malformed pattern (missing ']')");
        uint8_t byte = *state->next++;
        if (byte == ']' && !first) break;
        if (byte == '%') {
            if (state->next >= state->end) luaL_error(state->L, "malformed pattern (missing ']')");
            add_escaped(set, *state->next++);
            continue;
        }
        bool range = state->end - state->next >= 2 && state->next[0] == '-' && state->next[1] != ']';
        uint8_t last = byte;
        if (range) {
            last = state->next[1];
            state->next += 2;
        }
        for (unsigned each = byte; each <= last; each++) set_add(set, each);
    }
    if (inverted) {
        for (int word = 0; word < 4; word++) set->bits[word] = ~set->bits[word];
    }
}

static node *add_node(compiler *state, uint8_t kind) {
    node *made = &state->nodes[state->node_count++];
    *made = (node){.kind = kind};
    return made;
}

static byte_set *add_set(compiler *state, node *user) {
    user->set = state->set_count;
    return &state->sets[state->set_count++];
}

static void read_quantifier(compiler *state, node *single) {
    if (state->next >= state->end) return;
    uint8_t byte = *state->next;
    if (byte != '*' && byte != '+' && byte != '-' && byte != '?') return;
    single->quantifier = byte;
    state->next++;
}

static void read_open(compiler *state) {
    if (state->captures == MAX_CAPTURES) luaL_error(state->L, "too many captures");
    bool position = state->next < state->end && *state->next == ')';
    node *made = add_node(state, position ? NODE_POSITION : NODE_OPEN);
    made->first = (uint8_t)state->captures;
    if (position) {
        state->next++;
        state->closed[state->captures] = true;
    } else {
        state->open[state->open_count++] = (uint8_t)state->captures;
    }
    state->captures++;
}

static void read_close(compiler *state) {
    if (state->open_count == 0) luaL_error(state->L, "invalid pattern capture");
    uint8_t number = state->open[--state->open_count];
    add_node(state, NODE_CLOSE)->first = number;
    state->closed[number] = true;
}

/// Reads the rest of an escape after a percent sign.
static void read_escape(compiler *state) {
    if (state->next >= state->end) luaL_error(state->L, "malformed pattern (ends with '%%')");
    uint8_t byte = *state->next++;
    if (byte == 'b') {
        if (state->end - state->next < 2) {
            luaL_error(state->L, "malformed pattern (missing arguments to '%%b')");
        }
        node *made = add_node(state, NODE_BALANCE);
        made->first = *state->next++;
        made->second = *state->next++;
    } else if (byte == 'f') {
        if (state->next >= state->end || *state->next != '[') {
            luaL_error(state->L, "missing '[' after '%%f' in pattern");
        }
        state->next++;
        read_set(state, add_set(state, add_node(state, NODE_FRONTIER)));
    } else if (isdigit(byte)) {
        unsigned number = (unsigned)(byte - '1');
        if (byte == '0' || number >= state->captures || !state->closed[number]) {
            luaL_error(state->L, "invalid capture index %%%c in pattern", byte);
        }
        add_node(state, NODE_BACK)->first = (uint8_t)number;
    } else if (in_class((uint8_t)tolower(byte), 0) == 2) {
        node *made = add_node(state, NODE_BYTE);
        made->first = byte;
        read_quantifier(state, made);
    } else {
        node *made = add_node(state, NODE_SET);
        byte_set *set = add_set(state, made);
        memset(set, 0, sizeof *set);
        add_escaped(set, byte);
        read_quantifier(state, made);
    }
}

static void read_pattern(compiler *state) {
    while (state->next < state->end) {
        uint8_t byte = *state->next++;
        if (byte == '(') {
            read_open(state);
        } else if (byte == ')') {
            read_close(state);
        } else if (byte == '$' && state->next == state->end) {
            add_node(state, NODE_END);
        } else if (byte == '%') {
            read_escape(state);
        } else {
            node *made = add_node(state, byte == '.' ? NODE_ANY : byte == '[' ? NODE_SET : NODE_BYTE);
            made->first = byte;
            if (byte == '[') read_set(state, add_set(state, made));
            read_quantifier(state, made);
        }
    }
    if (state->open_count > 0) luaL_error(state->L, "unfinished capture");
    add_node(state, NODE_DONE);
}

/// The maximum number of sets in a pattern.
static size_t count_sets(const uint8_t *start, size_t count) {
    size_t result = 0;
    for (size_t index = 0; index < count; index++) result += start[index] == '%' || start[index] == '[';
    return result;
}

static const pattern *compile(lua_State *L, bytes source, bool anchors) {
    if (source.count > MAX_PATTERN_BYTES) {
        luaL_error(L, "pattern is too long; expected at most %d bytes", MAX_PATTERN_BYTES);
    }
    size_t nodes = (source.count + 1) * sizeof(node);
    size_t sets = count_sets(source.bytes, source.count) * sizeof(byte_set);
    pattern *made = lua_newuserdatauv(L, sizeof *made + sets + nodes, 0);
    memset(made, 0, sizeof *made);
    made->sets = (byte_set *)(made + 1);
    made->nodes = (node *)((uint8_t *)made->sets + sets);
    compiler state = {.L = L, .next = source.bytes, .end = source.bytes + source.count};
    state.nodes = made->nodes;
    state.sets = made->sets;
    made->anchored = anchors && source.count > 0 && source.bytes[0] == '^';
    if (made->anchored) state.next++;
    charge(L, source.count * 4);
    read_pattern(&state);
    made->node_count = state.node_count;
    made->captures = state.captures;
    return made;
}

/// The registry keys of the tables of compiled patterns, one for each meaning of `^`.
static const char kept_with_anchors, kept_without_anchors, kept_count;

/// The maximum number of cached patterns; a long pattern counts as several.
enum { MAX_KEPT = 200 };

const pattern *tapline_lua_pattern_compile(lua_State *L, int index, bool anchors) {
    const void *place = anchors ? &kept_with_anchors : &kept_without_anchors;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, place) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, place);
    }
    lua_pushvalue(L, index);
    if (lua_rawget(L, -2) == LUA_TUSERDATA) {
        lua_remove(L, -2);
        return lua_touserdata(L, -1);
    }
    lua_pop(L, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &kept_count);
    lua_Integer count = lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (count >= MAX_KEPT) {
        // The cache is full of patterns created at run time, so it is cleared. Patterns in use are
        // kept alive by their stacks.
        lua_pop(L, 1);
        lua_pushnil(L);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &kept_with_anchors);
        lua_pushnil(L);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &kept_without_anchors);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, place);
        count = 0;
    }
    const pattern *made = compile(L, bytes_at(L, index), anchors);
    lua_pushvalue(L, index);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
    lua_pushinteger(L, count + 1 + (lua_Integer)lua_rawlen(L, index) / 64);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &kept_count);
    lua_remove(L, -2);
    return made;
}
