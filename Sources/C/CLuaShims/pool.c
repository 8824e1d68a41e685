// SPDX-License-Identifier: MIT

// Small blocks of Lua's memory. A script allocates and frees some for each exchange, and Lua passes
// the size of a block that it frees, so that a free list for each size suffices.
//
// A freed block is reused only for its own size. The pool is therefore bounded: a script that fills
// it with one size and then needs another gets the rest from `malloc`, and exceeds its limit by at
// most the size of the pool.

#include "internal.h"

#include <stdlib.h>

enum { STEP = 16, LARGEST = STEP * POOL_SIZES, ROOM = 1 << 20 };

#if defined(__SANITIZE_ADDRESS__)
#define CHECKS_ADDRESSES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHECKS_ADDRESSES 1
#endif
#endif

/// The index of the free list for a size.
static size_t list_of(size_t size) { return (size - 1) / STEP; }

static bool is_own(const pool *memory, const void *block) {
    return (uintptr_t)block - (uintptr_t)memory->room < ROOM && memory->room != NULL;
}

/// Takes a block of a size that has a free list; returns NULL if the pool is full.
static void *take_small(pool *memory, size_t size) {
    size_t list = list_of(size);
    void **block = memory->free[list];
    if (block != NULL) {
        memory->free[list] = *block;
        return block;
    }
    size_t rounded = (list + 1) * STEP;
    if (memory->room == NULL) {
#ifdef CHECKS_ADDRESSES
        // Separate blocks let the address sanitizer detect accesses outside of them.
        return NULL;
#else
        // Pages that are not used take only address space.
        memory->room = malloc(ROOM);
        if (memory->room == NULL) return NULL;
#endif
    }
    if (ROOM - memory->used < rounded) return NULL;
    uint8_t *result = memory->room + memory->used;
    memory->used += rounded;
    return result;
}

void *tapline_lua_pool_take(pool *memory, size_t size) {
    void *block = size <= LARGEST ? take_small(memory, size) : NULL;
    return block != NULL ? block : malloc(size);
}

void tapline_lua_pool_give(pool *memory, void *block, size_t size) {
    if (!is_own(memory, block)) {
        free(block);
        return;
    }
    size_t list = list_of(size);
    *(void **)block = memory->free[list];
    memory->free[list] = block;
}

void *tapline_lua_pool_resize(pool *memory, void *block, size_t old_size, size_t new_size) {
    bool is_small = is_own(memory, block);
    if (!is_small && new_size > LARGEST) return realloc(block, new_size);
    if (is_small && new_size <= LARGEST && list_of(new_size) == list_of(old_size)) return block;
    void *moved = tapline_lua_pool_take(memory, new_size);
    if (moved == NULL) return NULL;
    memcpy(moved, block, old_size < new_size ? old_size : new_size);
    tapline_lua_pool_give(memory, block, old_size);
    return moved;
}

void tapline_lua_pool_reset(pool *memory) {
    memory->used = 0;
    memset(memory->free, 0, sizeof memory->free);
}

void tapline_lua_pool_free(pool *memory) {
    free(memory->room);
    memory->room = NULL;
    tapline_lua_pool_reset(memory);
}
