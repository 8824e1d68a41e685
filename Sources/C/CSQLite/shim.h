// SPDX-License-Identifier: MIT

#pragma once

#include <sqlite3.h>
#include <stddef.h>

// <string.h> declares it only for _GNU_SOURCE, which is not set where Swift imports this header.
void *memmem(const void *haystack, size_t length, const void *needle, size_t wanted);

// SQLITE_TRANSIENT is a cast that Swift cannot import, and sqlite3_db_config is variadic.
static inline int tapline_bind_text_copy(
    sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int tapline_bind_blob_copy(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_TRANSIENT);
}

static inline int tapline_configure(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}

// tapline_contains(HAYSTACK, NEEDLE): whether bytes occur in a text or a blob; NULL if one is NULL.
// It compares bytes as instr() does for blobs, by the C library's search.
static inline void tapline_sql_contains(
    sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL ||
        sqlite3_value_type(values[1]) == SQLITE_NULL) return;
    // The pointer comes first, as https://sqlite.org/c3ref/value_blob.html demands.
    const void *haystack = sqlite3_value_blob(values[0]);
    const int length = sqlite3_value_bytes(values[0]);
    const void *needle = sqlite3_value_blob(values[1]);
    const int wanted = sqlite3_value_bytes(values[1]);
    const int holds =
        wanted == 0 || (length >= wanted && memmem(haystack, length, needle, wanted) != 0);
    sqlite3_result_int(context, holds);
}

static inline int tapline_add_functions(sqlite3 *connection) {
    return sqlite3_create_function_v2(
        connection, "tapline_contains", 2,
        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, 0,
        tapline_sql_contains, 0, 0, 0);
}

// Waits until the write-ahead log is on disk. Only this header can call through a table of functions.
static inline int tapline_sync_log(sqlite3 *connection) {
    sqlite3_file *log = 0;
    int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (status != SQLITE_OK || log == 0 || log->pMethods == 0) return status;
    return log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
}

// sqlite3_config is variadic.
static inline int tapline_disable_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
