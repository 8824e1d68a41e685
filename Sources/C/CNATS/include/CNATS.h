// SPDX-License-Identifier: MIT

#pragma once

#include "functions.h"

#include <CLoading.h>
#include <stdbool.h>
#include <string.h>

TAPLINE_NATS_FUNCTIONS(TAPLINE_RENAMED)
#include <nats/nats.h>

// Loads libnats of the version that the header has. Returns whether that succeeds; if not, `error`
// contains the reason. No other function may be called before.
bool tapline_nats_load(char *error, size_t size);

// The name of the library's file, with the version of its interface.
const char *tapline_nats_library(void);

#define TAPLINE_NATS_MAX_SERVERS 64

// Sets the servers, which end with a zero byte each; the library copies them.
static inline natsStatus tapline_nats_set_servers(
    natsOptions *options, const unsigned char *urls, size_t length
) {
    const char *servers[TAPLINE_NATS_MAX_SERVERS];
    int count = 0;
    size_t position = 0;
    while (position < length && count < TAPLINE_NATS_MAX_SERVERS) {
        servers[count] = (const char *)urls + position;
        position += strlen(servers[count++]) + 1;
    }
    return natsOptions_SetServers(options, servers, count);
}

// A JetStream context. With a handler, each of its asynchronous publishes ends in one call of it.
static inline natsStatus tapline_nats_context(
    jsCtx **context, natsConnection *connection, int64_t wait, int64_t max_pending,
    jsPubAckHandler handler, void *closure
) {
    jsOptions options;
    natsStatus status = jsOptions_Init(&options);
    if (status != NATS_OK) return status;
    options.Wait = wait;
    if (handler != NULL) {
        options.PublishAsync.MaxPending = max_pending;
        options.PublishAsync.StallWait = wait;
        options.PublishAsync.AckHandler = handler;
        options.PublishAsync.AckHandlerClosure = closure;
    }
    return natsConnection_JetStream(context, connection, &options);
}

// Begins to publish a message, whose parts are copied. The handler is called only after NATS_OK.
static inline natsStatus tapline_nats_publish(
    jsCtx *context, const unsigned char *subject, const unsigned char *id, const char *stream,
    const void *payload, int length, int64_t wait
) {
    natsMsg *message = NULL;
    jsPubOptions options;
    natsStatus status = jsPubOptions_Init(&options);
    if (status == NATS_OK)
        status = natsMsg_Create(&message, (const char *)subject, NULL, (const char *)payload, length);
    if (status != NATS_OK) return status;
    options.MaxWait = wait;
    options.MsgId = (const char *)id;
    options.ExpectStream = stream;
    status = js_PublishMsgAsync(context, &message, &options);
    // NULL if the library has taken the message.
    natsMsg_Destroy(message);
    return status;
}

// The id of a message that was published, or NULL.
static inline const char *tapline_nats_message_id(natsMsg *message) {
    const char *id = NULL;
    return natsMsgHeader_Get(message, "Nats-Msg-Id", &id) == NATS_OK ? id : NULL;
}

// Publishes one payload to each of the subjects, which end with a zero byte each.
static inline natsStatus tapline_nats_answer(
    natsConnection *connection, const unsigned char *subjects, size_t length, const char *payload
) {
    const size_t size = strlen(payload);
    size_t position = 0;
    while (position < length) {
        const char *subject = (const char *)subjects + position;
        natsStatus status = natsConnection_Publish(connection, subject, payload, (int)size);
        if (status != NATS_OK) return status;
        position += strlen(subject) + 1;
    }
    return NATS_OK;
}

// What a stream is created with; limits are -1 if there are none. Times are nanoseconds.
typedef struct tapline_nats_stream {
    int in_memory, discards_new;
    int64_t replicas, max_bytes, max_messages, max_age, duplicate_window;
} tapline_nats_stream;

static inline natsStatus tapline_nats_add_stream(
    jsCtx *context, const char *name, const char *subject, tapline_nats_stream settings,
    jsErrCode *code
) {
    jsStreamConfig config;
    const char *subjects[] = {subject};
    natsStatus status = jsStreamConfig_Init(&config);
    if (status != NATS_OK) return status;
    config.Name = name;
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.Storage = settings.in_memory ? js_MemoryStorage : js_FileStorage;
    config.Discard = settings.discards_new ? js_DiscardNew : js_DiscardOld;
    config.Replicas = settings.replicas;
    config.MaxBytes = settings.max_bytes;
    config.MaxMsgs = settings.max_messages;
    config.MaxAge = settings.max_age;
    config.Duplicates = settings.duplicate_window;
    return js_AddStream(NULL, context, &config, NULL, code);
}

static inline natsStatus tapline_nats_add_consumer(
    jsCtx *context, const char *stream, const char *name, const char *filter, int only_new,
    int64_t ack_wait, int64_t max_unacknowledged, jsErrCode *code
) {
    jsConsumerConfig config;
    natsStatus status = jsConsumerConfig_Init(&config);
    if (status != NATS_OK) return status;
    config.Durable = name;
    config.FilterSubject = filter;
    config.DeliverPolicy = only_new ? js_DeliverNew : js_DeliverAll;
    config.AckPolicy = js_AckExplicit;
    config.AckWait = ack_wait;
    config.MaxAckPending = max_unacknowledged;
    return js_AddConsumer(NULL, context, stream, &config, NULL, code);
}

// Binds to a consumer that exists, so that it is not deleted with the subscription.
static inline natsStatus tapline_nats_pull(
    natsSubscription **subscription, jsCtx *context, const char *stream, const char *consumer,
    jsErrCode *code
) {
    jsSubOptions options;
    natsStatus status = jsSubOptions_Init(&options);
    if (status != NATS_OK) return status;
    options.Stream = stream;
    options.Consumer = consumer;
    options.ManualAck = true;
    return js_PullSubscribe(subscription, context, NULL, NULL, NULL, &options, code);
}
