// SPDX-License-Identifier: MIT

/// The state of the libraries outside of Lua's memory. Part of `internal.h`.

#pragma once

enum {
    /// For a line in a module, the number of that module plus 1 is stored above these bits.
    LINE_BITS = 24,
    LINE_MASK = (1 << LINE_BITS) - 1,
    MAX_MODULES = 64,
};

/// A file that `require` has loaded or is loading.
typedef struct module {
    char *path;
    char name[64];
    size_t name_count;
} module;

typedef struct regex_cache regex_cache;
typedef struct file_cache file_cache;
typedef struct layout layout;

typedef struct extras {
    // The environment (environment.c).
    char *module_folder, *file_folder;
    /// Key files and folders of keys, separated by zero bytes.
    char *protected_paths;
    size_t protected_count;
    tapline_lua_shared *shared;
    /// Whether `shared` is only read, since the exchange is a copy whose hook runs again later.
    bool is_preview;
    /// What the hooks of a preview have changed in `shared`; NULL for nothing.
    tapline_lua_shared *changes;
    /// The time that was last set, in microseconds since 1970.
    int64_t now;

    // Modules (require.c).
    module *modules;
    size_t module_count;

    // The generator of identifiers (environment.c); it continues when the state is recreated.
    uint64_t random[4];
    bool is_seeded;

    regex_cache *regexes;
    file_cache *files;

    /// The number of this call, which identifies objects that a script kept from an earlier call.
    uint64_t generation;
    /// The trailers that a script reads; lent again for each access.
    section trailers;
    /// The parts of the request's body, until the body is replaced (multipart.c).
    layout *layout;
    /// Whether the script assigned the Host field in this call.
    bool host_assigned;
} extras;
