// SPDX-License-Identifier: MIT

/// What the libraries keep of a state beside Lua's own memory. Part of `internal.h`.

#pragma once

enum {
    /// Where a line is in a module, the number of that module plus 1 stands above these bits.
    LINE_BITS = 24,
    LINE_MASK = (1 << LINE_BITS) - 1,
    MAX_MODULES = 64,
};

/// A file that `require` loaded, or is loading.
typedef struct module {
    char *path;
    char name[64];
    size_t name_count;
} module;

typedef struct regex_cache regex_cache;
typedef struct file_cache file_cache;
typedef struct layout layout;

typedef struct extras {
    // Surroundings (surroundings.c).
    char *module_folder, *file_folder;
    /// Key files and folders of keys, with a zero byte after each but the last.
    char *protected_paths;
    size_t protected_count;
    tapline_lua_shared *shared;
    /// The time that was set last, in microseconds since 1970.
    int64_t now;

    // Modules (require.c).
    module *modules;
    size_t module_count;

    // The generator of identifiers (surroundings.c); it goes on when the state is made anew.
    uint64_t random[4];
    bool is_seeded;

    regex_cache *regexes;
    file_cache *files;

    /// Which call this is: what a script kept of an earlier one is told by it.
    uint64_t generation;
    /// Trailers while a script reads them: a section that is lent again each time.
    section trailers;
    /// The parts of the request's body, as long as it is not replaced (multipart.c).
    layout *layout;
    /// Whether the script wrote the field Host itself in this call.
    bool host_assigned;
} extras;
