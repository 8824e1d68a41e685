// SPDX-License-Identifier: MIT

// `require`: modules in the script's folder. A name consists of identifiers separated by dots,
// which stand for folders, so that it cannot contain a path. `tapline_lua_open_below` opens the
// file.

#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_MODULE_NAME = 46 };

/// The registry key of the table of loaded modules.
static const char loaded_mark = 0;
/// The value in that table while a module is being loaded.
static const char loading_mark = 0;

int32_t tapline_lua_line_in_chunk(const vm *lua, bytes chunk, int32_t line) {
    if (line > LINE_MASK) line = LINE_MASK;
    if (chunk.count == 0 || chunk.bytes[0] != '=') return line;
    bytes name = {chunk.bytes + 1, chunk.count - 1};
    if (bytes_equal(name, (bytes){(const uint8_t *)lua->name, lua->name_count})) return line;
    for (size_t index = 0; index < lua->extras.module_count; index++) {
        const module *known = &lua->extras.modules[index];
        bytes other = {(const uint8_t *)known->name, known->name_count};
        if (bytes_equal(name, other)) return (int32_t)(index + 1) << LINE_BITS | line;
    }
    return line;
}

/// The file of a module, relative to the folder; raises if the name is invalid.
static void file_of(lua_State *L, bytes name, char file[static 64]) {
    bool fits = name.count > 0 && name.count <= MAX_MODULE_NAME;
    bool starts = true;
    for (size_t index = 0; fits && index < name.count; index++) {
        uint8_t byte = name.bytes[index];
        bool is_dot = byte == '.';
        bool is_word = byte == '_' || byte == '-' || (byte >= '0' && byte <= '9') ||
            (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
        fits = is_dot ? !starts && index + 1 < name.count : is_word;
        starts = is_dot;
        file[index] = is_dot ? '/' : (char)byte;
    }
    if (!fits) {
        luaL_error(
            L, "module name is invalid; expected letters, digits, '_' and '-', with dots for "
            "folders, at most %d bytes", MAX_MODULE_NAME);
    }
    memcpy(file + name.count, ".lua", 5);
}

/// Opens the file of a module; raises with the reason. Computed names are not shown.
static int open_module(lua_State *L, bytes name, const char *file) {
    vm *lua = vm_of(L);
    const char *folder = lua->extras.module_folder;
    if (folder == NULL) luaL_error(L, "there is no folder for modules here");
    const char *shown = lua->functions.words_require(lua->functions.words, name) ? file : "of that name";
    int descriptor = tapline_lua_open_below(folder, file);
    if (descriptor == -ENOENT || descriptor == -ENOTDIR) {
        luaL_error(L, "module not found; expected the file %s in the script's folder", shown);
    }
    if (descriptor == -EXDEV || descriptor == -ELOOP) {
        luaL_error(L, "the file %s leads out of the script's folder", shown);
    }
    if (descriptor < 0) luaL_error(L, "the file %s cannot be read: %s", shown, strerror(-descriptor));
    bool is_protected = tapline_lua_is_protected_file(lua, folder, file, descriptor);
    struct stat status;
    bool fits = fstat(descriptor, &status) == 0 && status.st_size <= MAX_SCRIPT_BYTES;
    if (is_protected || !fits) close(descriptor);
    if (is_protected) luaL_error(L, "the file %s is a key file of this pipeline", shown);
    if (!fits) luaL_error(L, "the file %s is larger than 4 MiB", shown);
    return descriptor;
}

/// Reads a file into memory that the caller frees; raises with the reason.
static bytes read_module(lua_State *L, bytes name, const char *file) {
    int descriptor = open_module(L, name, file);
    struct stat status = {0};
    if (fstat(descriptor, &status) != 0 || status.st_size > MAX_SCRIPT_BYTES) status.st_size = 0;
    // Nothing below may raise while the file is open.
    size_t size = (size_t)status.st_size;
    uint8_t *room = malloc(size + 1);
    size_t filled = 0;
    while (room != NULL && filled < size) {
        ssize_t more = read(descriptor, room + filled, size - filled);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) break;
        filled += (size_t)more;
    }
    close(descriptor);
    if (room == NULL) luaL_error(L, "not enough memory");
    vm *lua = vm_of(L);
    if (tapline_lua_holds_private_key((bytes){room, filled})) {
        free(room);
        luaL_error(L, "the file of the module contains a private key and is not loaded");
    }
    if (filled > lua->limits.memory - lua->memory_used) {
        free(room);
        tapline_lua_trip(L, TAPLINE_LUA_MEMORY);
    }
    return (bytes){room, filled};
}

/// Notes a module's file, so that messages can name it and the host knows the loaded files. Does
/// not raise; returns an error message, or NULL.
static const char *note_module(vm *lua, const char *file) {
    extras *own = &lua->extras;
    for (size_t index = 0; index < own->module_count; index++) {
        if (strcmp(own->modules[index].name, file) == 0) return NULL;
    }
    if (own->modules == NULL) own->modules = calloc(MAX_MODULES, sizeof *own->modules);
    if (own->modules == NULL) return "not enough memory";
    if (own->module_count == MAX_MODULES) return "there are too many modules";
    module *made = &own->modules[own->module_count];
    size_t folder = strlen(own->module_folder), count = strlen(file);
    bool needs_slash = folder > 0 && own->module_folder[folder - 1] != '/';
    made->path = malloc(folder + needs_slash + count + 1);
    if (made->path == NULL) return "not enough memory";
    memcpy(made->path, own->module_folder, folder);
    if (needs_slash) made->path[folder] = '/';
    memcpy(made->path + folder + needs_slash, file, count + 1);
    memcpy(made->name, file, count + 1);
    made->name_count = count;
    own->module_count++;
    return NULL;
}

/// Compiles a module's text and runs it with the name of the module as the first argument.
static int run_module(lua_State *L) {
    char file[64];
    file_of(L, bytes_at(L, 1), file);
    bytes text = read_module(L, bytes_at(L, 1), file);
    vm_of(L)->functions.words_note(vm_of(L)->functions.words, text);
    const char *problem = note_module(vm_of(L), file);
    if (problem != NULL) {
        free((void *)text.bytes);
        return luaL_error(L, "%s", problem);
    }
    char chunk[66] = "=";
    memcpy(chunk + 1, file, strlen(file) + 1);
    vm_of(L)->fills_table = true;
    int status = luaL_loadbufferx(L, (const char *)text.bytes, text.count, chunk, "t");
    vm_of(L)->fills_table = false;
    free((void *)text.bytes);
    if (status == LUA_ERRMEM) tapline_lua_trip(L, TAPLINE_LUA_MEMORY);
    if (status != LUA_OK) return lua_error(L);
    tapline_lua_coverage_add(L, file);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

/// Pops the value on top and stores it in the table of modules under the module's name.
static void note_loaded(lua_State *L) {
    lua_pushvalue(L, 1);
    lua_insert(L, -2);
    lua_rawset(L, 2);
}

static int require(lua_State *L) {
    vm *lua = vm_of(L);
    tapline_lua_string_argument(L, 1, "module name");
    lua_settop(L, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &loaded_mark);
    lua_pushvalue(L, 1);
    if (lua_rawget(L, 2) != LUA_TNIL) {
        if (lua_touserdata(L, -1) == &loading_mark) {
            return luaL_error(L, "module is required while it is being loaded (circular require)");
        }
        return 1;
    }
    lua_pop(L, 1);
    if (lua->exchange != NULL) {
        return luaL_error(
            L, "module is not loaded; require it at the top of the script or in start");
    }
    charge(L, 5000);
    lua_pushlightuserdata(L, (void *)&loading_mark);
    note_loaded(L);
    lua_pushcfunction(L, run_module);
    lua_pushvalue(L, 1);
    bool raised_before = lua->raised;
    lua->raised = false;
    int status = lua_pcall(L, 1, 1, 0);
    if (status != LUA_OK) {
        // A failed module may be loaded again, but a limit must not be ignored.
        if (status == LUA_ERRMEM) tapline_lua_trip(L, TAPLINE_LUA_MEMORY);
        tapline_lua_raise_if_tripped(L);
        lua_pushnil(L);
        note_loaded(L);
        return lua_error(L);
    }
    lua->raised = raised_before;
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_pushboolean(L, 1);
    }
    lua_pushvalue(L, -1);
    note_loaded(L);
    return 1;
}

void tapline_lua_open_require(lua_State *L) {
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &loaded_mark);
    lua_register(L, "require", require);
}

// MARK: - Loaded modules

size_t tapline_lua_module_count(const tapline_lua *lua) { return lua->extras.module_count; }

tapline_lua_module tapline_lua_module_at(const tapline_lua *lua, size_t index) {
    if (index >= lua->extras.module_count) return (tapline_lua_module){{NULL, 0}, {NULL, 0}};
    const module *found = &lua->extras.modules[index];
    return (tapline_lua_module){
        {(const uint8_t *)found->path, strlen(found->path)},
        {(const uint8_t *)found->name, found->name_count},
    };
}
