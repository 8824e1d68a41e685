// SPDX-License-Identifier: MIT

#pragma once

// Content and frames that are sent. Included by shim.h, after input.h.

// Appends content to a stream's queue; returns whether there was memory.
static inline int tapline_h2_enqueue(
    tapline_h2_stream *stream, const uint8_t *bytes, size_t count
) {
    if (count == 0) return 1;
    if (stream->start + stream->count + count > stream->capacity) {
        if (stream->start != 0) memmove(stream->queue, stream->queue + stream->start, stream->count);
        stream->start = 0;
        size_t needed = stream->count + count;
        if (needed > stream->capacity) {
            if (stream->capacity != 0 && needed < stream->mark) needed = stream->mark;
            uint8_t *grown = (uint8_t *)realloc(stream->queue, needed);
            if (grown == NULL) return 0;
            stream->queue = grown;
            stream->capacity = needed;
        }
    }
    memcpy(stream->queue + stream->start + stream->count, bytes, count);
    stream->count += count;
    return 1;
}

// An empty queue holds no memory, so that idle streams are cheap.
static inline void tapline_h2_discard(tapline_h2_stream *stream) {
    free(stream->queue);
    stream->queue = NULL;
    stream->start = stream->count = stream->capacity = 0;
}

// Notes that our message was sent; returns whether there was memory.
static inline int tapline_h2_note_end_sent(
    tapline_h2_session *session, tapline_h2_stream *stream
) {
    stream->has_sent_end = 1;
    if (!stream->resets_at_end) return 1;
    return tapline_h2_push(session, tapline_h2_event_reset_due, stream) != NULL;
}

static ssize_t tapline_h2_read_content(
    nghttp2_session *inner, int32_t id, uint8_t *buffer, size_t length, uint32_t *flags,
    nghttp2_data_source *source, void *data
) {
    (void)inner, (void)id, (void)buffer;
    tapline_h2_session *session = (tapline_h2_session *)data;
    tapline_h2_stream *stream = (tapline_h2_stream *)source->ptr;
    // What was discarded must not look complete.
    if (stream->is_closed) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    size_t count = stream->count < length ? stream->count : length;
    if (count == 0 && !stream->ends) {
        stream->is_deferred = 1;
        return NGHTTP2_ERR_DEFERRED;
    }
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (stream->ends && count == stream->count) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        if (stream->has_trailers) {
            *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
            if (tapline_h2_push(session, tapline_h2_event_trailers_due, stream) == NULL)
                return NGHTTP2_ERR_CALLBACK_FAILURE;
        }
    }
    return (ssize_t)count;
}

static int tapline_h2_send_content(
    nghttp2_session *inner, nghttp2_frame *frame, const uint8_t *head, size_t length,
    nghttp2_data_source *source, void *data
) {
    (void)inner, (void)frame;
    tapline_h2_session *session = (tapline_h2_session *)data;
    tapline_h2_stream *stream = (tapline_h2_stream *)source->ptr;
    if (session->output_capacity - session->output_count < 9 + length) {
        session->has_more = 1;
        return NGHTTP2_ERR_WOULDBLOCK;
    }
    if (stream->is_closed || length > stream->count) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    uint8_t *target = session->output + session->output_count;
    memcpy(target, head, 9);
    if (length != 0) memcpy(target + 9, stream->queue + stream->start, length);
    session->output_count += 9 + length;
    stream->start += length;
    stream->count -= length;
    stream->sent.body += 9 + length;
    stream->sent.content += length;
    // A peer whose credit cuts content into crumbs pays for nothing with them.
    if (length >= 512 || stream->count == 0) session->frames[tapline_h2_frame_useful]++;
    if ((head[4] & NGHTTP2_FLAG_END_STREAM) && !tapline_h2_note_end_sent(session, stream))
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (stream->count == 0) tapline_h2_discard(stream);
    if (stream->was_full && stream->count <= stream->mark / 2) {
        stream->was_full = 0;
        // The peer takes what is sent.
        if (tapline_h2_grant(session, session->mark - stream->mark)) stream->mark = session->mark;
        if (tapline_h2_push(session, tapline_h2_event_drained, stream) == NULL)
            return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    return 0;
}

// A request that was not sent has no stream in nghttp2, which would report its close.
static int tapline_h2_not_sent(
    nghttp2_session *inner, const nghttp2_frame *frame, int code, void *data
) {
    (void)inner, (void)code;
    tapline_h2_session *session = (tapline_h2_session *)data;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    for (tapline_h2_stream *stream = session->live; stream != NULL; stream = stream->next)
        if (stream->id == frame->hd.stream_id)
            return tapline_h2_note_closed(session, stream, NGHTTP2_REFUSED_STREAM);
    return 0;
}

// Counts the frames of heads for their streams, and notes GOAWAY. nghttp2 calls this before it
// closes a stream.
static int tapline_h2_sent_frame(
    nghttp2_session *inner, const nghttp2_frame *frame, void *data
) {
    tapline_h2_session *session = (tapline_h2_session *)data;
    if (frame->hd.type == NGHTTP2_GOAWAY) {
        session->failure = frame->goaway.error_code;
        size_t count = frame->goaway.opaque_data_len, most = sizeof session->reason - 1;
        if (count > most) count = most;
        if (count != 0) memcpy(session->reason, frame->goaway.opaque_data, count);
        session->reason[count] = 0;
    }
    if (frame->hd.type == NGHTTP2_RST_STREAM)
        tapline_h2_remember_reset(session, frame->hd.stream_id);
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    // A response is work that was asked for; a request would pay for its own reset.
    if (session->is_server) session->frames[tapline_h2_frame_useful]++;
    tapline_h2_stream *stream = tapline_h2_find(inner, frame->hd.stream_id);
    if (stream == NULL) return 0;
    // What does not fit into one frame is sent in CONTINUATION frames.
    size_t size = frame->hd.length, frames = size == 0 ? 1 : (size + 16383) / 16384;
    stream->sent.headers += size + 9 * frames;
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
        && !tapline_h2_note_end_sent(session, stream))
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    return 0;
}

// Writes frames into a buffer; returns their size, or an error of nghttp2. `has_more` is set if
// there was no room for all of them.
static inline ssize_t tapline_h2_take(
    tapline_h2_session *session, uint8_t *buffer, size_t capacity
) {
    session->output = buffer;
    session->output_count = 0;
    session->output_capacity = capacity;
    session->has_more = 0;
    for (;;) {
        if (session->waiting_count == 0) {
            ssize_t count = nghttp2_session_mem_send(session->session, &session->waiting);
            if (count < 0) return count;
            if (count == 0) break;
            session->waiting_count = (size_t)count;
        }
        if (capacity - session->output_count < session->waiting_count) {
            session->has_more = 1;
            break;
        }
        memcpy(buffer + session->output_count, session->waiting, session->waiting_count);
        session->output_count += session->waiting_count;
        session->waiting_count = 0;
    }
    session->output = NULL;
    return (ssize_t)session->output_count;
}

// Fields whose values must not be found by guessing them (RFC 7541 7.1).
static inline int tapline_h2_is_secret(const uint8_t *name, size_t count, size_t value_count) {
    switch (count) {
    case 6: return value_count < 20 && memcmp(name, "cookie", 6) == 0;
    case 10: return value_count < 20 && memcmp(name, "set-cookie", 10) == 0;
    case 13: return memcmp(name, "authorization", 13) == 0;
    case 19: return memcmp(name, "proxy-authorization", 19) == 0;
    default: return 0;
    }
}

// Makes nghttp2's list of fields, which point into `bytes`; NULL if there is no memory.
static inline const nghttp2_nv *tapline_h2_list(
    tapline_h2_session *session, const tapline_h2_line *lines, size_t count, const uint8_t *bytes
) {
    if (!tapline_h2_grow((void **)&session->list, &session->list_capacity, count + 1,
                         sizeof *session->list))
        return NULL;
    for (size_t index = 0; index < count; index++) {
        tapline_h2_line line = lines[index];
        nghttp2_nv *field = &session->list[index];
        field->name = (uint8_t *)bytes + line.name_start;
        field->namelen = line.name_count;
        field->value = (uint8_t *)bytes + line.value_start;
        field->valuelen = line.value_count;
        field->flags = tapline_h2_is_secret(field->name, line.name_count, line.value_count)
            ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE;
    }
    return session->list;
}
