// SPDX-License-Identifier: MIT

// Counts how often the lines of a script ran. The line hook counts. The lines with code are read
// from the compiled form, because Lua reports them only for functions that were created.
//
// Source: the form is that of ldump.c of Lua 5.4. It comes from `lua_dump` in this process, but
// every read is bounded nevertheless.

#include "internal.h"

#include <stdlib.h>

enum { MAX_COVERED_FILES = 64, MAX_COVERED_LINE = 1 << 20 };

void tapline_lua_coverage_free(vm *lua) {
    for (size_t index = 0; index < lua->covered_count; index++) free(lua->covered[index].counts);
    free(lua->covered);
    lua->covered = NULL;
    lua->covered_count = 0;
}

static covered_file *file_named(vm *lua, const char *name, bool make) {
    for (size_t index = 0; index < lua->covered_count; index++) {
        if (strcmp(lua->covered[index].name, name) == 0) return &lua->covered[index];
    }
    if (!make || lua->covered_count == MAX_COVERED_FILES) return NULL;
    if (lua->covered == NULL) lua->covered = calloc(MAX_COVERED_FILES, sizeof *lua->covered);
    if (lua->covered == NULL) return NULL;
    covered_file *file = &lua->covered[lua->covered_count++];
    strncpy(file->name, name, sizeof file->name - 1);
    return file;
}

/// Marks a line as having code.
static void mark(covered_file *file, int64_t line) {
    if (line <= 0 || line > MAX_COVERED_LINE) return;
    size_t count = (size_t)line + 1;
    if (count > file->count) {
        size_t capacity = count * 2;
        int64_t *grown = realloc(file->counts, capacity * sizeof *grown);
        if (grown == NULL) return;
        for (size_t index = file->count; index < capacity; index++) grown[index] = -1;
        file->counts = grown;
        file->count = capacity;
    }
    if (file->counts[line] < 0) file->counts[line] = 0;
}

// MARK: - The compiled form

typedef struct form {
    uint8_t *start;
    size_t count, capacity, position;
    bool failed;
} form;

static int write_form(lua_State *L, const void *start, size_t count, void *into) {
    (void)L;
    form *output = into;
    if (count > output->capacity - output->count) {
        size_t capacity = (output->count + count) * 2;
        uint8_t *grown = realloc(output->start, capacity);
        if (grown == NULL) return 1;
        output->start = grown;
        output->capacity = capacity;
    }
    memcpy(output->start + output->count, start, count);
    output->count += count;
    return 0;
}

static const uint8_t *take(form *input, size_t count) {
    if (count > input->count - input->position) input->failed = true;
    if (input->failed) return NULL;
    const uint8_t *start = input->start + input->position;
    input->position += count;
    return start;
}

static uint8_t take_byte(form *input) {
    const uint8_t *byte = take(input, 1);
    return byte == NULL ? 0 : *byte;
}

/// Reads a size with seven bits per byte, highest first; the last byte has its high bit set.
static size_t take_size(form *input) {
    size_t value = 0;
    while (!input->failed) {
        uint8_t byte = take_byte(input);
        if (value > SIZE_MAX >> 8) input->failed = true;
        value = value << 7 | (byte & 0x7F);
        if (byte & 0x80) break;
    }
    return value;
}

static void skip_string(form *input) {
    size_t size = take_size(input);
    if (size > 0) take(input, size - 1);
}

/// Skips constants, whose types are those of lobject.h; nil and booleans have no bytes.
static void skip_constants(form *input) {
    size_t count = take_size(input);
    for (size_t index = 0; index < count && !input->failed; index++) {
        switch (take_byte(input)) {
        case 0x03: take(input, sizeof(lua_Integer)); break;
        case 0x13: take(input, sizeof(lua_Number)); break;
        case 0x04:
        case 0x14: skip_string(input); break;
        default: break;
        }
    }
}

/// Marks the line of each instruction, given as the difference from the previous one or separately.
static void mark_lines(
    covered_file *file, const int8_t *steps, size_t count, form *apart, int64_t line,
    bool is_vararg) {
    size_t left = take_size(apart);
    for (size_t index = 0; index < count && !apart->failed; index++) {
        if (steps[index] == INT8_MIN && left > 0) {
            left--;
            take_size(apart);
            line = (int64_t)take_size(apart);
        } else {
            line += steps[index];
        }
        // The first instruction of a vararg function only sets it up; the last one is the implicit
        // return at the word `end`.
        if ((index == 0 && is_vararg) || index + 1 == count) continue;
        mark(file, line);
    }
    while (left-- > 0 && !apart->failed) {
        take_size(apart);
        take_size(apart);
    }
}

static void read_function(form *input, covered_file *file, int depth) {
    if (depth > 250) input->failed = true;
    skip_string(input);
    int64_t line = (int64_t)take_size(input);
    take_size(input);
    take_byte(input);
    bool is_vararg = take_byte(input) != 0;
    take_byte(input);
    size_t instructions = take_size(input);
    if (instructions > input->count) input->failed = true;
    take(input, instructions * 4);
    skip_constants(input);
    size_t upvalues = take_size(input);
    if (upvalues > input->count) input->failed = true;
    take(input, upvalues * 3);
    size_t functions = take_size(input);
    for (size_t index = 0; index < functions && !input->failed; index++) {
        read_function(input, file, depth + 1);
    }
    size_t count = take_size(input);
    const int8_t *steps = (const int8_t *)take(input, count);
    if (steps == NULL) return;
    mark_lines(file, steps, count, input, line, is_vararg);
    size_t locals = take_size(input);
    for (size_t index = 0; index < locals && !input->failed; index++) {
        skip_string(input);
        take_size(input);
        take_size(input);
    }
    size_t names = take_size(input);
    for (size_t index = 0; index < names && !input->failed; index++) skip_string(input);
}

void tapline_lua_coverage_add(lua_State *L, const char *name) {
    vm *lua = vm_of(L);
    if (!lua->covers) return;
    covered_file *file = file_named(lua, name, true);
    if (file == NULL) return;
    form output = {0};
    if (lua_dump(L, write_form, &output, 0) == 0) {
        // Signature, version, format, data, three sizes, an integer, a number, upvalues.
        take(&output, 4 + 1 + 1 + 6 + 3 + sizeof(lua_Integer) + sizeof(lua_Number) + 1);
        if (!output.failed) read_function(&output, file, 0);
    }
    free(output.start);
}

void tapline_lua_coverage_count(lua_State *L, lua_Debug *frame) {
    vm *lua = vm_of(L);
    if (!lua_getinfo(L, "S", frame) || frame->source[0] != '=') return;
    covered_file *file = file_named(lua, frame->source + 1, false);
    int line = frame->currentline;
    if (file == NULL || line <= 0 || (size_t)line >= file->count || file->counts[line] < 0) return;
    file->counts[line]++;
}

// MARK: - Results

void tapline_lua_collect_coverage(tapline_lua *lua) { lua->covers = true; }

size_t tapline_lua_covered_files(const tapline_lua *lua) { return lua->covered_count; }

tapline_lua_covered tapline_lua_covered_file(const tapline_lua *lua, size_t index) {
    if (index >= lua->covered_count) return (tapline_lua_covered){0};
    const covered_file *file = &lua->covered[index];
    return (tapline_lua_covered){
        {(const uint8_t *)file->name, strlen(file->name)}, file->counts, file->count};
}
