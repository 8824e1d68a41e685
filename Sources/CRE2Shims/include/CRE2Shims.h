// SPDX-License-Identifier: MIT
//
// A C interface to RE2. No exception leaves it, nothing is logged, and a compiled pattern may
// be used by any number of threads at once.

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
    int64_t max_memory;     // bytes for the program and its automata; RE2's own default where 0
    int32_t max_program;    // instructions; unlimited where 0
} tapline_re2_options;

// Where one group matched; start is -1 for a group that took no part.
typedef struct {
    ptrdiff_t start;
    ptrdiff_t end;
} tapline_re2_range;

// Why a pattern was refused: `message` and `token` (the offending part of the pattern, possibly
// cut) are NUL-terminated; token_length counts the whole token.
typedef struct {
    char message[96];
    char token[96];
    size_t token_length;
    int32_t program_size;   // set when only max_program was exceeded
} tapline_re2_error;

// Compiles a pattern; NULL, with *error filled in, where that is not possible.
tapline_re2_pattern *tapline_re2_compile(
    const char *text, size_t length, tapline_re2_options options, tapline_re2_error *error);

void tapline_re2_free(tapline_re2_pattern *pattern);

// The number of capturing groups, the whole match not counted.
int32_t tapline_re2_group_count(const tapline_re2_pattern *pattern);

// The size of the compiled program in instructions.
int32_t tapline_re2_program_size(const tapline_re2_pattern *pattern);

// The name of group `index`, or NULL where it has none; lives as long as the pattern.
const char *tapline_re2_group_name(
    const tapline_re2_pattern *pattern, int32_t index, size_t *length);

// Searches text[from, length) with the text before `from` as context for ^ and \b.
// Fills `count` ranges, the whole match first; count 0 is the cheapest.
bool tapline_re2_search(
    const tapline_re2_pattern *pattern, const char *text, size_t length, size_t from,
    tapline_re2_range *ranges, int32_t count);

#ifdef __cplusplus
}
#endif
