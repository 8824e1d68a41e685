// SPDX-License-Identifier: MIT
//
// Publishes messages to a JetStream stream as fast as the client library does, and waits for all
// acknowledgements: the rate that a pipeline is compared with.   streams_publish URL STREAM SUBJECT COUNT SIZE PENDING

#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void acknowledged(jsCtx *js, natsMsg *msg, jsPubAck *ack, jsPubAckErr *error, void *closure) {
    (void)js, (void)ack, (void)closure;
    if (error != NULL) failures++;
    natsMsg_Destroy(msg);
}

int main(int argc, char **argv) {
    if (argc != 7) return 64;
    const int count = atoi(argv[4]), size = atoi(argv[5]);
    natsConnection *connection = NULL;
    jsCtx *js = NULL;
    jsOptions options;
    jsOptions_Init(&options);
    options.PublishAsync.MaxPending = atoi(argv[6]);
    options.PublishAsync.StallWait = 10000;
    options.PublishAsync.AckHandler = acknowledged;
    char *payload = malloc((size_t)size);
    memset(payload, 'x', (size_t)size);
    if (natsConnection_ConnectTo(&connection, argv[1]) != NATS_OK
        || natsConnection_JetStream(&js, connection, &options) != NATS_OK) {
        fprintf(stderr, "streams_publish: cannot connect\n");
        return 1;
    }
    const int64_t begin = nats_NowInNanoSeconds();
    for (int number = 0; number < count; number++) {
        char id[40];
        natsMsg *message = NULL;
        jsPubOptions one;
        jsPubOptions_Init(&one);
        snprintf(id, sizeof id, "%lld-%d", (long long)begin, number);
        one.MsgId = id;
        one.ExpectStream = argv[2];
        one.MaxWait = 10000;
        natsMsg_Create(&message, argv[3], NULL, payload, size);
        natsStatus status = js_PublishMsgAsync(js, &message, &one);
        natsMsg_Destroy(message);
        if (status != NATS_OK) {
            fprintf(stderr, "streams_publish: %s\n", natsStatus_GetText(status));
            return 1;
        }
    }
    const natsStatus status = js_PublishAsyncComplete(js, NULL);
    const double seconds = (double)(nats_NowInNanoSeconds() - begin) / 1e9;
    if (status != NATS_OK || failures > 0) {
        fprintf(stderr, "streams_publish: %s, %d failures\n", natsStatus_GetText(status), failures);
        return 1;
    }
    printf("%.6f\n", seconds);
    return 0;
}
