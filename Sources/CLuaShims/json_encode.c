// SPDX-License-Identifier: MIT

#include "internal.h"

#include <math.h>

extern const char tapline_lua_json_array_mark;
const char tapline_lua_json_array_mark = 0;

/// Whether one of eight bytes is a quote, a backslash or a control character, or not ASCII.
static bool has_special(uint64_t word) {
    const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
    uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
    // Each is exact but for a byte after a match, and a byte of 0x80 and above counts as well.
    uint64_t found = (quote - ones) | (backslash - ones) | (word - ones * 0x20) | word;
    return (found & high) != 0;
}

/// Whether bytes stand in a JSON string as they are, looked at eight at a time.
static bool is_plain(const uint8_t *start, size_t count) {
    uint64_t word = 0x6161616161616161u;
    if (count < 8) {
        // Letters stand for what is missing.
        for (size_t index = 0; index < count; index++) word = word << 8 | start[index];
        return !has_special(word);
    }
    for (size_t index = 0; index + 8 < count; index += 8) {
        memcpy(&word, start + index, sizeof word);
        if (has_special(word)) return false;
    }
    memcpy(&word, start + count - 8, sizeof word);
    return !has_special(word);
}

static void append_escaped(buffer *output, uint8_t byte) {
    static const char digits[] = "0123456789abcdef";
    char escape[6] = {'\\', (char)byte};
    size_t count = 2;
    switch (byte) {
    case '"':
    case '\\': break;
    case '\b': escape[1] = 'b'; break;
    case '\f': escape[1] = 'f'; break;
    case '\n': escape[1] = 'n'; break;
    case '\r': escape[1] = 'r'; break;
    case '\t': escape[1] = 't'; break;
    default:
        memcpy(escape + 1, "u00", 3);
        escape[4] = digits[byte >> 4];
        escape[5] = digits[byte & 15];
        count = 6;
    }
    buffer_append(output, escape, count);
}

static void append_string(buffer *output, bytes text) {
    buffer_byte(output, '"');
    if (is_plain(text.bytes, text.count)) {
        buffer_append(output, text.bytes, text.count);
        buffer_byte(output, '"');
        return;
    }
    size_t plain = 0;
    uint8_t seen = 0;
    for (size_t index = 0; index < text.count; index++) {
        uint8_t byte = text.bytes[index];
        seen |= byte;
        if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
        buffer_append(output, text.bytes + plain, index - plain);
        plain = index + 1;
        append_escaped(output, byte);
    }
    if (seen >= 0x80 && !tapline_json_is_utf8(text.bytes, text.count)) {
        luaL_error(output->L, "json: a string is not valid UTF-8");
    }
    buffer_append(output, text.bytes + plain, text.count - plain);
    buffer_byte(output, '"');
}

/// Writes the decimal digits of a number; gives how many.
static size_t write_digits(uint8_t *room, uint64_t value) {
    uint8_t digits[20];
    size_t count = 0;
    do {
        digits[count++] = (uint8_t)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (size_t index = 0; index < count; index++) room[index] = digits[count - 1 - index];
    return count;
}

/// Writes a number of at most three decimals, and not whole; 0 where it is another. No other decimal
/// number of up to 15 digits reads as the same double, so that there is no shorter text.
static size_t write_thousandths(uint8_t *room, double value) {
    double size = fabs(value);
    if (size >= 1e12) return 0;
    uint64_t thousandths = (uint64_t)(size * 1000 + 0.5);
    if (thousandths % 1000 == 0 || (double)thousandths / 1000 != size) return 0;
    uint8_t *start = room;
    if (value < 0) *room++ = '-';
    room += write_digits(room, thousandths / 1000);
    *room++ = '.';
    for (uint64_t rest = thousandths % 1000; rest > 0; rest = rest % 100 * 10) {
        *room++ = (uint8_t)('0' + rest / 100);
    }
    return (size_t)(room - start);
}

static void append_number(buffer *output, int index) {
    lua_State *L = output->L;
    uint8_t *room = tapline_lua_buffer_room(output, 32);
    if (lua_isinteger(L, index)) {
        lua_Integer value = lua_tointeger(L, index);
        if (value < 0) {
            *room++ = '-';
            output->count++;
        }
        output->count += write_digits(room, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
        return;
    }
    double value = lua_tonumber(L, index);
    if (!isfinite(value)) luaL_error(L, "json: a number is not finite");
    size_t count = write_thousandths(room, value);
    output->count += count > 0 ? count : tapline_json_from_double(value, room);
}

static void append_value(buffer *output, int index, int depth);

static bool is_array(lua_State *L, int index) {
    if (!lua_getmetatable(L, index)) return false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &tapline_lua_json_array_mark);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same;
}

/// Appends the elements as they come while their keys are 1, 2 and so on, as those of a list are;
/// false when one is not.
static bool append_list(buffer *output, int index, int depth, lua_Unsigned count) {
    lua_State *L = output->L;
    lua_Unsigned position = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        position++;
        if (!lua_isinteger(L, -2) || (lua_Unsigned)lua_tointeger(L, -2) != position) {
            lua_pop(L, 2);
            return false;
        }
        if (position > 1) buffer_byte(output, ',');
        append_value(output, lua_gettop(L), depth);
    }
    return position == count;
}

static void append_array(buffer *output, int index, int depth) {
    lua_State *L = output->L;
    lua_Unsigned count = lua_rawlen(L, index);
    charge(L, count);
    buffer_byte(output, '[');
    size_t start = output->count;
    if (!append_list(output, index, depth, count)) {
        lua_Unsigned found = 0;
        for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
            // With keys that collide, each step is a long one.
            charge(L, 1);
            found++;
        }
        if (found != count) {
            luaL_error(
                L, "json: a table has holes, or other keys beside 1 to n; json.null fills holes");
        }
        output->count = start;
        for (lua_Unsigned position = 1; position <= count; position++) {
            if (position > 1) buffer_byte(output, ',');
            lua_rawgeti(L, index, (lua_Integer)position);
            append_value(output, lua_gettop(L), depth);
            lua_pop(L, 1);
        }
    }
    buffer_byte(output, ']');
}

/// A key of an object, and where on the stack its value lies.
typedef struct member {
    bytes key;
    /// Its first eight bytes as a number of the same order.
    uint64_t head;
    int value;
} member;

static uint64_t head_of(bytes key) {
    uint64_t head = 0;
    for (size_t index = 0; index < 8; index++) {
        head = head << 8 | (index < key.count ? key.bytes[index] : 0);
    }
    return head;
}

static bool is_before(const member *left, const member *right) {
    if (left->head != right->head) return left->head < right->head;
    return tapline_lua_compare_bytes(&left->key, &right->key) < 0;
}

/// Objects of so few members lie on the stack while they are written, unless the stack is long.
enum { SMALL_OBJECT = 16, SMALL_STACK = 512 };

/// Pushes keys and values of a small object and sorts them by key; the number of members, or -1, and
/// nothing pushed, where it is not small or has other keys than strings.
static int push_members(lua_State *L, int index, member *members) {
    int top = lua_gettop(L), count = 0;
    if (top > SMALL_STACK) return -1;
    luaL_checkstack(L, SMALL_OBJECT * 2 + 4, "json");
    lua_pushnil(L);
    while (lua_next(L, index)) {
        if (count == SMALL_OBJECT || lua_type(L, -2) != LUA_TSTRING) {
            lua_settop(L, top);
            return -1;
        }
        bytes key = bytes_at(L, -2);
        int place = count++;
        member next = {key, head_of(key), top + 2 * count};
        for (; place > 0 && is_before(&next, &members[place - 1]); place--) {
            members[place] = members[place - 1];
        }
        members[place] = next;
        // The next one is looked for by the key on top; this one stays with its value.
        lua_pushvalue(L, -2);
    }
    return count;
}

static void append_members(buffer *output, const member *members, int count, int depth) {
    for (int position = 0; position < count; position++) {
        if (position > 0) buffer_byte(output, ',');
        append_string(output, members[position].key);
        buffer_byte(output, ':');
        append_value(output, members[position].value, depth);
    }
}

/// Appends the members of an object of any size.
static void append_large_object(buffer *output, int index, int depth) {
    lua_State *L = output->L;
    size_t count = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING) {
            luaL_error(
                L, "json: a table has a key that is a %s; expected strings, or 1 to n",
                luaL_typename(L, -2));
        }
        charge(L, 1);
        count++;
    }
    charge(L, count * 8);
    bytes *keys = lua_newuserdatauv(L, count * sizeof *keys, 0);
    size_t filled = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        charge(L, 1);
        if (filled < count) keys[filled++] = bytes_at(L, -2);
    }
    tapline_lua_sort_bytes(keys, filled);
    for (size_t position = 0; position < filled; position++) {
        if (position > 0) buffer_byte(output, ',');
        append_string(output, keys[position]);
        buffer_byte(output, ':');
        push_bytes(L, keys[position]);
        lua_rawget(L, index);
        append_value(output, lua_gettop(L), depth);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/// Appends an object with its keys in order of their bytes, so that the text is the same in every
/// run: Lua's own order is not.
static void append_object(buffer *output, int index, int depth) {
    lua_State *L = output->L;
    int top = lua_gettop(L);
    member members[SMALL_OBJECT];
    buffer_byte(output, '{');
    int count = push_members(L, index, members);
    if (count < 0) {
        append_large_object(output, index, depth);
    } else {
        charge(L, (uint64_t)count * 8);
        append_members(output, members, count, depth);
        lua_settop(L, top);
    }
    buffer_byte(output, '}');
}

static void append_value(buffer *output, int index, int depth) {
    lua_State *L = output->L;
    if (depth == 0) luaL_error(L, "json: nested more than %d deep", MAX_JSON_DEPTH);
    charge(L, 1);
    switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
        if (lua_toboolean(L, index)) {
            buffer_append(output, "true", 4);
        } else {
            buffer_append(output, "false", 5);
        }
        break;
    case LUA_TNUMBER: append_number(output, index); break;
    case LUA_TSTRING: append_string(output, bytes_at(L, index)); break;
    case LUA_TTABLE:
        luaL_checkstack(L, 8, "json");
        if (lua_rawlen(L, index) > 0 || is_array(L, index)) {
            append_array(output, index, depth - 1);
        } else {
            append_object(output, index, depth - 1);
        }
        break;
    case LUA_TUSERDATA:
        if (lua_touserdata(L, index) == vm_of(L)->objects[OBJECT_NULL]) {
            buffer_append(output, "null", 4);
            break;
        }
        // fall through
    default:
        luaL_error(L, "json: a %s has no JSON form", luaL_typename(L, index));
    }
}

void tapline_lua_json_append(buffer *output, int index) {
    append_value(output, index, MAX_JSON_DEPTH);
}

// MARK: - The library

static int json_decode(lua_State *L) {
    luaL_checktype(L, 1, LUA_TSTRING);
    tapline_lua_json_push(L, bytes_at(L, 1));
    return 1;
}

static int json_encode(lua_State *L) {
    luaL_checkany(L, 1);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    tapline_lua_json_append(&output, 1);
    tapline_lua_buffer_push(&output);
    return 1;
}

/// Marks a table as an array, so that it stays one when it is empty.
static int json_array(lua_State *L) {
    if (lua_isnoneornil(L, 1)) {
        lua_settop(L, 0);
        lua_newtable(L);
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &tapline_lua_json_array_mark);
    lua_setmetatable(L, 1);
    return 1;
}

static int null_text(lua_State *L) {
    lua_pushliteral(L, "null");
    return 1;
}

void tapline_lua_open_json(lua_State *L) {
    lua_newtable(L);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &tapline_lua_json_array_mark);
    static const luaL_Reg null_metamethods[] = {{"__tostring", null_text}, {NULL, NULL}};
    tapline_lua_make_object(L, OBJECT_NULL, null_metamethods, NULL, 0);
    static const luaL_Reg functions[] = {
        {"decode", json_decode}, {"encode", json_encode}, {"array", json_array}, {NULL, NULL},
    };
    luaL_newlib(L, functions);
    tapline_lua_push_object(L, OBJECT_NULL);
    lua_setfield(L, -2, "null");
    lua_setglobal(L, "json");
}
