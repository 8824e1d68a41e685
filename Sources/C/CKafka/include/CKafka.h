// SPDX-License-Identifier: MIT

#pragma once

#include "functions.h"

#include <CLoading.h>
#include <stdbool.h>
#include <stddef.h>

TAPLINE_KAFKA_FUNCTIONS(TAPLINE_RENAMED)
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

// Loads librdkafka. Returns whether that succeeds; if not, `error` contains the reason. No other
// function may be called before.
bool tapline_kafka_load(char *error, size_t size);

// The name of the library's file, with the version of its interface.
const char *tapline_kafka_library(void);

// rd_kafka_producev is variadic. Key and value are copied; a key of NULL is none. The number comes
// back with the delivery report.
static inline rd_kafka_resp_err_t tapline_kafka_produce(
    rd_kafka_t *client, const char *topic, const void *key, size_t key_length, const void *value,
    size_t value_length, const char *header, const void *header_value, size_t header_length,
    size_t number) {
    return rd_kafka_producev(
        client, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
        RD_KAFKA_V_KEY(key, key_length), RD_KAFKA_V_VALUE((void *)value, value_length),
        RD_KAFKA_V_HEADER(header, header_value, (ssize_t)header_length),
        RD_KAFKA_V_OPAQUE((void *)number), RD_KAFKA_V_END);
}

// The number that was given to tapline_kafka_produce.
static inline size_t tapline_kafka_number(const rd_kafka_message_t *message) {
    return (size_t)message->_private;
}
