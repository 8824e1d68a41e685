// SPDX-License-Identifier: MIT

#pragma once

// The callbacks for received frames. Included by shim.h, after types.h.

// The amount of decoded fields after which nghttp2 is interrupted, so that they are delivered.
enum { tapline_h2_arena = 256 * 1024 };

// Remembers a stream that we reset.
static inline void tapline_h2_remember_reset(tapline_h2_session *session, int32_t id) {
    int32_t *slot = &session->reset_ids[session->reset_count++ % tapline_h2_remembered];
    if (*slot > session->forgotten_id) session->forgotten_id = *slot;
    *slot = id;
}

// Whether a client has ended or reset a stream that is closed, so that it may send neither content nor
// fields (RFC 9113 5.1).
static inline int tapline_h2_is_closed_by_peer(
    const tapline_h2_session *session, int32_t id
) {
    if (id % 2 == 0 || id > session->last_id || id <= session->forgotten_id) return 0;
    if (tapline_h2_find(session->session, id) != NULL) return 0;
    for (size_t index = 0; index < tapline_h2_remembered; index++)
        if (session->reset_ids[index] == id) return 0;
    return 1;
}

static int tapline_h2_began_frame(
    nghttp2_session *inner, const nghttp2_frame_hd *head, void *data
) {
    tapline_h2_session *session = (tapline_h2_session *)data;
    uint32_t *frames = session->frames;
    switch (head->type) {
    case NGHTTP2_DATA: {
        tapline_h2_stream *stream = tapline_h2_find(inner, head->stream_id);
        if (stream != NULL) stream->received.body += 9 + head->length;
        if (head->length == 0 && !(head->flags & NGHTTP2_FLAG_END_STREAM))
            frames[tapline_h2_frame_empty]++;
        break;
    }
    case NGHTTP2_HEADERS:
        session->block_wire = 9 + head->length;
        session->block_continuations = 0;
        if (head->length == 0) frames[tapline_h2_frame_empty]++;
        break;
    case NGHTTP2_CONTINUATION:
        session->block_wire += 9 + head->length;
        // nghttp2's own limit counts each piece of input in which such a frame's head arrives.
        if (++session->block_continuations > session->continuations)
            return NGHTTP2_ERR_CALLBACK_FAILURE;
        if (head->length == 0) frames[tapline_h2_frame_empty]++;
        break;
    case NGHTTP2_RST_STREAM: frames[tapline_h2_frame_reset]++; break;
    case NGHTTP2_SETTINGS: frames[tapline_h2_frame_settings]++; break;
    case NGHTTP2_PING: frames[tapline_h2_frame_ping]++; break;
    case NGHTTP2_WINDOW_UPDATE: frames[tapline_h2_frame_window_update]++; break;
    case NGHTTP2_PRIORITY: frames[tapline_h2_frame_ignored]++; break;
    default: break;
    }
    return 0;
}

static int tapline_h2_began_headers(
    nghttp2_session *inner, const nghttp2_frame *frame, void *data
) {
    tapline_h2_session *session = (tapline_h2_session *)data;
    session->in_block = 1;
    session->has_refused = 0;
    session->block_line = session->line_count;
    session->block_size = 0;
    session->block_cookies = 0;
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    tapline_h2_stream *stream = tapline_h2_stream_new(session, frame->hd.stream_id);
    if (stream == NULL) return NGHTTP2_ERR_CALLBACK_FAILURE;
    nghttp2_session_set_stream_user_data(inner, frame->hd.stream_id, stream);
    // All responses share the connection, frame by frame, whatever the client wishes (RFC 9218).
    nghttp2_extpri priority = { NGHTTP2_EXTPRI_DEFAULT_URGENCY, 1 };
    nghttp2_session_change_extpri_stream_priority(inner, frame->hd.stream_id, &priority, 1);
    int32_t expected = session->last_id == 0 ? 1 : session->last_id + 2;
    session->last_id = frame->hd.stream_id;
    if (session->last_id > expected) {
        session->skipped_from = expected;
        session->skipped_to = session->last_id - 2;
    }
    return 0;
}

// Counts the head of a message that is refused before all of it was read.
static inline void tapline_h2_count_refused(
    const tapline_h2_session *session, tapline_h2_stream *stream
) {
    if (stream != NULL && stream->received.headers == 0)
        stream->received.headers = session->block_wire;
}

// Appends a field of the head that is being received; returns whether there was memory.
static inline int tapline_h2_keep_field(
    tapline_h2_session *session, const uint8_t *name, size_t name_count, const uint8_t *value,
    size_t value_count
) {
    size_t start = session->byte_count, end = start + name_count + value_count;
    if (!tapline_h2_grow((void **)&session->bytes, &session->byte_capacity, end, 1)
        || !tapline_h2_grow((void **)&session->lines, &session->line_capacity,
                            session->line_count + 1, sizeof *session->lines))
        return 0;
    memcpy(session->bytes + start, name, name_count);
    memcpy(session->bytes + start + name_count, value, value_count);
    session->byte_count = end;
    tapline_h2_line *line = &session->lines[session->line_count++];
    line->name_start = (uint32_t)start;
    line->name_count = (uint32_t)name_count;
    line->value_start = (uint32_t)(start + name_count);
    line->value_count = (uint32_t)value_count;
    return 1;
}

static int tapline_h2_received_field(
    nghttp2_session *inner, const nghttp2_frame *frame, const uint8_t *name, size_t name_count,
    const uint8_t *value, size_t value_count, uint8_t flags, void *data
) {
    (void)flags;
    tapline_h2_session *session = (tapline_h2_session *)data;
    session->block_size += name_count + value_count + 32;
    if (session->block_size > session->kept) {
        if (session->block_size / 2 <= session->kept) return 0;
        // References to a large field cost the peer one byte each: nghttp2 resets the stream, and
        // decodes the rest without looking at it.
        tapline_h2_stream *stream = tapline_h2_find(inner, frame->hd.stream_id);
        session->frames[tapline_h2_frame_reset]++;
        tapline_h2_count_refused(session, stream);
        tapline_h2_event *event = tapline_h2_push(session, tapline_h2_event_invalid, stream);
        if (event == NULL) return NGHTTP2_ERR_CALLBACK_FAILURE;
        event->size = session->block_size;
        event->refused = tapline_h2_refused_part;
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    if (!tapline_h2_keep_field(session, name, name_count, value, value_count))
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (name_count == 6 && memcmp(name, "cookie", 6) == 0) session->block_cookies++;
    return session->byte_count > tapline_h2_arena ? NGHTTP2_ERR_PAUSE : 0;
}

// Joins the crumbs of a cookie with "; " into the first of them (RFC 9113 8.2.3).
static inline int tapline_h2_join_cookies(tapline_h2_session *session) {
    size_t start = session->byte_count, end = start + session->block_size
        + 2 * session->block_cookies;
    if (!tapline_h2_grow((void **)&session->bytes, &session->byte_capacity, end, 1)) return 0;
    tapline_h2_line *first = NULL;
    size_t kept = session->block_line;
    uint8_t *target = session->bytes + start;
    for (size_t index = session->block_line; index < session->line_count; index++) {
        tapline_h2_line line = session->lines[index];
        if (line.name_count == 6 && memcmp(session->bytes + line.name_start, "cookie", 6) == 0) {
            if (first != NULL && line.value_count == 0) continue;
            if (target != session->bytes + start) {
                *target++ = ';';
                *target++ = ' ';
            }
            memcpy(target, session->bytes + line.value_start, line.value_count);
            target += line.value_count;
            if (first != NULL) continue;
            first = &session->lines[kept];
        }
        session->lines[kept++] = line;
    }
    session->line_count = kept;
    session->byte_count = (size_t)(target - session->bytes);
    if (first == NULL) return 1;
    first->value_start = (uint32_t)start;
    first->value_count = (uint32_t)(session->byte_count - start);
    return 1;
}

static inline int tapline_h2_received_head(
    tapline_h2_session *session, const nghttp2_frame *frame, tapline_h2_stream *stream
) {
    session->in_block = 0;
    if (stream == NULL) return 0;
    size_t fields = session->line_count - session->block_line;
    int is_whole = session->block_size <= session->kept;
    if (session->block_cookies > 1 && is_whole && !tapline_h2_join_cookies(session))
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    stream->received.headers += session->block_wire;
    if (is_whole) stream->received.fields += session->block_size - 32 * fields;
    tapline_h2_event *event = tapline_h2_push(session, tapline_h2_event_head, stream);
    if (event == NULL) return NGHTTP2_ERR_CALLBACK_FAILURE;
    event->start = session->block_line;
    event->count = session->line_count - session->block_line;
    event->ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    event->size = session->block_size;
    // A request costs us work, and a response is work that the peer has done.
    if (frame->headers.cat == NGHTTP2_HCAT_RESPONSE) session->frames[tapline_h2_frame_useful]++;
    return 0;
}

static int tapline_h2_received_frame(
    nghttp2_session *inner, const nghttp2_frame *frame, void *data
) {
    tapline_h2_session *session = (tapline_h2_session *)data;
    tapline_h2_stream *stream;
    tapline_h2_event *event;
    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
        stream = tapline_h2_find(inner, frame->hd.stream_id);
        return tapline_h2_received_head(session, frame, stream);
    case NGHTTP2_DATA:
        // A frame of padding costs us as much as an empty one.
        if (frame->hd.length != 0 && frame->hd.length <= frame->data.padlen
            && !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
            session->frames[tapline_h2_frame_empty]++;
        if (!(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
        stream = tapline_h2_find(inner, frame->hd.stream_id);
        if (stream == NULL) return 0;
        event = tapline_h2_push(session, tapline_h2_event_end, stream);
        return event == NULL ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
    case NGHTTP2_RST_STREAM:
        stream = tapline_h2_find(inner, frame->hd.stream_id);
        if (stream != NULL) stream->was_reset = 1;
        return 0;
    case NGHTTP2_GOAWAY:
        event = tapline_h2_push(session, tapline_h2_event_going_away, NULL);
        if (event == NULL) return NGHTTP2_ERR_CALLBACK_FAILURE;
        event->id = frame->goaway.last_stream_id;
        event->code = frame->goaway.error_code;
        return 0;
    case NGHTTP2_SETTINGS:
        event = tapline_h2_push(session, tapline_h2_event_settings, NULL);
        return event == NULL ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
    case NGHTTP2_PING:
        if (!(frame->hd.flags & NGHTTP2_FLAG_ACK)) return 0;
        event = tapline_h2_push(session, tapline_h2_event_ping_ack, NULL);
        return event == NULL ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
    default: return 0;
    }
}

static int tapline_h2_received_data(
    nghttp2_session *inner, uint8_t flags, int32_t id, const uint8_t *bytes, size_t count,
    void *data
) {
    (void)flags;
    tapline_h2_session *session = (tapline_h2_session *)data;
    tapline_h2_stream *stream = tapline_h2_find(inner, id);
    if (stream == NULL) {
        nghttp2_session_consume(inner, id, count);
        return 0;
    }
    stream->received.content += count;
    stream->unconsumed += count;
    session->unconsumed += count;
    tapline_h2_event *event = tapline_h2_push(session, tapline_h2_event_data, stream);
    if (event == NULL) return NGHTTP2_ERR_CALLBACK_FAILURE;
    event->start = (size_t)(bytes - session->input);
    event->count = count;
    if (count >= 512) session->frames[tapline_h2_frame_useful]++;
    return 0;
}

static int tapline_h2_note_closed(
    tapline_h2_session *session, tapline_h2_stream *stream, uint32_t code
) {
    if (stream == NULL || stream->is_closed) return 0;
    stream->is_closed = 1;
    tapline_h2_event *event = tapline_h2_push(session, tapline_h2_event_closed, stream);
    if (event == NULL) return NGHTTP2_ERR_CALLBACK_FAILURE;
    event->code = code;
    return 0;
}

static int tapline_h2_closed_stream(
    nghttp2_session *inner, int32_t id, uint32_t code, void *data
) {
    return tapline_h2_note_closed((tapline_h2_session *)data, tapline_h2_find(inner, id), code);
}

// Keeps a field that nghttp2 refuses, as the last one of its message.
static inline int tapline_h2_keep_refused(
    tapline_h2_session *session, const uint8_t *name, size_t name_count, const uint8_t *value,
    size_t value_count
) {
    session->block_size += name_count + value_count + 32;
    if (session->block_size > session->kept) return 1;
    session->has_refused = 1;
    return tapline_h2_keep_field(session, name, name_count, value, value_count);
}

// An invalid field fails its message; nghttp2 would ignore the field.
static int tapline_h2_received_invalid_field(
    nghttp2_session *inner, const nghttp2_frame *frame, const uint8_t *name, size_t name_count,
    const uint8_t *value, size_t value_count, uint8_t flags, void *data
) {
    (void)inner, (void)frame, (void)flags;
    tapline_h2_session *session = (tapline_h2_session *)data;
    return tapline_h2_keep_refused(session, name, name_count, value, value_count)
        ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE : NGHTTP2_ERR_CALLBACK_FAILURE;
}

// Most fields that fail a message are passed to no callback, and only occur in a text for people:
// "… name: [name], value: [value]". Without it, the error names no field.
static int tapline_h2_explained(
    nghttp2_session *inner, int code, const char *text, size_t count, void *data
) {
    (void)inner;
    tapline_h2_session *session = (tapline_h2_session *)data;
    if (code != NGHTTP2_ERR_HTTP_HEADER || !session->in_block || session->has_refused) return 0;
    const char *end = text + count, *name = strstr(text, "name: [");
    const char *value = name == NULL ? NULL : strstr(name, "], value: [");
    if (value == NULL || end[-1] != ']') return 0;
    name += strlen("name: [");
    size_t name_count = (size_t)(value - name);
    value += strlen("], value: [");
    if (value > end - 1) return 0;
    return tapline_h2_keep_refused(session, (const uint8_t *)name, name_count,
                                   (const uint8_t *)value, (size_t)(end - 1 - value))
        ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
}

// A frame that made nghttp2 reset the stream or end the connection: as costly as a reset.
static int tapline_h2_received_invalid_frame(
    nghttp2_session *inner, const nghttp2_frame *frame, int code, void *data
) {
    tapline_h2_session *session = (tapline_h2_session *)data;
    session->frames[tapline_h2_frame_reset]++;
    int32_t id = frame->hd.stream_id;
    if (code == NGHTTP2_ERR_REFUSED_STREAM) tapline_h2_remember_reset(session, id);
    tapline_h2_stream *stream = id == 0 ? NULL : tapline_h2_find(inner, id);
    if (frame->hd.type == NGHTTP2_HEADERS) tapline_h2_count_refused(session, stream);
    tapline_h2_event *event = tapline_h2_push(session, tapline_h2_event_invalid, stream);
    if (event == NULL) return NGHTTP2_ERR_CALLBACK_FAILURE;
    event->id = id;
    event->code = (uint32_t)-code;
    // Other errors precede the fields of a message.
    if (code != NGHTTP2_ERR_HTTP_HEADER && code != NGHTTP2_ERR_HTTP_MESSAGING) return 0;
    if (frame->hd.type != NGHTTP2_HEADERS || !session->in_block) return 0;
    session->in_block = 0;
    event->start = session->block_line;
    event->count = session->line_count - session->block_line;
    event->size = session->block_size;
    event->ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    event->refused = code == NGHTTP2_ERR_HTTP_MESSAGING ? tapline_h2_refused_message
        : session->has_refused ? tapline_h2_refused_last : tapline_h2_refused_part;
    return 0;
}
