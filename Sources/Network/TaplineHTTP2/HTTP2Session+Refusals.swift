// SPDX-License-Identifier: MIT

internal import CNGHTTP2
internal import TaplineHTTP
internal import TaplineModel

extension HTTP2Session {
    /// The fields that were received and not delivered; valid until nghttp2 is called.
    var storedLines: UnsafeBufferPointer<FieldSection.Line> {
        unsafe UnsafeBufferPointer(
            start: UnsafeRawPointer(core.pointee.lines)?.assumingMemoryBound(
                to: FieldSection.Line.self
            ),
            count: core.pointee.line_count
        )
    }

    /// The bytes of these fields; valid until nghttp2 is called.
    var storedBytes: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(
            start: UnsafePointer(core.pointee.bytes),
            count: core.pointee.byte_count
        )
    }

    /// Checks the decoded size of fields, with 32 bytes more for each (RFC 9113 §6.5.2).
    func check(_ size: Int, of list: HTTP2Reception.List) throws(HTTPError) {
        let (head, trailers) = (limits.messages.head, limits.messages.trailers)
        switch list {
        case .head where size > head:
            let limit = "'max_head: \(HTTPLimits.text(ofSize: head))'"
            let message = "the head is larger than \(limit) allows"
            throw HTTPError(.headTooLarge, role.receivedSide, message)
        case .trailers where size > trailers:
            let limit = "'max_trailers: \(HTTPLimits.text(ofSize: trailers))'"
            let message = "the trailers are larger than \(limit) allows"
            throw HTTPError(.trailersTooLarge, role.receivedSide, message)
        case .head, .trailers: break
        }
    }

    /// Returns what is wrong with a frame that nghttp2 has refused, which gives no reason.
    func reason(of event: tapline_h2_event) -> HTTPError {
        let refused = unsafe tapline_h2_refused(rawValue: UInt32(event.refused))
        let unknown = HTTPError(.malformedMessage, role.receivedSide)
        guard refused != tapline_h2_refused_frame else { return unknown }
        let stream = unsafe stream(of: event.stream)
        let lines = unsafe storedLines
        let bytes = unsafe storedBytes
        let list = unsafe FieldList(
            lines.span.extracting(event.start..<event.start + event.count),
            of: bytes.span,
            role.receivedSide,
            limits.messages
        )
        let (ends, size) = unsafe (event.ends != 0, event.size)
        do throws(HTTPError) {
            let isWhole = refused == tapline_h2_refused_message
            var reception = stream?.reception
            // Without a stream it is the head of a request.
            let kind = try reception?.fieldsReceived(ends: ends || !isWhole) ?? .head
            try check(size, of: kind)
            switch (kind, stream) {
            case (.trailers, _):
                _ = try FieldSection(trailers: list)
                if isWhole { try reception?.endReceived() }
                return list.trailersRefused()
            case (.head, _) where !isWhole:
                try list.checkFields()
                return refused == tapline_h2_refused_last ? list.lastRefused() : unknown
            case (.head, let stream?):
                _ = try ResponseHead(list, answering: stream.kind, ends: ends, size: 0)
            case (.head, nil):
                _ = try RequestHead(list, ends: ends, scheme: scheme, size: 0)
            }
            return unknown
        } catch {
            return error
        }
    }
}
