// SPDX-License-Identifier: MIT

internal import CNGHTTP2
internal import TaplineHTTP
internal import TaplineModel

extension HTTP2Session {
    /// The Swift part of a stream; `nil` if its head was not delivered.
    func stream(of pointer: UnsafeMutablePointer<tapline_h2_stream>?) -> HTTP2Stream? {
        guard let owner = unsafe pointer?.pointee.owner else { return nil }
        return unsafe Unmanaged<HTTP2Stream>.fromOpaque(owner).takeUnretainedValue()
    }

    /// Delivers the events that nghttp2's callbacks have noted; `input` is what was read.
    func deliver(_ input: Span<UInt8>) {
        guard unsafe core.pointee.event_count > 0 else { return }
        isDelivering = true
        var index = 0
        while !isEnded {
            guard unsafe index < core.pointee.event_count else { break }
            let event = unsafe core.pointee.events[index]
            index += 1
            unsafe deliver(event, input)
        }
        isDelivering = false
        unsafe tapline_h2_events_done(core)
    }

    private func deliver(_ event: tapline_h2_event, _ input: Span<UInt8>) {
        switch unsafe Int(event.kind) {
        case tapline_h2_event_head: unsafe headReceived(event)
        case tapline_h2_event_data:
            unsafe contentReceived(event, input.extracting(event.start..<event.start + event.count))
        case tapline_h2_event_end:
            if let stream = unsafe stream(of: event.stream) { endReceived(stream, FieldSection()) }
        case tapline_h2_event_closed: unsafe streamClosed(event)
        case tapline_h2_event_drained:
            if let stream = unsafe stream(of: event.stream), !stream.isReset {
                stream.owner?.streamDrained()
            }
        case tapline_h2_event_reset_due:
            if unsafe event.stream.pointee.is_closed == 0 {
                unsafe submitReset(event.id, .noError)
            }
        case tapline_h2_event_trailers_due: unsafe trailersDue(event)
        case tapline_h2_event_invalid: unsafe invalidReceived(event)
        case tapline_h2_event_going_away:
            isGoingAway = true
            unsafe delegate?.goingAway(
                lastStream: event.id,
                code: HTTP2ErrorCode(rawValue: event.code)
            )
        case tapline_h2_event_settings: delegate?.settingsChanged()
        case tapline_h2_event_ping_ack: pingAnswered()
        default: break
        }
    }

    private func headReceived(_ event: tapline_h2_event) {
        guard let pointer = unsafe event.stream, unsafe pointer.pointee.is_refused == 0 else {
            return
        }
        let lines = unsafe storedLines
        let bytes = unsafe storedBytes
        let list = unsafe FieldList(
            lines.span.extracting(event.start..<event.start + event.count),
            of: bytes.span,
            role.receivedSide,
            limits.messages
        )
        let ends = unsafe event.ends != 0
        let decoded = unsafe event.size
        guard let stream = unsafe stream(of: pointer) else {
            return unsafe open(pointer, list, ends: ends, decoded: decoded)
        }
        guard !stream.isReset else { return }
        do throws(HTTPError) {
            switch try stream.reception.fieldsReceived(ends: ends) {
            case .head:
                try check(decoded, of: .head)
                try responseReceived(stream, list, ends: ends)
            case .trailers:
                try check(decoded, of: .trailers)
                endReceived(stream, try FieldSection(trailers: list))
            }
        } catch {
            malformed(stream, error)
        }
    }

    /// Makes a stream of a request (server role).
    private func open(
        _ pointer: UnsafeMutablePointer<tapline_h2_stream>,
        _ list: borrowing FieldList,
        ends: Bool,
        decoded: Int
    ) {
        guard role == .server else { return }
        do throws(HTTPError) {
            try check(decoded, of: .head)
            let size = Int(clamping: unsafe pointer.pointee.received.headers)
            let head = try RequestHead(list, ends: ends, scheme: scheme, size: size)
            let stream = unsafe HTTP2Stream(
                pointer,
                self,
                kind: head.kind,
                reception: .request(head.framing, isTunnel: head.kind.isConnect),
                hasSentHead: false
            )
            if head.kind.isConnect { stream.connectProtocol = RequestHead.connectProtocol(list) }
            streamCount += 1
            delegate?.opened(stream, head)
            if stream.owner == nil { stream.reset(.refusedStream) }
            if ends { endReceived(stream, FieldSection()) }
        } catch {
            unsafe refuse(pointer, error, ends: ends)
        }
    }

    /// Refuses a request without an owner: with a response if its head is too large, else by reset.
    private func refuse(
        _ pointer: UnsafeMutablePointer<tapline_h2_stream>,
        _ error: HTTPError,
        ends: Bool
    ) {
        unsafe pointer.pointee.is_refused = 1
        unsafe tapline_h2_count_reset(core)
        let id = unsafe pointer.pointee.id
        if unsafe error.status == 431 && respond(pointer, status: 431) {
            unsafe pointer.pointee.resets_at_end = ends ? 0 : 1
            noteSubmitted()
        } else {
            submitReset(id, .protocolError)
        }
        unsafe delegate?.refused(id, error, HTTP2StreamBytes(pointer.pointee.received))
    }

    private func respond(_ pointer: UnsafeMutablePointer<tapline_h2_stream>, status: Int) -> Bool {
        do throws(HTTPError) {
            try writer.write(Response(status: status), ResponseWriting(framing: .length(0)))
        } catch {
            return false
        }
        return unsafe respond(pointer)
    }

    private func responseReceived(
        _ stream: HTTP2Stream,
        _ list: borrowing FieldList,
        ends: Bool
    ) throws(HTTPError) {
        let size = stream.receivedBytes.headers
        let head = try ResponseHead(list, answering: stream.kind, ends: ends, size: size)
        if head.isInterim {
            stream.owner?.received(interim: head.response)
            return
        }
        stream.reception.finalHeadReceived(head.framing, isTunnel: head.becomesTunnel)
        stream.owner?.received(head)
        if ends { endReceived(stream, FieldSection()) }
    }

    private func contentReceived(_ event: tapline_h2_event, _ content: Span<UInt8>) {
        guard let pointer = unsafe event.stream else { return }
        guard let stream = unsafe stream(of: pointer), !stream.isReset, let owner = stream.owner
        else {
            unsafe tapline_h2_consume(core, pointer, content.count)
            return
        }
        do throws(HTTPError) {
            try stream.reception.contentReceived(content.count)
            owner.received(content: content)
        } catch {
            malformed(stream, error)
        }
    }

    private func endReceived(_ stream: HTTP2Stream, _ trailers: FieldSection) {
        guard !stream.isReset else { return }
        do throws(HTTPError) {
            try stream.reception.endReceived()
            stream.owner?.ended(trailers)
        } catch {
            malformed(stream, error)
        }
    }

    /// Resets a stream whose message is malformed.
    private func malformed(_ stream: HTTP2Stream, _ error: HTTPError) {
        unsafe tapline_h2_count_reset(core)
        stream.reset(.protocolError)
        stream.noteMalformed(error)
    }

    /// nghttp2 has refused a frame, and has reset its stream or ends the connection.
    private func invalidReceived(_ event: tapline_h2_event) {
        guard let pointer = unsafe event.stream else { return }
        let error = unsafe reason(of: event)
        if let stream = unsafe stream(of: pointer) {
            if !stream.isReset { stream.noteMalformed(error) }
        } else if unsafe pointer.pointee.is_refused == 0 {
            unsafe pointer.pointee.is_refused = 1
            unsafe delegate?.refused(
                pointer.pointee.id,
                error,
                HTTP2StreamBytes(pointer.pointee.received)
            )
        }
    }

    private func trailersDue(_ event: tapline_h2_event) {
        guard let stream = unsafe stream(of: event.stream), !stream.isClosed else { return }
        do throws(HTTPError) {
            try writer.write(trailers: stream.trailers, role.sentSide)
            submit(stream, .trailers)
        } catch {
            stream.reset(.internalError)
        }
    }

    private func streamClosed(_ event: tapline_h2_event) {
        guard let pointer = unsafe event.stream else { return }
        let code = unsafe HTTP2ErrorCode(rawValue: event.code)
        guard let stream = unsafe stream(of: pointer) else {
            unsafe tapline_h2_finish(core, pointer)
            unsafe tapline_h2_stream_free(pointer)
            return
        }
        guard !stream.isClosed else { return }
        // nghttp2 resets streams with wrong content without a call for the frame.
        if unsafe code != .noError && code != .refusedStream && pointer.pointee.was_reset == 0,
            !stream.isReset, !stream.isMalformed
        {
            unsafe tapline_h2_count_reset(core)
            stream.noteMalformed(
                code == .protocolError
                    ? stream.reception.contentError
                    : HTTPError(.malformedMessage, role.receivedSide)
            )
        }
        release(stream)
        let isUnprocessed = role == .client && code == .refusedStream && !stream.isReset
        stream.finish(code, isUnprocessed: isUnprocessed)
    }

    /// Ends the session's ownership of a stream.
    ///
    /// - Parameters:
    ///   - stream: The stream, which is closed.
    ///   - isKnown: Whether nghttp2 has not closed it and may still use its memory.
    func release(_ stream: HTTP2Stream, isKnown: Bool = false) {
        streamCount -= 1
        if isKnown {
            unsafe tapline_h2_abandon(core, stream.pointer)
        } else {
            unsafe tapline_h2_finish(core, stream.pointer)
        }
        guard let owner = unsafe stream.pointer.pointee.owner else { return }
        unsafe stream.pointer.pointee.owner = nil
        unsafe Unmanaged<HTTP2Stream>.fromOpaque(owner).release()
    }
}
