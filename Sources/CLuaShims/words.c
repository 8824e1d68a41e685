// SPDX-License-Identifier: MIT

// The names in the text of a script: what Lua's messages call a field or a variable is shown only if
// it stands in the text as a name. A string that is used as a key would be called a field as well.

#include "internal.h"

#include <stdlib.h>

enum { MAX_WORDS = 1 << 16, REQUIRED = 1 };

/// FNV-1a, with a mark for names of modules. 0 stands for an empty place.
static uint64_t hash_of(bytes word, uint64_t mark) {
    uint64_t hash = 14695981039346656037u ^ mark;
    for (size_t index = 0; index < word.count; index++) {
        hash = (hash ^ word.bytes[index]) * 1099511628211u;
    }
    return hash == 0 ? 1 : hash;
}

static bool has_hash(const vm *lua, uint64_t hash) {
    size_t capacity = lua->extras.word_capacity;
    for (size_t place = hash; capacity > 0; place++) {
        uint64_t found = lua->extras.words[place & (capacity - 1)];
        if (found == hash) return true;
        if (found == 0) return false;
    }
    return false;
}

static void put(uint64_t *words, size_t capacity, uint64_t hash) {
    size_t place = hash;
    while (words[place & (capacity - 1)] != 0) place++;
    words[place & (capacity - 1)] = hash;
}

/// Adds a hash. If there is no memory for it, messages do not show its word.
static void add(vm *lua, uint64_t hash) {
    extras *own = &lua->extras;
    if (own->word_count >= MAX_WORDS || has_hash(lua, hash)) return;
    if (own->word_count * 2 >= own->word_capacity) {
        size_t capacity = own->word_capacity == 0 ? 256 : own->word_capacity * 2;
        uint64_t *grown = calloc(capacity, sizeof *grown);
        if (grown == NULL) return;
        for (size_t place = 0; place < own->word_capacity; place++) {
            if (own->words[place] != 0) put(grown, capacity, own->words[place]);
        }
        free(own->words);
        own->words = grown;
        own->word_capacity = capacity;
    }
    put(own->words, own->word_capacity, hash);
    own->word_count++;
}

void tapline_lua_words_clear(vm *lua) {
    free(lua->extras.words);
    lua->extras.words = NULL;
    lua->extras.word_count = lua->extras.word_capacity = 0;
}

static bool is_word_byte(uint8_t byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
        (byte >= 'a' && byte <= 'z') || byte == '_';
}

/// Whether a word that begins there is the beginning of a string.
static bool begins_string(bytes text, size_t start) {
    if (start == 0) return false;
    uint8_t before = text.bytes[start - 1];
    bool is_long = start > 1 && before == '[' &&
        (text.bytes[start - 2] == '[' || text.bytes[start - 2] == '=');
    return before == '"' || before == '\'' || is_long;
}

/// Notes the module that a literal after the word `require` names.
static void note_required(vm *lua, bytes text, size_t index) {
    while (index < text.count && (text.bytes[index] == ' ' || text.bytes[index] == '(')) index++;
    if (index >= text.count) return;
    uint8_t quote = text.bytes[index];
    if (quote != '\'' && quote != '"') return;
    size_t start = ++index;
    while (index < text.count && text.bytes[index] != quote && text.bytes[index] != '\n') index++;
    add(lua, hash_of((bytes){text.bytes + start, index - start}, REQUIRED));
}

void tapline_lua_words_note(vm *lua, bytes text) {
    size_t index = 0;
    while (index < text.count) {
        if (!is_word_byte(text.bytes[index])) {
            index++;
            continue;
        }
        size_t start = index;
        while (index < text.count && is_word_byte(text.bytes[index])) index++;
        bytes word = {text.bytes + start, index - start};
        bool is_number = word.bytes[0] >= '0' && word.bytes[0] <= '9';
        if (!is_number && !begins_string(text, start)) add(lua, hash_of(word, 0));
        if (bytes_equal(word, BYTES("require"))) note_required(lua, text, index);
    }
}

bool tapline_lua_words_have(const vm *lua, bytes name) { return has_hash(lua, hash_of(name, 0)); }

bool tapline_lua_words_require(const vm *lua, bytes name) {
    return has_hash(lua, hash_of(name, REQUIRED));
}
