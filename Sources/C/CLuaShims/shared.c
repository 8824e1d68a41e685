// SPDX-License-Identifier: MIT

// `shared`: a bounded store of keys and values that the lanes of a script share. Values are copied
// in and out, a lock guards each operation, and nothing raises while it is held. When the store is
// full, it evicts expired entries first, then the least recently used ones.

#include "internal.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

enum {
    FIRST_BUCKETS = 64,
    MAX_KEY_BYTES = 1024,
    /// The size of an entry in addition to its key and value.
    ENTRY_BYTES = 128,
    /// The number of entries checked for expiry when the store is full.
    EXPIRY_STEPS = 32,
};

/// `KIND_ABSENT` is that of a key that a preview has deleted.
typedef enum kind { KIND_BOOLEAN, KIND_INTEGER, KIND_NUMBER, KIND_TEXT, KIND_ABSENT } kind;

typedef struct value {
    kind kind;
    union {
        bool boolean;
        int64_t integer;
        double number;
        bytes text;
    };
} value;

typedef struct item {
    struct item *next_in_bucket;
    /// The neighbors in the order of use: `newer` was used later.
    struct item *older, *newer;
    uint64_t hash;
    /// In microseconds since 1970; INT64_MAX for never.
    int64_t expires;
    value value;
    size_t key_count, size;
    /// The key, followed by the value if it is a text.
    uint8_t data[];
} item;

struct tapline_lua_shared {
    pthread_mutex_t lock;
    size_t limit, used;
    item *oldest, *newest;
    uint64_t secret;
    /// A power of two of buckets, which grows with the entries.
    item **buckets;
    size_t bucket_count, item_count;
};

// MARK: - The store (called with the lock held)

/// FNV-1a with a secret seed, so that traffic cannot target a single bucket.
static uint64_t hash_of(const tapline_lua_shared *store, bytes key) {
    uint64_t hash = 0xCBF29CE484222325u ^ store->secret;
    for (size_t index = 0; index < key.count; index++) {
        hash = (hash ^ key.bytes[index]) * 0x100000001B3u;
    }
    hash ^= hash >> 29;
    hash *= 0xBF58476D1CE4E5B9u;
    return hash ^ hash >> 32;
}

static item **bucket_of(const tapline_lua_shared *store, uint64_t hash) {
    return &store->buckets[hash & (store->bucket_count - 1)];
}

/// Doubles the buckets if there are as many entries; if memory is exhausted, chains get longer.
static void grow_buckets(tapline_lua_shared *store) {
    if (store->item_count < store->bucket_count) return;
    item **grown = calloc(store->bucket_count * 2, sizeof *grown);
    if (grown == NULL) return;
    free(store->buckets);
    store->buckets = grown;
    store->bucket_count *= 2;
    for (item *entry = store->oldest; entry != NULL; entry = entry->newer) {
        item **place = bucket_of(store, entry->hash);
        entry->next_in_bucket = *place;
        *place = entry;
    }
}

static void unlink_item(tapline_lua_shared *store, item *entry) {
    if (entry->older == NULL) {
        store->oldest = entry->newer;
    } else {
        entry->older->newer = entry->newer;
    }
    if (entry->newer == NULL) {
        store->newest = entry->older;
    } else {
        entry->newer->older = entry->older;
    }
}

static void link_newest(tapline_lua_shared *store, item *entry) {
    entry->older = store->newest;
    entry->newer = NULL;
    if (store->newest == NULL) {
        store->oldest = entry;
    } else {
        store->newest->newer = entry;
    }
    store->newest = entry;
}

static void remove_item(tapline_lua_shared *store, item *entry) {
    item **place = bucket_of(store, entry->hash);
    while (*place != entry) place = &(*place)->next_in_bucket;
    *place = entry->next_in_bucket;
    unlink_item(store, entry);
    store->used -= entry->size;
    store->item_count--;
    free(entry);
}

/// The entry of a key; NULL if it is absent or expired.
static item *find_item(tapline_lua_shared *store, bytes key, uint64_t hash, int64_t now) {
    for (item *entry = *bucket_of(store, hash); entry; entry = entry->next_in_bucket) {
        if (entry->hash != hash || entry->key_count != key.count ||
            memcmp(entry->data, key.bytes, key.count) != 0) {
            continue;
        }
        if (entry->expires > now) return entry;
        remove_item(store, entry);
        return NULL;
    }
    return NULL;
}

static size_t size_of(bytes key, const value *what) {
    return ENTRY_BYTES + key.count + (what->kind == KIND_TEXT ? what->text.count : 0);
}

static void make_room(tapline_lua_shared *store, size_t size, int64_t now) {
    item *next = store->oldest;
    for (int step = 0; step < EXPIRY_STEPS && next && store->used > store->limit - size; step++) {
        item *entry = next;
        next = entry->newer;
        if (entry->expires <= now) remove_item(store, entry);
    }
    while (store->oldest != NULL && store->used > store->limit - size) {
        remove_item(store, store->oldest);
    }
}

/// Stores a value, which must fit; returns false if memory is exhausted.
static bool put(
    tapline_lua_shared *store, bytes key, const value *what, int64_t expires, int64_t now) {
    uint64_t hash = hash_of(store, key);
    size_t size = size_of(key, what);
    size_t text = what->kind == KIND_TEXT ? what->text.count : 0;
    item *entry = malloc(sizeof *entry + key.count + text);
    if (entry == NULL) return false;
    item *former = find_item(store, key, hash, now);
    if (former != NULL) remove_item(store, former);
    make_room(store, size, now);
    entry->hash = hash;
    entry->expires = expires;
    entry->value = *what;
    entry->key_count = key.count;
    entry->size = size;
    memcpy(entry->data, key.bytes, key.count);
    if (text > 0) memcpy(entry->data + key.count, what->text.bytes, text);
    if (what->kind == KIND_TEXT) entry->value.text.bytes = entry->data + key.count;
    item **place = bucket_of(store, hash);
    entry->next_in_bucket = *place;
    *place = entry;
    link_newest(store, entry);
    store->used += size;
    store->item_count++;
    grow_buckets(store);
    return true;
}

// MARK: - Creation

tapline_lua_shared *tapline_lua_shared_create(size_t max_bytes) {
    tapline_lua_shared *store = calloc(1, sizeof *store);
    if (store == NULL) return NULL;
    store->bucket_count = FIRST_BUCKETS;
    store->buckets = calloc(FIRST_BUCKETS, sizeof *store->buckets);
    if (store->buckets == NULL || pthread_mutex_init(&store->lock, NULL) != 0) {
        free(store->buckets);
        free(store);
        return NULL;
    }
    store->limit = max_bytes;
    if (getrandom(&store->secret, sizeof store->secret, 0) != sizeof store->secret) {
        store->secret = (uint64_t)(uintptr_t)store;
    }
    return store;
}

void tapline_lua_shared_destroy(tapline_lua_shared *store) {
    if (store == NULL) return;
    while (store->oldest != NULL) remove_item(store, store->oldest);
    pthread_mutex_destroy(&store->lock);
    free(store->buckets);
    free(store);
}

size_t tapline_lua_shared_used(tapline_lua_shared *store) {
    pthread_mutex_lock(&store->lock);
    size_t used = store->used;
    pthread_mutex_unlock(&store->lock);
    return used;
}

// MARK: - The library (nothing raises while the lock is held)

static tapline_lua_shared *store_of(lua_State *L) {
    tapline_lua_shared *store = vm_of(L)->extras.shared;
    if (store == NULL) luaL_error(L, "there is no shared store here");
    charge(L, 20);
    return store;
}

/// Whether the store must stay as it is; changes go to a store of the preview, which hides it.
static bool is_preview(lua_State *L) { return vm_of(L)->extras.is_preview; }

/// The entry of a key as the script sees it; NULL if it is absent, deleted or expired.
static item *find_visible(lua_State *L, tapline_lua_shared *store, bytes key, int64_t now) {
    tapline_lua_shared *changes = vm_of(L)->extras.changes;
    if (changes != NULL) {
        item *entry = find_item(changes, key, hash_of(changes, key), now);
        if (entry != NULL) return entry->value.kind == KIND_ABSENT ? NULL : entry;
    }
    return find_item(store, key, hash_of(store, key), now);
}

/// Stores a value, which must fit, or notes it if this is a preview; returns false if memory is
/// exhausted.
static bool put_visible(
    lua_State *L, tapline_lua_shared *store, bytes key, const value *what, int64_t expires,
    int64_t now) {
    if (!is_preview(L)) return put(store, key, what, expires, now);
    extras *own = &vm_of(L)->extras;
    if (own->changes == NULL) own->changes = tapline_lua_shared_create(store->limit);
    return own->changes != NULL && put(own->changes, key, what, expires, now);
}

static bytes key_argument(lua_State *L) {
    bytes key = tapline_lua_string_argument(L, 1, "key");
    if (key.count > MAX_KEY_BYTES) luaL_error(L, "key is longer than %d bytes", MAX_KEY_BYTES);
    return key;
}

static value value_argument(lua_State *L, int index) {
    value result = {.kind = KIND_BOOLEAN};
    switch (lua_type(L, index)) {
    case LUA_TBOOLEAN: result.boolean = lua_toboolean(L, index); break;
    case LUA_TNUMBER:
        result.kind = lua_isinteger(L, index) ? KIND_INTEGER : KIND_NUMBER;
        if (result.kind == KIND_INTEGER) {
            result.integer = lua_tointeger(L, index);
        } else {
            result.number = lua_tonumber(L, index);
        }
        break;
    case LUA_TSTRING:
        result.kind = KIND_TEXT;
        result.text = bytes_at(L, index);
        break;
    default:
        luaL_error(
            L, "shared value is a %s; expected a string, number or boolean",
            luaL_typename(L, index));
    }
    return result;
}

/// The expiry time of an entry, from an argument in seconds.
static int64_t expiry_argument(lua_State *L, int index, int64_t now) {
    if (lua_isnoneornil(L, index)) return INT64_MAX;
    int is_number = 0;
    lua_Number seconds = lua_tonumberx(L, index, &is_number);
    // Written so that NaN is also refused.
    if (!is_number || !(seconds > 0)) luaL_error(L, "ttl is invalid; expected seconds above 0");
    if (seconds > 1e12) return INT64_MAX;
    return now + (int64_t)ceil(seconds * 1e6);
}

static void check_size(lua_State *L, const tapline_lua_shared *store, bytes key, const value *what) {
    size_t size = size_of(key, what);
    charge(L, size / 16);
    if (size > store->limit) {
        luaL_error(L, "shared value does not fit in the store; raise option 'shared_max_bytes'");
    }
}

static int shared_get(lua_State *L) {
    tapline_lua_shared *store = store_of(L);
    bytes key = key_argument(L);
    int64_t now = tapline_lua_current_time(L);
    // Memory for a text is allocated first, because allocating may raise.
    size_t room = 256;
    while (true) {
        uint8_t small[256];
        uint8_t *text = room > sizeof small ? lua_newuserdatauv(L, room, 0) : small;
        value found = {.kind = KIND_BOOLEAN};
        pthread_mutex_lock(&store->lock);
        item *entry = find_visible(L, store, key, now);
        if (entry != NULL) {
            found = entry->value;
            if (found.kind == KIND_TEXT && found.text.count <= room) {
                memcpy(text, found.text.bytes, found.text.count);
            }
            if (!is_preview(L)) {
                unlink_item(store, entry);
                link_newest(store, entry);
            }
        }
        pthread_mutex_unlock(&store->lock);
        if (entry == NULL) {
            lua_pushnil(L);
        } else if (found.kind == KIND_BOOLEAN) {
            lua_pushboolean(L, found.boolean);
        } else if (found.kind == KIND_INTEGER) {
            lua_pushinteger(L, found.integer);
        } else if (found.kind == KIND_NUMBER) {
            lua_pushnumber(L, found.number);
        } else if (found.text.count <= room) {
            lua_pushlstring(L, (const char *)text, found.text.count);
        } else {
            // The entry is looked up again, because it may have changed meanwhile.
            charge(L, found.text.count / 16);
            room = found.text.count;
            lua_settop(L, 1);
            continue;
        }
        return 1;
    }
}

static int shared_delete(lua_State *L) {
    tapline_lua_shared *store = store_of(L);
    bytes key = key_argument(L);
    int64_t now = tapline_lua_current_time(L);
    pthread_mutex_lock(&store->lock);
    item *entry = find_visible(L, store, key, now);
    bool is_there = entry != NULL, done = true;
    if (is_there && is_preview(L)) {
        value absent = {.kind = KIND_ABSENT};
        done = put_visible(L, store, key, &absent, INT64_MAX, now);
    } else if (is_there) {
        remove_item(store, entry);
    }
    pthread_mutex_unlock(&store->lock);
    if (!done) return luaL_error(L, "not enough memory");
    lua_pushboolean(L, is_there);
    return 1;
}

static int store_value(lua_State *L, bool only_new) {
    tapline_lua_shared *store = store_of(L);
    bytes key = key_argument(L);
    value what = value_argument(L, 2);
    int64_t now = tapline_lua_current_time(L);
    int64_t expires = expiry_argument(L, 3, now);
    check_size(L, store, key, &what);
    pthread_mutex_lock(&store->lock);
    bool taken = only_new && find_visible(L, store, key, now) != NULL;
    bool stored = !taken && put_visible(L, store, key, &what, expires, now);
    pthread_mutex_unlock(&store->lock);
    if (!stored && !taken) return luaL_error(L, "not enough memory");
    lua_pushboolean(L, stored);
    return 1;
}

static int shared_set(lua_State *L) {
    luaL_checkany(L, 2);
    return lua_isnil(L, 2) ? shared_delete(L) : store_value(L, false);
}

static int shared_add(lua_State *L) { return store_value(L, true); }

/// Adds to a number, or creates it at 0; its time to live counts from its creation.
static int shared_incr(lua_State *L) {
    tapline_lua_shared *store = store_of(L);
    bytes key = key_argument(L);
    value step = {.kind = KIND_INTEGER, .integer = 1};
    if (!lua_isnoneornil(L, 2)) step = value_argument(L, 2);
    if (step.kind != KIND_INTEGER && step.kind != KIND_NUMBER) {
        return luaL_error(L, "step is a %s; expected a number", luaL_typename(L, 2));
    }
    int64_t now = tapline_lua_current_time(L);
    int64_t expires = expiry_argument(L, 3, now);
    check_size(L, store, key, &step);
    value result = step;
    bool fits = true, done = true;
    pthread_mutex_lock(&store->lock);
    item *entry = find_visible(L, store, key, now);
    if (entry == NULL) {
        done = put_visible(L, store, key, &step, expires, now);
    } else {
        result = entry->value;
        fits = result.kind == KIND_INTEGER || result.kind == KIND_NUMBER;
        if (result.kind == KIND_INTEGER && step.kind == KIND_INTEGER) {
            // Wraps around, like integers in Lua.
            result.integer = (int64_t)((uint64_t)result.integer + (uint64_t)step.integer);
        } else if (fits) {
            double left = result.kind == KIND_INTEGER ? (double)result.integer : result.number;
            double right = step.kind == KIND_INTEGER ? (double)step.integer : step.number;
            result = (value){.kind = KIND_NUMBER, .number = left + right};
        }
        if (is_preview(L)) {
            if (fits) done = put_visible(L, store, key, &result, entry->expires, now);
        } else {
            if (fits) entry->value = result;
            unlink_item(store, entry);
            link_newest(store, entry);
        }
    }
    pthread_mutex_unlock(&store->lock);
    if (!done) return luaL_error(L, "not enough memory");
    if (!fits) return luaL_error(L, "shared value is not a number; expected a number to add to");
    if (result.kind == KIND_INTEGER) {
        lua_pushinteger(L, result.integer);
    } else {
        lua_pushnumber(L, result.number);
    }
    return 1;
}

void tapline_lua_open_shared(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"get", shared_get},       {"set", shared_set},   {"add", shared_add},
        {"delete", shared_delete}, {"incr", shared_incr}, {NULL, NULL},
    };
    luaL_newlib(L, functions);
    lua_setglobal(L, "shared");
}
