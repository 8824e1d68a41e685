// SPDX-License-Identifier: MIT

#pragma once

#include <mimalloc.h>
#include <stdlib.h>

/// Whether `malloc` is that of mimalloc. A sanitizer also replaces it, and takes precedence.
static inline _Bool tapline_malloc_is_mimalloc(void) {
    void *block = malloc(16);
    _Bool found = mi_is_in_heap_region(block);
    free(block);
    return found;
}
