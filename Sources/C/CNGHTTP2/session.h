// SPDX-License-Identifier: MIT

#pragma once

// Opening and closing sessions, and submitting messages. Included by shim.h, after output.h.

// Debian has backported these into a version that did not have them.
#pragma weak nghttp2_option_set_stream_reset_rate_limit
void nghttp2_option_set_stream_reset_rate_limit(
    nghttp2_option *option, uint64_t burst, uint64_t rate);
#pragma weak nghttp2_option_set_max_continuations
void nghttp2_option_set_max_continuations(nghttp2_option *option, size_t value);

// The options of a session.
typedef struct tapline_h2_options {
    uint32_t streams, first_window, stream_window, connection_window, received_table, sent_table;
    uint32_t frame, head_limit, kept, continuations, acknowledgements, extended_connect;
    size_t first_mark, mark;
} tapline_h2_options;

static inline nghttp2_session_callbacks *tapline_h2_callbacks(void) {
    nghttp2_session_callbacks *calls;
    if (nghttp2_session_callbacks_new(&calls) != 0) return NULL;
    nghttp2_session_callbacks_set_on_begin_frame_callback(calls, tapline_h2_began_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(calls, tapline_h2_began_headers);
    nghttp2_session_callbacks_set_on_header_callback(calls, tapline_h2_received_field);
    nghttp2_session_callbacks_set_on_invalid_header_callback(
        calls, tapline_h2_received_invalid_field);
    nghttp2_session_callbacks_set_error_callback2(calls, tapline_h2_explained);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, tapline_h2_received_frame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(
        calls, tapline_h2_received_invalid_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, tapline_h2_received_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, tapline_h2_closed_stream);
    nghttp2_session_callbacks_set_on_frame_send_callback(calls, tapline_h2_sent_frame);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(calls, tapline_h2_not_sent);
    nghttp2_session_callbacks_set_send_data_callback(calls, tapline_h2_send_content);
    return calls;
}

static inline nghttp2_option *tapline_h2_option(const tapline_h2_options *options) {
    nghttp2_option *option;
    if (nghttp2_option_new(&option) != 0) return NULL;
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_max_outbound_ack(option, options->acknowledgements);
    nghttp2_option_set_max_deflate_dynamic_table_size(option, options->sent_table);
    nghttp2_option_set_max_send_header_block_length(option, 1 << 20);
    // Resets are counted by our budget, which useful frames refill: a client may reset each upload
    // that was answered early.
    if (nghttp2_option_set_stream_reset_rate_limit != NULL)
        nghttp2_option_set_stream_reset_rate_limit(option, UINT32_MAX, UINT32_MAX);
    if (nghttp2_option_set_max_continuations != NULL)
        nghttp2_option_set_max_continuations(
            option, 10 * ((size_t)options->continuations + 1));
    return option;
}

static inline void tapline_h2_free(tapline_h2_session *session) {
    if (session == NULL) return;
    nghttp2_session_del(session->session);
    while (session->live != NULL) {
        tapline_h2_stream *stream = session->live;
        tapline_h2_stream_unlink(session, stream);
        if (stream->owner == NULL) tapline_h2_stream_free(stream);
    }
    while (session->abandoned != NULL) {
        tapline_h2_stream *stream = session->abandoned;
        session->abandoned = stream->next;
        tapline_h2_stream_free(stream);
    }
    free(session->events);
    free(session->bytes);
    free(session->lines);
    free(session->list);
    free(session);
}

// Queues the settings and the window of the connection; returns an error of nghttp2, or 0.
static inline int tapline_h2_greet(
    tapline_h2_session *session, int is_server, const tapline_h2_options *options
) {
    nghttp2_settings_entry settings[8];
    size_t count = 0;
#define TAPLINE_H2_SET(name, number) \
    settings[count].settings_id = NGHTTP2_SETTINGS_##name, settings[count++].value = (number)
    if (is_server) {
        TAPLINE_H2_SET(MAX_CONCURRENT_STREAMS, options->streams);
        if (options->extended_connect) TAPLINE_H2_SET(ENABLE_CONNECT_PROTOCOL, 1);
        TAPLINE_H2_SET(NO_RFC7540_PRIORITIES, 1);
    } else {
        TAPLINE_H2_SET(ENABLE_PUSH, 0);
    }
    TAPLINE_H2_SET(INITIAL_WINDOW_SIZE, options->first_window);
    TAPLINE_H2_SET(MAX_HEADER_LIST_SIZE, options->head_limit);
    if (options->received_table != 4096)
        TAPLINE_H2_SET(HEADER_TABLE_SIZE, options->received_table);
    if (options->frame != 16384) TAPLINE_H2_SET(MAX_FRAME_SIZE, options->frame);
#undef TAPLINE_H2_SET
    int status = nghttp2_submit_settings(session->session, NGHTTP2_FLAG_NONE, settings, count);
    if (status != 0) return status;
    return nghttp2_session_set_local_window_size(
        session->session, NGHTTP2_FLAG_NONE, 0, (int32_t)options->connection_window);
}

// Opens a session; NULL if there is no memory.
static inline tapline_h2_session *tapline_h2_open(
    int is_server, const tapline_h2_options *options
) {
    tapline_h2_session *session = (tapline_h2_session *)calloc(1, sizeof *session);
    nghttp2_session_callbacks *calls = tapline_h2_callbacks();
    nghttp2_option *option = tapline_h2_option(options);
    int status = NGHTTP2_ERR_NOMEM;
    if (session != NULL && calls != NULL && option != NULL) {
        session->kept = options->kept;
        session->continuations = options->continuations;
        session->first_window = options->first_window;
        session->window = options->stream_window;
        session->first_mark = options->first_mark;
        session->mark = options->mark;
        session->allowance = 1 << 20;
        session->most_granted = options->connection_window;
        session->is_server = (uint8_t)is_server;
        session->scan_rest = NGHTTP2_CLIENT_MAGIC_LEN;
        status = is_server
            ? nghttp2_session_server_new2(&session->session, calls, session, option)
            : nghttp2_session_client_new2(&session->session, calls, session, option);
        if (status == 0) status = tapline_h2_greet(session, is_server, options);
    }
    if (calls != NULL) nghttp2_session_callbacks_del(calls);
    if (option != NULL) nghttp2_option_del(option);
    if (status == 0) return session;
    tapline_h2_free(session);
    return NULL;
}

// Reads input, and appends events; returns how much was read, or an error of nghttp2. After a
// violation nothing more is read.
static inline ssize_t tapline_h2_receive(
    tapline_h2_session *session, const uint8_t *bytes, size_t count
) {
    session->input = bytes;
    if (!session->is_server) return nghttp2_session_mem_recv(session->session, bytes, count);
    if (session->scan_ahead == 0 && session->violation == 0)
        session->scan_ahead = tapline_h2_scan(session, bytes, count);
    if (session->scan_ahead == 0) return NGHTTP2_ERR_CALLBACK_FAILURE;
    // nghttp2 may have been interrupted before it had read all of it.
    if (count > session->scan_ahead) count = session->scan_ahead;
    ssize_t read = nghttp2_session_mem_recv(session->session, bytes, count);
    if (read > 0) session->scan_ahead -= (size_t)read;
    return read;
}

// Forgets the events that were read, and keeps the fields of a head that is incomplete.
static inline void tapline_h2_events_done(tapline_h2_session *session) {
    session->event_count = 0;
    size_t first = session->block_line, count = session->line_count - first;
    session->block_line = session->line_count = 0;
    if (!session->in_block || count == 0) {
        session->byte_count = 0;
        return;
    }
    uint32_t start = session->lines[first].name_start;
    memmove(session->bytes, session->bytes + start, session->byte_count - start);
    session->byte_count -= start;
    for (size_t index = 0; index < count; index++) {
        tapline_h2_line line = session->lines[first + index];
        line.name_start -= start;
        line.value_start -= start;
        session->lines[index] = line;
    }
    session->line_count = count;
}

static inline nghttp2_data_provider tapline_h2_provider(tapline_h2_stream *stream) {
    nghttp2_data_provider provider;
    provider.source.ptr = stream;
    provider.read_callback = tapline_h2_read_content;
    return provider;
}

// Sends a request; returns the stream, or NULL if there can be none.
static inline tapline_h2_stream *tapline_h2_request(
    tapline_h2_session *session, const tapline_h2_line *lines, size_t count, const uint8_t *bytes,
    int ends
) {
    const nghttp2_nv *list = tapline_h2_list(session, lines, count, bytes);
    tapline_h2_stream *stream = list == NULL ? NULL : tapline_h2_stream_new(session, 0);
    if (stream == NULL) return NULL;
    nghttp2_data_provider provider = tapline_h2_provider(stream);
    stream->id = nghttp2_submit_request(
        session->session, NULL, list, count, ends ? NULL : &provider, stream);
    stream->ends = (uint8_t)ends;
    if (stream->id > 0) return stream;
    tapline_h2_stream_unlink(session, stream);
    tapline_h2_stream_free(stream);
    return NULL;
}

// Sends the final head of a response; returns an error of nghttp2, or 0.
static inline int tapline_h2_respond(
    tapline_h2_session *session, tapline_h2_stream *stream, const tapline_h2_line *lines,
    size_t count, const uint8_t *bytes, int ends
) {
    const nghttp2_nv *list = tapline_h2_list(session, lines, count, bytes);
    if (list == NULL) return NGHTTP2_ERR_NOMEM;
    nghttp2_data_provider provider = tapline_h2_provider(stream);
    stream->ends = (uint8_t)ends;
    return nghttp2_submit_response(
        session->session, stream->id, list, count, ends ? NULL : &provider);
}

// Sends an interim response, or trailers; returns an error of nghttp2, or 0.
static inline int tapline_h2_send_fields(
    tapline_h2_session *session, tapline_h2_stream *stream, const tapline_h2_line *lines,
    size_t count, const uint8_t *bytes, int are_trailers
) {
    const nghttp2_nv *list = tapline_h2_list(session, lines, count, bytes);
    if (list == NULL) return NGHTTP2_ERR_NOMEM;
    if (are_trailers) return nghttp2_submit_trailer(session->session, stream->id, list, count);
    return nghttp2_submit_headers(
        session->session, NGHTTP2_FLAG_NONE, stream->id, NULL, list, count, NULL);
}

// Lets nghttp2 read content again.
static inline void tapline_h2_resume(tapline_h2_session *session, tapline_h2_stream *stream) {
    if (!stream->is_deferred || stream->is_closed) return;
    stream->is_deferred = 0;
    nghttp2_session_resume_data(session->session, stream->id);
}

// Returns nghttp2's reason for ending the session; NULL if there is none.
static inline const char *tapline_h2_reason(const tapline_h2_session *session) {
    return session->reason[0] == 0 ? NULL : session->reason;
}

// Returns how many frames of a kind there were since the last call.
static inline uint32_t tapline_h2_take_frames(tapline_h2_session *session, int kind) {
    uint32_t count = session->frames[kind];
    session->frames[kind] = 0;
    return count;
}

// Counts a stream that is reset since its message is malformed.
static inline void tapline_h2_count_reset(tapline_h2_session *session) {
    session->frames[tapline_h2_frame_reset]++;
}

// Removes a closed stream, and gives the credit of content that nobody took back to the connection.
static inline void tapline_h2_finish(tapline_h2_session *session, tapline_h2_stream *stream) {
    tapline_h2_stream_unlink(session, stream);
    stream->is_closed = 1;
    tapline_h2_discard(stream);
    if (stream->unconsumed != 0)
        nghttp2_session_consume_connection(session->session, stream->unconsumed);
    session->unconsumed -= stream->unconsumed;
    stream->unconsumed = 0;
    session->granted -= stream->window - session->first_window + stream->mark - session->first_mark;
    stream->window = session->first_window;
    stream->mark = session->first_mark;
}

// Enlarges the window of a stream, since all of it was consumed.
static inline void tapline_h2_widen(tapline_h2_session *session, tapline_h2_stream *stream) {
    stream->consumed = 0;
    size_t wider = 4 * stream->window < session->window ? 4 * stream->window : session->window;
    if (wider == stream->window || !tapline_h2_grant(session, wider - stream->window)) return;
    stream->window = wider;
    // It is larger as long as the peer has not acknowledged our settings.
    int32_t size = nghttp2_session_get_stream_effective_local_window_size(
        session->session, stream->id);
    if (size < (int32_t)stream->window)
        nghttp2_session_set_local_window_size(
            session->session, NGHTTP2_FLAG_NONE, stream->id, (int32_t)stream->window);
}

// Gives credit back for content of a stream, at most for what was received.
static inline void tapline_h2_consume(
    tapline_h2_session *session, tapline_h2_stream *stream, size_t count
) {
    if (stream->is_closed) return;
    if (count > stream->unconsumed) count = stream->unconsumed;
    stream->unconsumed -= count;
    nghttp2_session_consume(session->session, stream->id, count);
    session->unconsumed -= count;
    session->consumed += count;
    stream->consumed += count;
    // Only much that was consumed allows more, if little waits.
    if (session->consumed / 4 >= session->allowance
        && session->unconsumed <= session->allowance / 2) {
        session->consumed = 0;
        if (session->allowance < session->most_granted) session->allowance *= 2;
    }
    if (stream->consumed >= stream->window && stream->unconsumed == 0)
        tapline_h2_widen(session, stream);
}

// Removes a stream that nghttp2 still knows: its memory stays as long as the session.
static inline void tapline_h2_abandon(tapline_h2_session *session, tapline_h2_stream *stream) {
    tapline_h2_finish(session, stream);
    stream->is_shared = 1;
    stream->next = session->abandoned;
    session->abandoned = stream;
}
