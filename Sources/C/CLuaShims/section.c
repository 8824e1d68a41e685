// SPDX-License-Identifier: MIT

#include "internal.h"

#include <stdlib.h>

static uint8_t lower(uint8_t byte) { return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte; }

bool tapline_lua_bytes_equal_ignoring_case(bytes left, bytes right) {
    if (left.count != right.count) return false;
    for (size_t index = 0; index < left.count; index++) {
        uint8_t one = left.bytes[index], other = right.bytes[index];
        if (one != other && lower(one) != lower(other)) return false;
    }
    return true;
}

void tapline_lua_section_free(section *list) {
    free(list->own_bytes);
    free(list->own_entries);
    list->own_bytes = NULL;
    list->own_entries = NULL;
    list->own_bytes_capacity = list->own_entries_capacity = 0;
}

bytes tapline_lua_section_name(const section *list, size_t position) {
    entry at = list->view.entries[position];
    return (bytes){list->view.bytes.bytes + at.start, at.name_count};
}

bytes tapline_lua_section_value(const section *list, size_t position) {
    entry at = list->view.entries[position];
    return (bytes){list->view.bytes.bytes + at.start + at.name_count, at.value_count};
}

ptrdiff_t tapline_lua_section_find(const section *list, bytes name, size_t start) {
    const entry *entries = list->view.entries;
    for (size_t position = start; position < list->view.count; position++) {
        if (entries[position].name_count != name.count) continue;
        bytes found = tapline_lua_section_name(list, position);
        if (list->is_fields ? tapline_lua_bytes_equal_ignoring_case(found, name)
                            : bytes_equal(found, name)) {
            return (ptrdiff_t)position;
        }
    }
    return -1;
}

/// Reserves memory for the current entries and one more.
static bool reserve_entries(section *list) {
    size_t entries = list->view.count + 1;
    if (entries <= list->own_entries_capacity) return true;
    size_t capacity = entries * 2 < 32 ? 32 : entries * 2;
    entry *grown = realloc(list->own_entries, capacity * sizeof(entry));
    if (grown == NULL) return false;
    list->own_entries = grown;
    list->own_entries_capacity = capacity;
    if (list->is_own) list->view.entries = grown;
    return true;
}

/// Copies names and values consecutively into a buffer, which the section then uses.
static void pack(section *list, uint8_t *into, size_t total) {
    size_t used = 0;
    if (total > 0 && total == list->view.bytes.count && !list->is_own) {
        // Each byte belongs to a field: all can be copied as they are.
        memcpy(into, list->view.bytes.bytes, total);
        memcpy(list->own_entries, list->view.entries, list->view.count * sizeof(entry));
        list->view = (tapline_lua_section){{into, total}, list->own_entries, list->view.count};
        list->is_own = true;
        return;
    }
    for (size_t position = 0; position < list->view.count; position++) {
        entry at = list->view.entries[position];
        size_t count = (size_t)at.name_count + at.value_count;
        if (count > 0) memcpy(into + used, list->view.bytes.bytes + at.start, count);
        list->own_entries[position] =
            (entry){(uint32_t)used, at.name_count, at.value_count};
        used += count;
    }
    list->view = (tapline_lua_section){{into, used}, list->own_entries, list->view.count};
    list->is_own = true;
}

/// Makes the section own its bytes, with room for one more entry of `more` bytes. If the buffer is
/// full, bytes of replaced names and values are dropped.
static bool make_own(section *list, size_t more) {
    if (!reserve_entries(list)) return false;
    size_t filled = list->view.bytes.count + more;
    if (list->is_own && filled <= list->own_bytes_capacity && filled <= MAX_SECTION_BYTES) return true;
    size_t used = 0;
    for (size_t position = 0; position < list->view.count; position++) {
        used += (size_t)list->view.entries[position].name_count +
            list->view.entries[position].value_count;
    }
    if (more > 0 && (more > MAX_SECTION_BYTES || used > MAX_SECTION_BYTES - more)) return false;
    if (list->is_own || used + more > list->own_bytes_capacity) {
        size_t capacity = (used + more) * 2 < 1024 ? 1024 : (used + more) * 2;
        uint8_t *fresh = malloc(capacity);
        if (fresh == NULL) return false;
        pack(list, fresh, used);
        free(list->own_bytes);
        list->own_bytes = fresh;
        list->own_bytes_capacity = capacity;
    } else {
        pack(list, list->own_bytes, used);
    }
    return true;
}

static entry place(section *list, bytes name, bytes value) {
    size_t start = list->view.bytes.count;
    if (name.count > 0) memcpy(list->own_bytes + start, name.bytes, name.count);
    if (value.count > 0) memcpy(list->own_bytes + start + name.count, value.bytes, value.count);
    list->view.bytes.count += name.count + value.count;
    return (entry){(uint32_t)start, (uint32_t)name.count, (uint32_t)value.count};
}

static void erase(section *list, size_t position) {
    size_t rest = list->view.count - position - 1;
    memmove(list->own_entries + position, list->own_entries + position + 1, rest * sizeof(entry));
    list->view.count--;
}

bool tapline_lua_section_add(section *list, bytes name, bytes value) {
    if (!make_own(list, name.count + value.count)) return false;
    entry made = place(list, name, value);
    list->own_entries[list->view.count++] = made;
    return true;
}

bool tapline_lua_section_set(section *list, bytes name, bytes value) {
    ptrdiff_t position = tapline_lua_section_find(list, name, 0);
    if (position < 0) return tapline_lua_section_add(list, name, value);
    if (!make_own(list, name.count + value.count)) return false;
    bytes kept = tapline_lua_section_name(list, (size_t)position);
    list->own_entries[position] = place(list, kept, value);
    ptrdiff_t next;
    while ((next = tapline_lua_section_find(list, name, (size_t)position + 1)) >= 0) {
        erase(list, (size_t)next);
    }
    return true;
}

bool tapline_lua_section_remove(section *list, bytes name) {
    ptrdiff_t position = tapline_lua_section_find(list, name, 0);
    if (position < 0) return true;
    if (!make_own(list, 0)) return false;
    while (position >= 0) {
        erase(list, (size_t)position);
        position = tapline_lua_section_find(list, name, (size_t)position);
    }
    return true;
}

bool tapline_lua_section_set_at(section *list, size_t position, bytes value) {
    bytes name = tapline_lua_section_name(list, position);
    if (!make_own(list, name.count + value.count)) return false;
    list->own_entries[position] = place(list, tapline_lua_section_name(list, position), value);
    return true;
}

bool tapline_lua_section_remove_at(section *list, size_t position) {
    if (!make_own(list, 0)) return false;
    erase(list, position);
    return true;
}

bool tapline_lua_section_assign(section *list, tapline_lua_section view) {
    if (view.bytes.count > MAX_SECTION_BYTES) return false;
    list->view = view;
    list->is_own = false;
    if (make_own(list, 0)) return true;
    // The previous content may have been moved, so the section is emptied. The call fails.
    list->view = (tapline_lua_section){{NULL, 0}, NULL, 0};
    return false;
}
