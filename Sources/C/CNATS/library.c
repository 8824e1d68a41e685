// SPDX-License-Identifier: MIT

#include "CNATS.h"

// Its interface changes with the second number, which is why Debian's name of the file contains it.
#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number
#define LIBRARY "libnats.so." TEXT(NATS_VERSION_MAJOR) "." TEXT(NATS_VERSION_MINOR)

static void unloaded(void) { tapline_abort_unloaded(LIBRARY); }

TAPLINE_NATS_FUNCTIONS(TAPLINE_STUB)

static const tapline_function functions[] = {TAPLINE_NATS_FUNCTIONS(TAPLINE_ENTRY)};

bool tapline_nats_load(char *error, size_t size) {
    return tapline_load(LIBRARY, functions, sizeof functions / sizeof functions[0], error, size);
}

const char *tapline_nats_library(void) { return LIBRARY; }
