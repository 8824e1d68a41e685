// SPDX-License-Identifier: MIT
//
// A C interface to RE2. It throws no exceptions and logs nothing, and any number of threads may use
// a compiled pattern concurrently.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tapline_re2_pattern tapline_re2_pattern;

typedef struct {
    bool case_insensitive;
    bool dot_matches_newline;
    bool latin1;            // one byte is one character; otherwise UTF-8
    int64_t max_memory;     // bytes for the program and its automata; 0 for RE2's default
    int32_t max_program;    // instructions; 0 for no limit
} tapline_re2_options;

// The range that a group matched; start is -1 for a group that did not participate.
typedef struct {
    ptrdiff_t start;
    ptrdiff_t end;
} tapline_re2_range;

// Why a pattern was refused. `message` and `token` (the offending part of the pattern, possibly
// truncated) are NUL-terminated; token_length is the length of the whole token.
typedef struct {
    char message[96];
    char token[96];
    size_t token_length;
    int32_t program_size;   // set when only max_program was exceeded
} tapline_re2_error;

// Compiles a pattern; returns NULL and sets *error if that fails.
tapline_re2_pattern *tapline_re2_compile(
    const char *text, size_t length, tapline_re2_options options, tapline_re2_error *error);

void tapline_re2_free(tapline_re2_pattern *pattern);

// The number of capturing groups, not including the whole match.
int32_t tapline_re2_group_count(const tapline_re2_pattern *pattern);

// The size of the compiled program in instructions.
int32_t tapline_re2_program_size(const tapline_re2_pattern *pattern);

// The name of group `index`; NULL if it has none. Lives as long as the pattern.
const char *tapline_re2_group_name(
    const tapline_re2_pattern *pattern, int32_t index, size_t *length);

// Searches text[from, length) with the text before `from` as context for ^ and \b.
// Fills `count` ranges, the whole match first; count 0 is the fastest.
bool tapline_re2_search(
    const tapline_re2_pattern *pattern, const char *text, size_t length, size_t from,
    tapline_re2_range *ranges, int32_t count);

#ifdef __cplusplus
}
#endif
