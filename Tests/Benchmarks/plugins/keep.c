// SPDX-License-Identifier: MIT
//
// A stage that keeps every record, for figures of the protocol alone.
//
//     cc -O2 -o keep keep.c

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char input[1 << 20], output[1 << 16];
static size_t filled, written;

static void flush(void) {
    for (size_t at = 0; at < written;) {
        ssize_t count = write(1, output + at, written - at);
        if (count <= 0) exit(1);
        at += (size_t)count;
    }
    written = 0;
}

/// Answers one line, which begins with `{"n":NUMBER` except for the hello and the end.
static void answer(const char *line, const char *end) {
    if (written > sizeof output - 256) flush();
    char *out = output + written;
    if (end - line > 6 && memcmp(line, "{\"n\":", 5) == 0) {
        const char *digit = line + 5;
        while (digit < end && *digit >= '0' && *digit <= '9') digit++;
        int length = (int)(digit - line);
        const char *verdict = memmem(line, (size_t)(end - line > 64 ? 64 : end - line), "\"hook\"", 6) != NULL
            ? ",\"verdict\":\"pass\"}\n" : ",\"keep\":true}\n";
        written += (size_t)sprintf(out, "%.*s%s", length, line, verdict);
    } else if (strncmp(line, "{\"tapline\":\"hello\"", 18) == 0) {
        written += (size_t)sprintf(out, "{\"tapline\":\"hello\",\"protocol\":1,\"name\":\"keep\"}\n");
    }
}

int main(void) {
    int skips = 0;
    for (;;) {
        ssize_t count = read(0, input + filled, sizeof input - filled);
        if (count <= 0) return 0;
        filled += (size_t)count;
        char *line = input, *end;
        while ((end = memchr(line, '\n', filled - (size_t)(line - input))) != NULL) {
            if (!skips) answer(line, end);
            skips = 0;
            line = end + 1;
        }
        filled -= (size_t)(line - input);
        memmove(input, line, filled);
        if (filled == sizeof input) {
            // The start of a long line is enough.
            if (!skips) answer(input, input + filled);
            skips = 1;
            filled = 0;
        }
        flush();
    }
}
