// SPDX-License-Identifier: MIT

#include "CKafka.h"

#define LIBRARY "librdkafka.so.1"

static void unloaded(void) { tapline_abort_unloaded(LIBRARY); }

TAPLINE_KAFKA_FUNCTIONS(TAPLINE_STUB)

static const tapline_function functions[] = {TAPLINE_KAFKA_FUNCTIONS(TAPLINE_ENTRY)};

bool tapline_kafka_load(char *error, size_t size) {
    return tapline_load(LIBRARY, functions, sizeof functions / sizeof functions[0], error, size);
}

const char *tapline_kafka_library(void) { return LIBRARY; }
