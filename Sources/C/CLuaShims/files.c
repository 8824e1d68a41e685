// SPDX-License-Identifier: MIT

// Files that scripts may read, all of which are below a folder.

#define _GNU_SOURCE

#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    CACHED_FILES = 8,
    MAX_PATH_BYTES = 1024,
    /// The number of entries of a key folder, and their depth, that are checked for a hard link.
    MAX_KEY_FILES = 1024,
    MAX_KEY_DEPTH = 4,
    /// The longest label before the words `PRIVATE KEY`.
    MAX_KEY_LABEL = 64,
};

/// Whether no part of a path is empty, `.` or `..`.
static bool is_plain(const char *path) {
    while (true) {
        size_t count = strcspn(path, "/");
        if (count == 0 || (count == 1 && path[0] == '.') || (count == 2 && memcmp(path, "..", 2) == 0)) {
            return false;
        }
        path += count;
        if (*path == 0) return true;
        path++;
    }
}

/// Opens a path part by part without following links, for systems without `openat2`.
static int walk(int folder, const char *path) {
    int current = dup(folder);
    while (current >= 0) {
        char part[256];
        size_t count = strcspn(path, "/");
        if (count >= sizeof part) {
            close(current);
            return -ENAMETOOLONG;
        }
        memcpy(part, path, count);
        part[count] = 0;
        bool is_last = path[count] == 0;
        int flags = is_last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY;
        int next = openat(current, part, flags | O_NOFOLLOW | O_CLOEXEC);
        int reason = errno;
        close(current);
        if (next < 0) return -reason;
        if (is_last) return next;
        current = next;
        path += count + 1;
    }
    return -errno;
}

int tapline_lua_open_below(const char *folder, const char *path) {
    if (!is_plain(path)) return -EXDEV;
    int root = open(folder[0] == 0 ? "." : folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) return -errno;
    // The kernel refuses paths that leave the folder, including through links (openat2(2)). Without
    // O_NONBLOCK, opening a pipe would block until it has a writer.
    struct open_how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    int file = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
    int reason = errno;
    if (file < 0 && (reason == ENOSYS || reason == EPERM)) {
        file = walk(root, path);
        reason = -file;
    }
    close(root);
    if (file < 0) return -reason;
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(file);
        return -EISDIR;
    }
    return file;
}

// MARK: - Keys

static bool is_same_file(const struct stat *left, const struct stat *right) {
    return left->st_ino == right->st_ino && left->st_dev == right->st_dev;
}

/// Whether a folder or one of its subfolders has an entry that is the file. A hard link cannot be
/// found by its path.
static bool folder_has(int folder, const struct stat *file, int depth) {
    DIR *list = fdopendir(folder);
    if (list == NULL) {
        close(folder);
        // A folder that cannot be read may contain the file.
        return true;
    }
    bool found = false;
    size_t count = 0;
    struct dirent *entry;
    while (!found && (entry = readdir(list)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        struct stat status;
        if (fstatat(dirfd(list), entry->d_name, &status, 0) != 0) continue;
        found = ++count > MAX_KEY_FILES || is_same_file(&status, file);
        if (found || !S_ISDIR(status.st_mode) || depth == 0) continue;
        int next = openat(dirfd(list), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next >= 0) found = folder_has(next, file, depth - 1);
    }
    closedir(list);
    return found;
}

/// Whether a file is protected or in a protected folder. A path that does not exist protects
/// nothing.
static bool is_protected_by(const char *path, const struct stat *file, const char *resolved) {
    struct stat status;
    if (stat(path, &status) != 0) return errno != ENOENT && errno != ENOTDIR;
    if (!S_ISDIR(status.st_mode)) return is_same_file(&status, file);
    char *folder = realpath(path, NULL);
    if (folder == NULL) return true;
    size_t count = strlen(folder);
    bool is_below = strncmp(resolved, folder, count) == 0 && resolved[count] == '/';
    free(folder);
    if (is_below) return true;
    // A file with a single link is outside of the folder.
    if (file->st_nlink < 2) return false;
    int list = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return list < 0 || folder_has(list, file, MAX_KEY_DEPTH);
}

bool tapline_lua_is_protected_file(
    const vm *lua, const char *folder, const char *path, int descriptor) {
    const char *next = lua->extras.protected_paths;
    const char *end = next + lua->extras.protected_count;
    if (next == NULL || next == end) return false;
    struct stat file, other;
    char whole[PATH_MAX];
    int length = snprintf(whole, sizeof whole, "%s/%s", folder[0] == 0 ? "." : folder, path);
    char *resolved = length > 0 && (size_t)length < sizeof whole ? realpath(whole, NULL) : NULL;
    bool known = resolved != NULL && fstat(descriptor, &file) == 0 && stat(resolved, &other) == 0 &&
        is_same_file(&file, &other);
    bool found = !known;
    for (; !found && next < end; next += strlen(next) + 1) {
        found = is_protected_by(next, &file, resolved);
    }
    free(resolved);
    return found;
}

bool tapline_lua_holds_private_key(bytes content) {
    static const char label[] = "PRIVATE KEY", begin[] = "BEGIN ";
    const uint8_t *from = content.bytes, *end = content.bytes + content.count;
    while (from < end) {
        const uint8_t *found = memmem(from, (size_t)(end - from), label, sizeof label - 1);
        if (found == NULL) return false;
        // `-----BEGIN RSA PRIVATE KEY-----`, and `---- BEGIN SSH2 …`: only words may be in between.
        const uint8_t *start = found;
        while (start > content.bytes && found - start < MAX_KEY_LABEL &&
               ((start[-1] >= 'A' && start[-1] <= 'Z') || (start[-1] >= '0' && start[-1] <= '9') ||
                start[-1] == ' ')) {
            start--;
        }
        const uint8_t *word = start < found && *start == ' ' ? start + 1 : start;
        bool begins = (size_t)(found - word) >= sizeof begin - 1 &&
            memcmp(word, begin, sizeof begin - 1) == 0;
        if (begins && start > content.bytes && start[-1] == '-') return true;
        from = found + 1;
    }
    return false;
}

// MARK: - Files for respond

/// A cached file, valid as long as its time and size are unchanged.
typedef struct cached_file {
    char *path;
    uint8_t *content;
    struct stat status;
    uint64_t used;
} cached_file;

struct file_cache {
    cached_file files[CACHED_FILES];
    size_t bytes;
    uint64_t clock;
};

static void forget(file_cache *cache, cached_file *file) {
    if (file->content != NULL) cache->bytes -= (size_t)file->status.st_size;
    free(file->path);
    free(file->content);
    *file = (cached_file){0};
}

void tapline_lua_free_files(file_cache *cache) {
    if (cache == NULL) return;
    for (size_t index = 0; index < CACHED_FILES; index++) forget(cache, &cache->files[index]);
    free(cache);
}

static bool is_same(const struct stat *left, const struct stat *right) {
    return left->st_ino == right->st_ino && left->st_dev == right->st_dev &&
        left->st_size == right->st_size && left->st_mtim.tv_sec == right->st_mtim.tv_sec &&
        left->st_mtim.tv_nsec == right->st_mtim.tv_nsec;
}

static cached_file *find_cached(file_cache *cache, const char *path) {
    for (size_t index = 0; index < CACHED_FILES; index++) {
        cached_file *file = &cache->files[index];
        if (file->path != NULL && strcmp(file->path, path) == 0) return file;
    }
    return NULL;
}

/// A free entry, or the least recently used one.
static cached_file *oldest(file_cache *cache) {
    cached_file *result = &cache->files[0];
    for (size_t index = 1; index < CACHED_FILES; index++) {
        if (cache->files[index].used < result->used) result = &cache->files[index];
    }
    return result;
}

/// Reads exactly `count` bytes.
static bool read_whole(int descriptor, uint8_t *room, size_t count) {
    size_t filled = 0;
    while (filled < count) {
        ssize_t more = read(descriptor, room + filled, count - filled);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) return false;
        filled += (size_t)more;
    }
    return true;
}

/// The content of an open file, from the cache if the file is unchanged; NULL and a reason on
/// failure.
static cached_file *load(vm *lua, const char *path, int descriptor, const char **reason) {
    file_cache *cache = lua->extras.files;
    struct stat status;
    *reason = "cannot be read";
    if (fstat(descriptor, &status) != 0 || status.st_size < 0) return NULL;
    cached_file *file = find_cached(cache, path);
    if (file != NULL && is_same(&file->status, &status)) return file;
    if (file != NULL) forget(cache, file);
    size_t size = (size_t)status.st_size;
    size_t limit = (size_t)lua->limits.memory / 2;
    *reason = "is larger than half of option 'max_memory'";
    if (size > limit) return NULL;
    file = oldest(cache);
    forget(cache, file);
    while (cache->bytes > limit - size) {
        cached_file *other = NULL;
        for (size_t index = 0; index < CACHED_FILES; index++) {
            cached_file *next = &cache->files[index];
            if (next->path != NULL && (other == NULL || next->used < other->used)) other = next;
        }
        if (other == NULL) break;
        forget(cache, other);
    }
    *reason = "cannot be read";
    uint8_t *content = malloc(size + 1);
    char *name = strdup(path);
    if (content == NULL || name == NULL || !read_whole(descriptor, content, size)) {
        free(content);
        free(name);
        return NULL;
    }
    *reason = "contains a private key, which is never sent";
    if (tapline_lua_holds_private_key((bytes){content, size})) {
        free(content);
        free(name);
        return NULL;
    }
    *file = (cached_file){.path = name, .content = content, .status = status};
    cache->bytes += size;
    return file;
}

bytes tapline_lua_read_reply_file(lua_State *L, bytes path) {
    vm *lua = vm_of(L);
    const char *folder = lua->extras.file_folder;
    if (folder == NULL) luaL_error(L, "respond: there is no folder for files here");
    char name[MAX_PATH_BYTES];
    if (path.count == 0 || path.count >= sizeof name || memchr(path.bytes, 0, path.count) != NULL) {
        luaL_error(L, "respond: file is not a path of 1 to %d bytes", MAX_PATH_BYTES - 1);
    }
    memcpy(name, path.bytes, path.count);
    name[path.count] = 0;
    charge(L, 2000);
    if (lua->extras.files == NULL) lua->extras.files = calloc(1, sizeof *lua->extras.files);
    if (lua->extras.files == NULL) luaL_error(L, "not enough memory");
    int descriptor = tapline_lua_open_below(folder, name);
    if (descriptor == -EXDEV || descriptor == -ELOOP) {
        luaL_error(L, "respond: file is outside of the configuration's folder");
    }
    if (descriptor < 0) {
        luaL_error(
            L, "respond: file cannot be read: %s",
            descriptor == -EISDIR ? "not a regular file" : strerror(-descriptor));
    }
    if (tapline_lua_is_protected_file(lua, folder, name, descriptor)) {
        close(descriptor);
        luaL_error(L, "respond: file is a key file of this pipeline, which is never sent");
    }
    const char *reason;
    cached_file *file = load(lua, name, descriptor, &reason);
    close(descriptor);
    if (file == NULL) luaL_error(L, "respond: file %s", reason);
    file->used = ++lua->extras.files->clock;
    charge(L, (uint64_t)file->status.st_size / 64);
    return (bytes){file->content, (size_t)file->status.st_size};
}

const char *tapline_lua_media_type_of(bytes path) {
    static const struct {
        const char *ending, *type;
    } types[] = {
        {"json", "application/json"},    {"html", "text/html; charset=utf-8"},
        {"htm", "text/html; charset=utf-8"}, {"txt", "text/plain; charset=utf-8"},
        {"css", "text/css; charset=utf-8"},  {"js", "text/javascript; charset=utf-8"},
        {"mjs", "text/javascript; charset=utf-8"}, {"csv", "text/csv; charset=utf-8"},
        {"md", "text/markdown; charset=utf-8"}, {"xml", "application/xml"},
        {"yaml", "application/yaml"},    {"yml", "application/yaml"},
        {"ndjson", "application/x-ndjson"}, {"pdf", "application/pdf"},
        {"wasm", "application/wasm"},    {"zip", "application/zip"},
        {"gz", "application/gzip"},      {"svg", "image/svg+xml"},
        {"png", "image/png"},            {"jpg", "image/jpeg"},
        {"jpeg", "image/jpeg"},          {"gif", "image/gif"},
        {"webp", "image/webp"},          {"ico", "image/x-icon"},
        {"woff2", "font/woff2"},         {"mp4", "video/mp4"},
    };
    size_t start = path.count;
    while (start > 0 && path.bytes[start - 1] != '.' && path.bytes[start - 1] != '/') start--;
    if (start > 0 && path.bytes[start - 1] == '.') {
        bytes ending = {path.bytes + start, path.count - start};
        for (size_t index = 0; index < sizeof types / sizeof *types; index++) {
            bytes known = {(const uint8_t *)types[index].ending, strlen(types[index].ending)};
            if (tapline_lua_bytes_equal_ignoring_case(ending, known)) return types[index].type;
        }
    }
    return "application/octet-stream";
}
