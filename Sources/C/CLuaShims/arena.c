// SPDX-License-Identifier: MIT

#include "internal.h"

#include <stdlib.h>

struct chunk {
    chunk *next;
    size_t capacity, used;
    _Alignas(16) uint8_t bytes[];
};

enum { FIRST_CHUNK = 4096 };

static chunk *chunk_of(size_t size) {
    size_t capacity = size < FIRST_CHUNK ? FIRST_CHUNK : size;
    chunk *made = malloc(sizeof(chunk) + capacity);
    if (made == NULL) return NULL;
    made->next = NULL;
    made->capacity = capacity;
    made->used = 0;
    return made;
}

void *tapline_lua_arena_take(arena *memory, size_t size) {
    if (size > memory->limit) return NULL;
    size_t rounded = (size + 15) & ~(size_t)15;
    if (memory->used > memory->limit || rounded > memory->limit - memory->used) return NULL;
    chunk *current = memory->current;
    if (current == NULL || current->capacity - current->used < rounded) {
        chunk *made = chunk_of(rounded);
        if (made == NULL) return NULL;
        if (current == NULL) {
            memory->first = made;
        } else {
            current->next = made;
        }
        memory->current = current = made;
    }
    void *result = current->bytes + current->used;
    current->used += rounded;
    memory->used += rounded;
    return result;
}

void tapline_lua_arena_reset(arena *memory) {
    if (memory->used == 0) return;
    chunk *first = memory->first;
    memory->used = 0;
    chunk *next = first->next;
    while (next != NULL) {
        chunk *after = next->next;
        free(next);
        next = after;
    }
    first->next = NULL;
    first->used = 0;
    memory->current = first;
    if (first->capacity > FIRST_CHUNK) tapline_lua_arena_free(memory);
}

void tapline_lua_arena_free(arena *memory) {
    chunk *next = memory->first;
    while (next != NULL) {
        chunk *after = next->next;
        free(next);
        next = after;
    }
    memory->first = memory->current = NULL;
    memory->used = 0;
}
