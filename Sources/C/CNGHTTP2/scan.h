// SPDX-License-Identifier: MIT

#pragma once

// Looks at the heads of a client's frames before nghttp2 reads them, for what it ignores without a
// callback. Included by shim.h, after input.h.

static inline int32_t tapline_h2_number(const uint8_t *bytes) {
    return (int32_t)((bytes[0] & 0x7Fu) << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8
                     | bytes[3]);
}

// Returns the code of a violation by a frame whose head and up to 5 bytes of payload are known.
static inline uint32_t tapline_h2_violation(
    const tapline_h2_session *session, const uint8_t *bytes
) {
    int32_t id = tapline_h2_number(bytes + 5);
    if (bytes[3] <= NGHTTP2_HEADERS) {
        if (!tapline_h2_is_closed_by_peer(session, id)) return 0;
        // RFC 9113 5.1.1: a new stream has a higher number than those before.
        int is_skipped = id >= session->skipped_from && id <= session->skipped_to;
        return bytes[3] == NGHTTP2_HEADERS && is_skipped ? NGHTTP2_PROTOCOL_ERROR
                                                         : NGHTTP2_STREAM_CLOSED;
    }
    // PRIORITY on no stream (RFC 9113 6.3), or of a stream on itself (RFC 7540 5.3.1).
    return id == 0 || tapline_h2_number(bytes + 9) == id ? NGHTTP2_PROTOCOL_ERROR : 0;
}

// Returns how much of the input nghttp2 may read before it is scanned again; sets `violation` if the
// frame after that is not allowed. The preface counts as the rest of a frame.
static inline size_t tapline_h2_scan(
    tapline_h2_session *session, const uint8_t *bytes, size_t count
) {
    size_t index = 0;
    while (index < count) {
        if (session->scan_rest != 0) {
            size_t step = session->scan_rest < count - index ? session->scan_rest : count - index;
            session->scan_rest -= step;
            index += step;
            continue;
        }
        size_t start = session->scanned_count == 0 ? index : 0;
        uint8_t *head = session->scanned;
        while (index < count && session->scanned_count < 9)
            head[session->scanned_count++] = bytes[index++];
        if (session->scanned_count < 9) break;
        size_t length = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
        int is_priority = head[3] == NGHTTP2_PRIORITY && length == 5;
        if (is_priority) {
            while (index < count && session->scanned_count < 14)
                head[session->scanned_count++] = bytes[index++];
            if (session->scanned_count < 14) break;
            length = 0;
        }
        session->scanned_count = 0;
        session->scan_rest = length;
        if (head[3] > NGHTTP2_HEADERS && !is_priority) {
            // What follows a reset is looked at when nghttp2 knows of it.
            if (head[3] == NGHTTP2_RST_STREAM && length <= count - index) {
                session->scan_rest = 0;
                return index + length;
            }
            continue;
        }
        int32_t id = tapline_h2_number(head + 5);
        // Trailers, or a stream whose number is too low: known when nghttp2 has opened the others.
        if (!is_priority && start != 0 && id > session->last_id && id <= session->scan_id
            && head[3] == NGHTTP2_HEADERS) {
            session->scan_rest = 0;
            return start;
        }
        if (head[3] == NGHTTP2_HEADERS && id > session->scan_id) session->scan_id = id;
        session->violation = tapline_h2_violation(session, head);
        if (session->violation != 0) return start;
    }
    return count;
}
