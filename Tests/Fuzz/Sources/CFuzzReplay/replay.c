// SPDX-License-Identifier: MIT
//
// The `main` of the fuzz targets where libFuzzer is not linked: passes them the inputs of a folder,
// then random changes of these for some seconds. A build for libFuzzer is a build of the whole project;
// the other checks need that of this program anyway.
//
//   fuzz FOLDER SECONDS FAILURE      writes the input that ended the process to the file FAILURE

#include "fuzz_replay.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { max_inputs = 16384, max_length = 4096 };

static struct input {
    uint8_t *bytes;
    size_t count;
} inputs[max_inputs];
static size_t input_count;

// The input that the target has now, for the signal handler.
static const uint8_t *current;
static size_t current_count;
static const char *failure_path;

static void keep_failure(int signal_number) {
    int file = open(failure_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0 && write(file, current, current_count) == (ssize_t)current_count) close(file);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void run(const uint8_t *bytes, size_t count) {
    current = bytes;
    current_count = count;
    LLVMFuzzerTestOneInput(bytes, count);
}

static void load(const char *folder) {
    DIR *directory = opendir(folder);
    if (!directory) {
        perror(folder);
        exit(1);
    }
    for (struct dirent *entry; input_count < max_inputs && (entry = readdir(directory));) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "rb");
        struct stat status;
        if (!file) continue;
        if (!fstat(fileno(file), &status) && S_ISREG(status.st_mode)) {
            uint8_t *bytes = malloc(max_length);
            if (!bytes) exit(1);
            inputs[input_count++] = (struct input){bytes, fread(bytes, 1, max_length, file)};
        }
        fclose(file);
    }
    closedir(directory);
}

// A xorshift generator with a fixed seed: a run can be repeated.
static uint64_t random_state = 0x9e3779b97f4a7c15;

static size_t below(size_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return limit ? random_state % limit : 0;
}

// Changes a byte, cuts the end off, removes or repeats a part, or inserts a part of another input.
static size_t change(uint8_t *bytes, size_t count) {
    size_t at = below(count), length = below(count - at) % 64;
    switch (below(5)) {
    case 0:
        if (count) bytes[at] = (uint8_t)below(256);
        return count;
    case 1: return at;
    case 2:
        memmove(bytes + at, bytes + at + length, count - at - length);
        return count - length;
    case 3:
        if (count + length > max_length) return count;
        memmove(bytes + at + length, bytes + at, count - at);
        return count + length;
    default: {
        struct input other = inputs[below(input_count)];
        size_t from = below(other.count), part = below(other.count - from) % 64;
        if (count + part > max_length) return count;
        memmove(bytes + at + part, bytes + at, count - at);
        memcpy(bytes + at, other.bytes + from, part);
        return count + part;
    }
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// SwiftPM makes this the `main` of the program `fuzz`, except in a build for libFuzzer.
int fuzz_main(int count, char **arguments);

int fuzz_main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: fuzz FOLDER SECONDS FAILURE\n");
        return 64;
    }
    failure_path = arguments[3];
    load(arguments[1]);
    if (!input_count) {
        fprintf(stderr, "%s has no inputs\n", arguments[1]);
        return 1;
    }
    const int fatal[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SIGALRM};
    for (size_t at = 0; at < sizeof fatal / sizeof *fatal; at++) signal(fatal[at], keep_failure);
    unsigned long runs = 0;
    for (; runs < input_count; runs++) {
        alarm(10);
        run(inputs[runs].bytes, inputs[runs].count);
    }
    static uint8_t bytes[max_length];
    for (double end = seconds() + atof(arguments[2]); seconds() < end; runs++) {
        struct input input = inputs[below(input_count)];
        memcpy(bytes, input.bytes, input.count);
        size_t length = input.count;
        for (size_t changes = below(4) + 1; changes; changes--) length = change(bytes, length);
        alarm(10);
        run(bytes, length);
    }
    // As libFuzzer prints it.
    fprintf(stderr, "stat::number_of_executed_units: %lu\n", runs);
    return 0;
}
