// SPDX-License-Identifier: MIT

#include "CLoading.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

bool tapline_load(
    const char *library, const tapline_function *functions, size_t count, char *error, size_t size
) {
    // Never closed: it may have threads, and functions to call when the process exits.
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    bool found = handle != NULL;
    for (size_t i = 0; found && i < count; i++) found = dlsym(handle, functions[i].name) != NULL;
    if (!found) {
        const char *reason = dlerror();
        snprintf(error, size, "%s", reason != NULL ? reason : library);
        return false;
    }
    for (size_t i = 0; i < count; i++) *functions[i].address = dlsym(handle, functions[i].name);
    return true;
}

void tapline_abort_unloaded(const char *library) {
    fprintf(stderr, "tapline: bug: %s is used before it is loaded\n", library);
    abort();
}
