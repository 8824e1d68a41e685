// SPDX-License-Identifier: MIT

// `ex.request:multipart()`: the parts of a body (RFC 2046 §5.1, RFC 7578). They are views: the body
// of a part can be assigned, and all surrounding bytes stay unchanged.

#include "internal.h"

enum { MAX_PARTS = 1024 };

/// The parts of the current body, stored in the call's memory.
struct layout {
    size_t count, capacity;
    /// The start of the delimiter after the last part.
    size_t close;
    /// The boundary with the preceding dashes.
    bytes delimiter;
    tapline_lua_part *parts;
};

/// The userdata of a part.
typedef struct holder {
    uint64_t generation;
    const layout *layout;
    size_t position;
} holder;

const char *const tapline_lua_part_names[] = {
    "name", "filename", "content_type", "headers", "body", NULL};
enum { NAME, FILENAME, CONTENT_TYPE, HEADERS, BODY };

/// The registry keys of the metatables of parts and of their lists.
static const char part_mark = 0, list_mark = 0;

// MARK: - The content's type

static bool is_blank(bytes text) {
    for (size_t index = 0; index < text.count; index++) {
        if (text.bytes[index] != ' ' && text.bytes[index] != '\t') return false;
    }
    return true;
}

bytes tapline_lua_content_type_of(lua_State *L, const side *message) {
    const section *headers = tapline_lua_headers_of(L, message);
    ptrdiff_t position = -1;
    while ((position = tapline_lua_section_find(
                headers, BYTES("Content-Type"), (size_t)(position + 1))) >= 0) {
        bytes value = tapline_lua_section_value(headers, (size_t)position);
        if (!is_blank(value)) return value;
    }
    return message->view.body.content_type;
}

bool tapline_lua_has_media_kind(lua_State *L, const side *message, uint32_t kind) {
    bytes type = tapline_lua_content_type_of(L, message);
    charge(L, 50 + type.count / 8);
    return (vm_of(L)->functions.media_kinds(type) & kind) != 0;
}

// MARK: - Reading

/// Reserves memory for one more part.
static void reserve_part(lua_State *L, layout *made) {
    if (made->count == MAX_PARTS) luaL_error(L, "multipart body has more than %d parts", MAX_PARTS);
    if (made->count < made->capacity) return;
    made->capacity = made->count < 8 ? 8 : made->count * 2;
    tapline_lua_part *grown = tapline_lua_keep_room(L, made->capacity * sizeof *grown);
    if (made->count > 0) memcpy(grown, made->parts, made->count * sizeof *grown);
    made->parts = grown;
}

static void push_part(lua_State *L, const layout *made, size_t position) {
    holder *part = lua_newuserdatauv(L, sizeof *part, 0);
    *part = (holder){vm_of(L)->extras.generation, made, position};
    lua_rawgetp(L, LUA_REGISTRYINDEX, &part_mark);
    lua_setmetatable(L, -2);
}

int tapline_lua_message_multipart(lua_State *L) {
    vm *lua = vm_of(L);
    if (lua_touserdata(L, 1) == NULL || lua_touserdata(L, 1) != lua->objects[OBJECT_REQUEST]) {
        luaL_error(L, "multipart is called with a colon: write 'ex.request:multipart()'");
    }
    side *message = &lua->request;
    tapline_lua_check_present(L, message);
    const tapline_lua_functions *functions = &lua->functions;
    if (!tapline_lua_has_media_kind(L, message, TAPLINE_LUA_MEDIA_MULTIPART))
        return tapline_lua_give_nil(L, "the body is not multipart");
    bytes type = tapline_lua_content_type_of(L, message);
    layout *made = tapline_lua_keep_room(L, sizeof *made);
    *made = (layout){0};
    uint8_t *room = tapline_lua_keep_room(L, type.count + 2);
    made->delimiter = (bytes){room, functions->multipart_delimiter(type, room)};
    if (made->delimiter.count == 0) return tapline_lua_give_nil(L, "the body has no boundary");
    tapline_lua_check_readable(L, message);
    bytes body = message->view.body.bytes;
    charge(L, body.count / 4);
    tapline_lua_part parts[MAX_PARTS];
    ptrdiff_t count = functions->multipart_split(
        made->delimiter, body, parts, MAX_PARTS, &made->close);
    if (count < 0) return tapline_lua_give_nil(L, "the multipart body is malformed");
    if (count > MAX_PARTS) luaL_error(L, "multipart body has more than %d parts", MAX_PARTS);
    made->count = made->capacity = (size_t)count;
    made->parts = tapline_lua_keep_room(L, made->count * sizeof *parts);
    memcpy(made->parts, parts, made->count * sizeof *parts);
    lua->extras.layout = made;
    lua_createtable(L, (int)made->count, 0);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &list_mark);
    lua_setmetatable(L, -2);
    for (size_t position = 0; position < made->count; position++) {
        push_part(L, made, position);
        lua_rawseti(L, -2, (lua_Integer)position + 1);
    }
    return 1;
}

// MARK: - A part

/// The part at an index; raises if its body was replaced.
static tapline_lua_part *part_at(lua_State *L, int index, holder **held) {
    holder *found = lua_touserdata(L, index);
    bool fits = found != NULL && lua_getmetatable(L, index);
    if (fits) {
        lua_rawgetp(L, LUA_REGISTRYINDEX, &part_mark);
        fits = lua_rawequal(L, -1, -2);
        lua_pop(L, 2);
    }
    if (!fits) luaL_error(L, "called with an object of the wrong type");
    check_exchange(L);
    const extras *own = &vm_of(L)->extras;
    if (found->generation != own->generation || found->layout != own->layout) {
        luaL_error(L, "this part belongs to a body that was replaced; call multipart again");
    }
    *held = found;
    return &own->layout->parts[found->position];
}

/// Pushes a value from the head of a part; nil if it is absent.
static void push_value(lua_State *L, bytes head, int what) {
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    uint8_t *room = tapline_lua_buffer_room(&output, head.count);
    ptrdiff_t count = vm_of(L)->functions.multipart_value(head, what, room);
    if (count < 0) {
        lua_pushnil(L);
    } else {
        push_bytes(L, (bytes){room, (size_t)count});
    }
}

/// Pushes a table of the fields by lowercase name.
static void push_head(lua_State *L, bytes head) {
    size_t size = head.count / 2 * sizeof(tapline_lua_entry);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    // Lua's memory is aligned for any type.
    tapline_lua_entry *entries = lua_newuserdatauv(L, size == 0 ? 1 : size, 0);
    uint8_t *room = tapline_lua_buffer_room(&output, head.count);
    size_t count = vm_of(L)->functions.multipart_fields(head, entries, room);
    lua_createtable(L, 0, count > 64 ? 0 : (int)count);
    for (size_t index = 0; index < count; index++) {
        entry at = entries[index];
        push_bytes(L, (bytes){room + at.start, at.name_count});
        push_bytes(L, (bytes){room + at.start + at.name_count, at.value_count});
        lua_rawset(L, -3);
    }
}

static int part_index(lua_State *L) {
    holder *held;
    const tapline_lua_part *part = part_at(L, 1, &held);
    int field = tapline_lua_field_number(L, 2, "a part", tapline_lua_part_names);
    const uint8_t *body = vm_of(L)->request.view.body.bytes.bytes;
    bytes head = {body + part->head, part->start - part->head};
    if (field != BODY) charge(L, head.count / 8);
    switch (field) {
    case NAME: push_value(L, head, TAPLINE_LUA_PART_NAME); break;
    case FILENAME: push_value(L, head, TAPLINE_LUA_PART_FILENAME); break;
    case CONTENT_TYPE: push_value(L, head, TAPLINE_LUA_PART_CONTENT_TYPE); break;
    case HEADERS: push_head(L, head); break;
    default: push_bytes(L, (bytes){body + part->start, part->end - part->start}); break;
    }
    return 1;
}

/// Checks a text that becomes a part's body.
static bytes new_body(lua_State *L, int index, const layout *own) {
    bytes text = tapline_lua_text_argument(L, index, "body");
    charge(L, text.count / 8);
    if (vm_of(L)->functions.multipart_has_delimiter(own->delimiter, text)) {
        luaL_error(L, "body contains the boundary between parts");
    }
    return text;
}

static int part_newindex(lua_State *L) {
    holder *held;
    tapline_lua_part *part = part_at(L, 1, &held);
    vm *lua = vm_of(L);
    tapline_lua_check_writable(L, &lua->request);
    int field = tapline_lua_field_number(L, 2, "a part", tapline_lua_part_names);
    if (field != BODY) {
        return luaL_error(
            L, "field '%s' of a part cannot be assigned", tapline_lua_part_names[field]);
    }
    layout *own = lua->extras.layout;
    bytes text = new_body(L, 3, own);
    bytes body = lua->request.view.body.bytes;
    // The line break that ends an empty head may directly precede the next delimiter.
    uint8_t next = body.bytes[part->end];
    bool ends_line = next == '\r' || next == '\n';
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    buffer_append(&output, body.bytes, part->start);
    buffer_append(&output, text.bytes, text.count);
    if (!ends_line) buffer_append(&output, "\r\n", 2);
    buffer_append(&output, body.bytes + part->end, body.count - part->end);
    tapline_lua_replace_body(L, &lua->request, (bytes){output.bytes, output.count});
    // The layout stays valid for the new body, with everything after the part moved; sizes wrap
    // around if they move towards the start.
    size_t moved = output.count - body.count;
    part->end = part->start + text.count;
    for (size_t position = held->position + 1; position < own->count; position++) {
        tapline_lua_part *other = &own->parts[position];
        other->head += moved;
        other->start += moved;
        other->end += moved;
    }
    own->close += moved;
    lua->extras.layout = own;
    return 0;
}

// MARK: - Adding a part

/// Appends a quoted parameter; characters that would end it are escaped as in browsers (RFC 7578
/// §4.2, WHATWG HTML, multipart form data).
static void append_parameter(buffer *output, const char *name, bytes value) {
    buffer_append(output, name, strlen(name));
    buffer_append(output, "=\"", 2);
    for (size_t index = 0; index < value.count; index++) {
        switch (value.bytes[index]) {
        case '"': buffer_append(output, "%22", 3); break;
        case '\r': buffer_append(output, "%0D", 3); break;
        case '\n': buffer_append(output, "%0A", 3); break;
        default: buffer_byte(output, value.bytes[index]);
        }
    }
    buffer_byte(output, '"');
}

static void append_field(buffer *output, bytes name, bytes value) {
    tapline_lua_check_token(output->L, name, "header name");
    tapline_lua_check_field_value(output->L, value);
    buffer_append(output, name.bytes, name.count);
    buffer_append(output, ": ", 2);
    buffer_append(output, value.bytes, value.count);
    buffer_append(output, "\r\n", 2);
}

/// Pushes a field of the table at 2 without running code of the script.
static bool push_given(lua_State *L, int field, bytes *value) {
    lua_pushstring(L, tapline_lua_part_names[field]);
    if (lua_rawget(L, 2) == LUA_TNIL) return false;
    if (field != HEADERS) *value = tapline_lua_text_argument(L, -1, tapline_lua_part_names[field]);
    return true;
}

/// Appends the head of the part that the table at 2 describes.
static void append_head(buffer *output) {
    lua_State *L = output->L;
    bytes name, filename, type;
    bool is_named = push_given(L, NAME, &name), is_file = push_given(L, FILENAME, &filename);
    if (is_named || is_file) {
        static const char disposition[] = "Content-Disposition: form-data";
        buffer_append(output, disposition, sizeof disposition - 1);
        if (is_named) append_parameter(output, "; name", name);
        if (is_file) append_parameter(output, "; filename", filename);
        buffer_append(output, "\r\n", 2);
    }
    if (push_given(L, CONTENT_TYPE, &type)) append_field(output, BYTES("Content-Type"), type);
    if (push_given(L, HEADERS, NULL)) {
        luaL_argexpected(L, lua_istable(L, -1), 2, "headers as a table");
        int index = lua_gettop(L);
        size_t count;
        const bytes *names = tapline_lua_sorted_names(L, index, &count);
        for (size_t position = 0; position < count; position++) {
            push_bytes(L, names[position]);
            lua_rawget(L, index);
            append_field(output, names[position], tapline_lua_text_argument(L, -1, "header value"));
            lua_pop(L, 1);
        }
    }
    buffer_append(output, "\r\n", 2);
}

/// The layout of the list at 1; raises if its body was replaced.
static layout *list_argument(lua_State *L) {
    bool fits = lua_istable(L, 1) && lua_getmetatable(L, 1);
    if (fits) {
        lua_rawgetp(L, LUA_REGISTRYINDEX, &list_mark);
        fits = lua_rawequal(L, -1, -2);
        lua_pop(L, 2);
    }
    if (!fits) luaL_error(L, "add is called with a colon: write 'parts:add{name = \"a\"}'");
    check_exchange(L);
    layout *own = vm_of(L)->extras.layout;
    if (own == NULL || lua_rawlen(L, 1) != own->count) {
        luaL_error(L, "these parts belong to a body that was replaced; call multipart again");
    }
    if (own->count > 0) {
        holder *first;
        lua_rawgeti(L, 1, 1);
        part_at(L, -1, &first);
        lua_pop(L, 1);
    }
    return own;
}

/// `parts:add{...}`: appends a part, and returns it.
static int parts_add(lua_State *L) {
    vm *lua = vm_of(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    layout *own = list_argument(L);
    tapline_lua_check_writable(L, &lua->request);
    tapline_lua_check_names(L, 2, "a part", tapline_lua_part_names);
    reserve_part(L, own);
    bytes text = {NULL, 0};
    if (push_given(L, BODY, &text)) text = new_body(L, -1, own);
    bytes body = lua->request.view.body.bytes;
    charge(L, body.count / 16);
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    buffer_append(&output, body.bytes, own->close);
    buffer_append(&output, own->delimiter.bytes, own->delimiter.count);
    tapline_lua_part made = {.head = output.count};
    buffer_append(&output, "\r\n", 2);
    append_head(&output);
    made.start = output.count;
    buffer_append(&output, text.bytes, text.count);
    made.end = output.count;
    buffer_append(&output, "\r\n", 2);
    size_t close = output.count;
    buffer_append(&output, body.bytes + own->close, body.count - own->close);
    tapline_lua_replace_body(L, &lua->request, (bytes){output.bytes, output.count});
    own->parts[own->count++] = made;
    own->close = close;
    lua->extras.layout = own;
    push_part(L, own, own->count - 1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, 1, (lua_Integer)own->count);
    return 1;
}

const luaL_Reg tapline_lua_list_methods[] = {{"add", parts_add}, {NULL, NULL}};

void tapline_lua_open_multipart(lua_State *L) {
    static const luaL_Reg metamethods[] = {
        {"__index", part_index}, {"__newindex", part_newindex}, {NULL, NULL}};
    tapline_lua_make_metatable(L, &part_mark, metamethods, tapline_lua_part_names);
    tapline_lua_make_metatable(L, &list_mark, (const luaL_Reg[]){{NULL, NULL}}, NULL);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &list_mark);
    luaL_newlib(L, tapline_lua_list_methods);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}
