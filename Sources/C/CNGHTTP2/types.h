// SPDX-License-Identifier: MIT

#pragma once

// Included by shim.h, after its own includes.

// The kinds of events.
enum {
    tapline_h2_event_head,
    tapline_h2_event_data,
    tapline_h2_event_end,
    tapline_h2_event_closed,
    tapline_h2_event_drained,
    tapline_h2_event_reset_due,
    tapline_h2_event_trailers_due,
    tapline_h2_event_invalid,
    tapline_h2_event_going_away,
    tapline_h2_event_settings,
    tapline_h2_event_ping_ack,
};

// The kinds of frames that are counted for the budgets.
enum {
    tapline_h2_frame_reset,
    tapline_h2_frame_ping,
    tapline_h2_frame_settings,
    tapline_h2_frame_ignored,
    tapline_h2_frame_window_update,
    tapline_h2_frame_empty,
    tapline_h2_frame_useful,
    tapline_h2_frame_kinds,
};

// What nghttp2 refuses: a frame, a message of which some lines are missing and perhaps the refused
// one, the last line, or a message of which no line is refused.
typedef enum {
    tapline_h2_refused_frame,
    tapline_h2_refused_part,
    tapline_h2_refused_last,
    tapline_h2_refused_message,
} tapline_h2_refused;

// A field in the bytes of the session, laid out like FieldSection.Line.
typedef struct tapline_h2_line {
    uint32_t name_start, name_count, value_start, value_count;
} tapline_h2_line;

// The size of one direction of a stream.
typedef struct tapline_h2_count {
    uint64_t headers, fields, body, content;
} tapline_h2_count;

// A stream. Belongs to the session until `owner` is set, then to the owner, which frees it; to both if
// the session ends while nghttp2 still knows it.
typedef struct tapline_h2_stream {
    struct tapline_h2_stream *next, *previous;
    void *owner;
    // The content to be sent, and the amount of it at which the stream is full.
    uint8_t *queue;
    size_t start, count, capacity, mark;
    // The content that was received and not yet consumed.
    size_t unconsumed;
    // The size of the window for it, and what was consumed since the window has had this size.
    size_t window, consumed;
    tapline_h2_count received, sent;
    int32_t id;
    uint8_t is_closed, is_shared;
    // The message ends after the queue, with trailers.
    uint8_t ends, has_trailers;
    // nghttp2 waits for content.
    uint8_t is_deferred;
    // The owner waits until there is less content.
    uint8_t was_full;
    // What is received is discarded.
    uint8_t is_refused;
    // The peer has reset the stream.
    uint8_t was_reset;
    // Our message was sent, and the stream is reset then, since the peer need not end its own.
    uint8_t has_sent_end, resets_at_end;
} tapline_h2_stream;

// What happened. `start` and `count` are lines of a head or trailers, or content in the input; `size`
// is the decoded size of the lines, of which some are missing if it is larger than the session keeps.
typedef struct tapline_h2_event {
    tapline_h2_stream *stream;
    size_t start, count, size;
    uint32_t code;
    int32_t id;
    uint8_t kind;
    // The peer's message ends with the lines.
    uint8_t ends;
    // What nghttp2 has refused.
    uint8_t refused;
} tapline_h2_event;

// The number of streams that we have reset last, for which frames may still arrive.
enum { tapline_h2_remembered = 128 };

// A session: nghttp2's, the events since they were last read, and the fields of their heads.
typedef struct tapline_h2_session {
    nghttp2_session *session;
    tapline_h2_stream *live;
    // Streams that were given up while nghttp2 still knows them.
    tapline_h2_stream *abandoned;
    tapline_h2_event *events;
    size_t event_count, event_capacity;
    uint8_t *bytes;
    size_t byte_count, byte_capacity;
    tapline_h2_line *lines;
    size_t line_count, line_capacity;
    // The head that is being received: its first line, its decoded size with 32 bytes for each
    // field (RFC 9113 6.5.2), and its size on the wire.
    size_t block_line, block_size, block_wire, block_cookies, block_continuations;
    uint8_t in_block;
    // The last line is a field that nghttp2 refuses.
    uint8_t has_refused;
    // The decoded size that is kept, and the limit of CONTINUATION frames.
    size_t kept, continuations;
    // The window of a stream and the content at which it is full, at first and at most.
    size_t first_window, window, first_mark, mark;
    // How much more than at first all streams together may have, how much they have, and the maximum.
    size_t allowance, granted, most_granted;
    // The content that was received and not yet consumed, and what was consumed since `allowance` has
    // been the same.
    size_t unconsumed, consumed;
    const uint8_t *input;
    uint8_t *output;
    size_t output_count, output_capacity;
    // A frame of nghttp2 that found no room in the output.
    const uint8_t *waiting;
    size_t waiting_count;
    uint8_t has_more;
    nghttp2_nv *list;
    size_t list_capacity;
    uint32_t frames[tapline_h2_frame_kinds];
    // The code of the GOAWAY that was sent; only an error ends the session.
    uint32_t failure;
    // The reason in it, which is a text of nghttp2; otherwise empty.
    char reason[80];
    // A violation that nghttp2 overlooks, which stops it.
    uint32_t violation;
    uint8_t is_server;
    // Where the scan of a client's frames is: in a frame's head, or this many bytes before the next.
    uint8_t scanned[14];
    uint8_t scanned_count;
    size_t scan_rest;
    // Input that was scanned, and that nghttp2 has not read.
    size_t scan_ahead;
    // The last stream of the peer as scanned and as opened by nghttp2, the streams that it has skipped
    // last, and those that we have reset: a ring, and the highest that was dropped from it.
    int32_t scan_id, last_id, skipped_from, skipped_to, reset_ids[tapline_h2_remembered], forgotten_id;
    uint32_t reset_count;
} tapline_h2_session;

// Makes room for at least one more element; returns whether there was memory.
static inline int tapline_h2_grow(void **array, size_t *capacity, size_t needed, size_t size) {
    if (needed <= *capacity) return 1;
    size_t next = *capacity < 32 ? 32 : *capacity * 2;
    if (next < needed) next = needed;
    void *grown = realloc(*array, next * size);
    if (grown == NULL) return 0;
    *array = grown;
    *capacity = next;
    return 1;
}

// Allows a stream some more than it has at first, or not.
static inline int tapline_h2_grant(tapline_h2_session *session, size_t more) {
    if (session->granted + more > session->allowance) return 0;
    session->granted += more;
    return 1;
}

// Appends an event; returns NULL if there is no memory.
static inline tapline_h2_event *tapline_h2_push(
    tapline_h2_session *session, uint8_t kind, tapline_h2_stream *stream
) {
    if (!tapline_h2_grow((void **)&session->events, &session->event_capacity,
                         session->event_count + 1, sizeof *session->events))
        return NULL;
    tapline_h2_event *event = &session->events[session->event_count++];
    memset(event, 0, sizeof *event);
    event->kind = kind;
    event->stream = stream;
    event->id = stream != NULL ? stream->id : 0;
    return event;
}

static inline tapline_h2_stream *tapline_h2_find(nghttp2_session *session, int32_t id) {
    return (tapline_h2_stream *)nghttp2_session_get_stream_user_data(session, id);
}

// Makes a stream that the session knows; NULL if there is no memory.
static inline tapline_h2_stream *tapline_h2_stream_new(tapline_h2_session *session, int32_t id) {
    tapline_h2_stream *stream = (tapline_h2_stream *)calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    stream->id = id;
    stream->window = session->first_window;
    stream->mark = session->first_mark;
    stream->next = session->live;
    if (session->live != NULL) session->live->previous = stream;
    session->live = stream;
    return stream;
}

// Removes a stream from those that the session knows.
static inline void tapline_h2_stream_unlink(
    tapline_h2_session *session, tapline_h2_stream *stream
) {
    if (stream->previous != NULL) stream->previous->next = stream->next;
    else if (session->live == stream) session->live = stream->next;
    if (stream->next != NULL) stream->next->previous = stream->previous;
    stream->next = stream->previous = NULL;
}

// Frees a stream, or ends one of two ownerships.
static inline void tapline_h2_stream_free(tapline_h2_stream *stream) {
    if (stream->is_shared) {
        stream->is_shared = 0;
        return;
    }
    free(stream->queue);
    free(stream);
}
