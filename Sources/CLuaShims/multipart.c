// SPDX-License-Identifier: MIT

// `ex.request:multipart()`: the parts of a body (RFC 2046 §5.1, RFC 7578). They are views: the body
// of one can be assigned, and everything around it stays byte for byte.

#define _GNU_SOURCE

#include "internal.h"

enum { MAX_PARTS = 1024 };

/// Where a part lies in the body.
typedef struct part_range {
    size_t head, head_end, start, end;
} part_range;

/// The parts of the body as it is now. Kept in the call's memory.
struct layout {
    size_t count, capacity;
    /// Where the delimiter after the last part begins.
    size_t close;
    bytes boundary;
    part_range *parts;
};

/// A part as a script holds it.
typedef struct holder {
    uint64_t generation;
    const layout *layout;
    size_t position;
} holder;

const char *const tapline_lua_part_names[] = {
    "name", "filename", "content_type", "headers", "body", NULL};
enum { NAME, FILENAME, CONTENT_TYPE, HEADERS, BODY };

/// The places of the metatables of parts and of their lists.
static const char part_mark = 0, list_mark = 0;

// MARK: - Fields with parameters

static bytes trim(bytes text) {
    while (text.count > 0 && strchr(" \t\r\n", text.bytes[0]) != NULL && text.bytes[0] != 0) {
        text.bytes++;
        text.count--;
    }
    while (text.count > 0 && strchr(" \t\r\n", text.bytes[text.count - 1]) != NULL &&
           text.bytes[text.count - 1] != 0) {
        text.count--;
    }
    return text;
}

/// Where a parameter's value ends: at a semicolon outside of quotes.
static size_t end_of_parameter(bytes text, size_t start) {
    bool quoted = false;
    size_t index = start;
    for (; index < text.count && (quoted || text.bytes[index] != ';'); index++) {
        if (quoted && text.bytes[index] == '\\') {
            index++;
        } else if (text.bytes[index] == '"') {
            quoted = !quoted;
        }
    }
    return index < text.count ? index : text.count;
}

/// The value of a parameter as written, without quotes; false where there is none.
static bool parameter_of(bytes field, const char *name, bytes *value) {
    bytes wanted = {(const uint8_t *)name, strlen(name)};
    size_t index = end_of_parameter(field, 0);
    while (index < field.count) {
        size_t end = end_of_parameter(field, index + 1);
        bytes text = trim((bytes){field.bytes + index + 1, end - index - 1});
        index = end;
        if (text.count <= wanted.count || text.bytes[wanted.count] != '=' ||
            !tapline_lua_bytes_equal_ignoring_case((bytes){text.bytes, wanted.count}, wanted)) {
            continue;
        }
        *value = (bytes){text.bytes + wanted.count + 1, text.count - wanted.count - 1};
        if (value->count >= 2 && value->bytes[0] == '"' && value->bytes[value->count - 1] == '"') {
            *value = (bytes){value->bytes + 1, value->count - 2};
        }
        return true;
    }
    return false;
}

bytes tapline_lua_media_type(bytes field) {
    return trim((bytes){field.bytes, end_of_parameter(field, 0)});
}

bool tapline_lua_media_type_is(bytes field, const char *type) {
    bytes wanted = {(const uint8_t *)type, strlen(type)};
    bytes found = tapline_lua_media_type(field);
    if (wanted.bytes[wanted.count - 1] == '/' && found.count > wanted.count) {
        found.count = wanted.count;
    }
    return tapline_lua_bytes_equal_ignoring_case(found, wanted);
}

// MARK: - Parsing

/// Whether what stands after a boundary lets it be one: the dashes of the last one, or nothing but
/// padding up to the end of the line. A longer word is the boundary of somebody else.
static bool ends_delimiter(const uint8_t *next, const uint8_t *end) {
    if (end - next >= 2 && next[0] == '-' && next[1] == '-') return true;
    while (next < end && (*next == ' ' || *next == '\t')) next++;
    return next == end || *next == '\r' || *next == '\n';
}

/// The next line with `--boundary` at or after a position; NULL when there is none.
static const uint8_t *find_delimiter(bytes body, const uint8_t *from, bytes boundary) {
    const uint8_t *end = body.bytes + body.count;
    while (from < end) {
        const uint8_t *found = memmem(from, (size_t)(end - from), boundary.bytes, boundary.count);
        if (found == NULL) return NULL;
        const uint8_t *line = found - 2;
        bool dashed = found - body.bytes >= 2 && line[0] == '-' && line[1] == '-';
        if (dashed && (line == body.bytes || line[-1] == '\n') &&
            ends_delimiter(found + boundary.count, end)) {
            return line;
        }
        from = found + 1;
    }
    return NULL;
}

static const uint8_t *line_end(const uint8_t *from, const uint8_t *end) {
    const uint8_t *found = from < end ? memchr(from, '\n', (size_t)(end - from)) : NULL;
    return found == NULL ? NULL : found + 1;
}

/// Makes room for one more part.
static void reserve_part(lua_State *L, layout *made) {
    if (made->count == MAX_PARTS) luaL_error(L, "multipart body has more than %d parts", MAX_PARTS);
    if (made->count == made->capacity) {
        size_t capacity = made->capacity == 0 ? 8 : made->capacity * 2;
        part_range *grown = tapline_lua_keep_room(L, capacity * sizeof *grown);
        if (made->count > 0) memcpy(grown, made->parts, made->count * sizeof *grown);
        made->parts = grown;
        made->capacity = capacity;
    }
}

/// Finds all parts; false where the body is not what its boundary promises.
static bool find_parts(lua_State *L, bytes body, layout *made) {
    const uint8_t *end = body.bytes + body.count;
    const uint8_t *line = find_delimiter(body, body.bytes, made->boundary);
    while (line != NULL) {
        const uint8_t *behind = line + 2 + made->boundary.count;
        if (end - behind >= 2 && behind[0] == '-' && behind[1] == '-') {
            made->close = (size_t)(line - body.bytes);
            return true;
        }
        const uint8_t *head = line_end(behind, end);
        if (head == NULL) return false;
        const uint8_t *next = find_delimiter(body, head, made->boundary);
        if (next == NULL) return false;
        // The head ends at an empty line; what stands after it is the part's body.
        const uint8_t *start = head;
        while (start != NULL && start < next && *start != '\n' &&
               !(*start == '\r' && start + 1 < next && start[1] == '\n')) {
            start = line_end(start, next);
        }
        if (start == NULL || start >= next) return false;
        const uint8_t *head_end = start;
        start = line_end(start, next);
        const uint8_t *stop = next - 1;
        if (stop > start && stop[-1] == '\r') stop--;
        if (stop < start) stop = start;
        reserve_part(L, made);
        made->parts[made->count++] = (part_range){
            (size_t)(head - body.bytes), (size_t)(head_end - body.bytes),
            (size_t)(start - body.bytes), (size_t)(stop - body.bytes)};
        line = next;
    }
    return false;
}

bytes tapline_lua_content_type_of(lua_State *L, const side *message) {
    const section *headers = tapline_lua_headers_of(L, message);
    ptrdiff_t position = tapline_lua_section_find(headers, BYTES("Content-Type"), 0);
    for (; position >= 0; position = tapline_lua_section_find(headers, BYTES("Content-Type"), (size_t)position + 1)) {
        bytes value = tapline_lua_section_value(headers, (size_t)position);
        if (tapline_lua_media_type(value).count > 0) return value;
    }
    return message->view.body.content_type;
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
    bytes type = tapline_lua_content_type_of(L, message);
    layout *made = tapline_lua_keep_room(L, sizeof *made);
    *made = (layout){0};
    if (!tapline_lua_media_type_is(type, "multipart/"))
        return tapline_lua_give_nil(L, "the body is not multipart");
    if (!parameter_of(type, "boundary", &made->boundary) || made->boundary.count == 0) {
        return tapline_lua_give_nil(L, "the body has no boundary");
    }
    tapline_lua_check_readable(L, message);
    made->boundary = tapline_lua_keep_bytes(L, made->boundary);
    bytes body = message->view.body.bytes;
    charge(L, body.count / 4);
    if (!find_parts(L, body, made))
        return tapline_lua_give_nil(L, "the multipart body is malformed");
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

/// The part at an index; raises for one of a body that is not there any more.
static part_range *part_at(lua_State *L, int index, holder **held) {
    holder *found = lua_touserdata(L, index);
    bool fits = found != NULL && lua_getmetatable(L, index);
    if (fits) {
        lua_rawgetp(L, LUA_REGISTRYINDEX, &part_mark);
        fits = lua_rawequal(L, -1, -2);
        lua_pop(L, 2);
    }
    if (!fits) luaL_error(L, "called with another object than its own");
    check_exchange(L);
    const extras *own = &vm_of(L)->extras;
    if (found->generation != own->generation || found->layout != own->layout) {
        luaL_error(L, "this part belongs to a body that was replaced; call multipart again");
    }
    *held = found;
    return &own->layout->parts[found->position];
}

/// The next field of a part's head; false at the end.
static bool next_field(bytes head, size_t *position, bytes *name, bytes *value) {
    while (*position < head.count) {
        const uint8_t *start = head.bytes + *position, *end = head.bytes + head.count;
        const uint8_t *stop = memchr(start, '\n', (size_t)(end - start));
        if (stop == NULL) stop = end;
        *position = (size_t)(stop - head.bytes) + 1;
        const uint8_t *colon = stop > start ? memchr(start, ':', (size_t)(stop - start)) : NULL;
        if (colon == NULL) continue;
        *name = trim((bytes){start, (size_t)(colon - start)});
        *value = trim((bytes){colon + 1, (size_t)(stop - colon - 1)});
        return true;
    }
    return false;
}

static void push_field(lua_State *L, bytes head, const char *wanted, const char *parameter) {
    size_t position = 0;
    bytes name, value;
    while (next_field(head, &position, &name, &value)) {
        bytes known = {(const uint8_t *)wanted, strlen(wanted)};
        if (!tapline_lua_bytes_equal_ignoring_case(name, known)) continue;
        if (parameter != NULL && !parameter_of(value, parameter, &value)) break;
        push_bytes(L, value);
        return;
    }
    lua_pushnil(L);
}

/// A table of the fields by their names in lower case.
static void push_head(lua_State *L, bytes head) {
    lua_newtable(L);
    size_t position = 0;
    bytes name, value;
    while (next_field(head, &position, &name, &value)) {
        buffer lower;
        tapline_lua_buffer_begin(L, &lower);
        for (size_t index = 0; index < name.count; index++) {
            uint8_t byte = name.bytes[index];
            buffer_byte(&lower, byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
        }
        tapline_lua_buffer_push(&lower);
        lua_remove(L, lower.slot);
        push_bytes(L, value);
        lua_rawset(L, -3);
    }
}

static int part_index(lua_State *L) {
    holder *held;
    const part_range *part = part_at(L, 1, &held);
    int field = tapline_lua_field_number(L, 2, "a part", tapline_lua_part_names);
    const uint8_t *body = vm_of(L)->request.view.body.bytes.bytes;
    bytes head = {body + part->head, part->head_end - part->head};
    if (field != BODY) charge(L, head.count / 8);
    switch (field) {
    case NAME: push_field(L, head, "Content-Disposition", "name"); break;
    case FILENAME: push_field(L, head, "Content-Disposition", "filename"); break;
    case CONTENT_TYPE: push_field(L, head, "Content-Type", NULL); break;
    case HEADERS: push_head(L, head); break;
    default: push_bytes(L, (bytes){body + part->start, part->end - part->start}); break;
    }
    return 1;
}

/// A text that is to be a part's body.
static bytes new_body(lua_State *L, int index, const layout *own) {
    bytes text = tapline_lua_text_argument(L, index, "body");
    charge(L, text.count / 8);
    if (find_delimiter(text, text.bytes, own->boundary) != NULL) {
        luaL_error(L, "body holds the boundary between parts");
    }
    return text;
}

static int part_newindex(lua_State *L) {
    holder *held;
    part_range *part = part_at(L, 1, &held);
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
    // The line that ends an empty head may be all that stands before the next delimiter.
    uint8_t next = body.bytes[part->end];
    bool ends_line = next == '\r' || next == '\n';
    buffer output;
    tapline_lua_buffer_begin(L, &output);
    buffer_append(&output, body.bytes, part->start);
    buffer_append(&output, text.bytes, text.count);
    if (!ends_line) buffer_append(&output, "\r\n", 2);
    buffer_append(&output, body.bytes + part->end, body.count - part->end);
    tapline_lua_replace_body(L, &lua->request, (bytes){output.bytes, output.count});
    // The layout holds for the new body too, with what is behind the part moved; sizes wrap around
    // where that is towards the start.
    size_t moved = output.count - body.count;
    part->end = part->start + text.count;
    for (size_t position = held->position + 1; position < own->count; position++) {
        part_range *other = &own->parts[position];
        other->head += moved;
        other->head_end += moved;
        other->start += moved;
        other->end += moved;
    }
    own->close += moved;
    lua->extras.layout = own;
    return 0;
}

// MARK: - Adding a part

/// Appends a parameter in quotes; what would end it is written as browsers do (RFC 7578 §4.2, WHATWG
/// HTML, multipart form data).
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

/// Pushes a field of the table at 2, without code of the script.
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

/// The layout of the list at 1; raises where its body is not there any more.
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

/// `parts:add{...}`: puts a part after the last one, and gives it back.
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
    buffer_append(&output, "--", 2);
    buffer_append(&output, own->boundary.bytes, own->boundary.count);
    buffer_append(&output, "\r\n", 2);
    part_range made = {.head = output.count};
    append_head(&output);
    made.head_end = output.count - 2;
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
