// SPDX-License-Identifier: MIT

internal import CNGHTTP2
internal import TaplineHTTP
internal import TaplineModel

extension HTTP2Session {
    /// Announces that no new streams are accepted, and processes the existing ones.
    ///
    /// A server sends GOAWAY that allows all streams under way, and after a round trip one with the
    /// last stream (RFC 9113 §6.8). The session is finished when the last stream is closed.
    package func shutdown() {
        guard !isEnded, failure == nil, !awaitsShutdown else { return }
        let session = unsafe core.pointee.session
        switch role {
        case .server:
            awaitsShutdown = true
            unsafe nghttp2_submit_shutdown_notice(session)
            unsafe nghttp2_submit_ping(session, 0, nil)
        case .client:
            isGoingAway = true
            unsafe nghttp2_submit_goaway(session, 0, 0, 0, nil, 0)
        }
        noteSubmitted()
    }

    /// The peer has answered the PING, so that it knows of the shutdown.
    func pingAnswered() {
        guard awaitsShutdown else { return }
        awaitsShutdown = false
        let session = unsafe core.pointee.session
        let last = unsafe nghttp2_session_get_last_proc_stream_id(session)
        unsafe nghttp2_submit_goaway(session, 0, last, 0, nil, 0)
        noteSubmitted()
    }

    /// Ends the connection: sends GOAWAY with a code, and closes all streams with it.
    package func goAway(_ code: HTTP2ErrorCode) {
        guard !isEnded, failure == nil else { return }
        _ = fail(HTTP2Failure(code, "the connection was ended by us"))
    }

    /// Closes all streams, since the connection has ended; there is no more output.
    package func connectionEnded(_ code: HTTP2ErrorCode = .cancel) {
        guard !isEnded else { return }
        isEnded = true
        closeStreams(code)
    }

    /// Ends the connection because of an error, and returns the error.
    func fail(_ reason: HTTP2Failure) -> HTTP2Failure {
        guard failure == nil else { return reason }
        ending = reason
        unsafe nghttp2_session_terminate_session(core.pointee.session, reason.code.rawValue)
        noteSubmitted()
        closeStreams(reason.code)
        return reason
    }

    /// Closes all streams without another frame for them.
    func closeStreams(_ code: HTTP2ErrorCode) {
        var streams: [HTTP2Stream] = []
        var next = unsafe core.pointee.live
        while let pointer = unsafe next {
            unsafe next = pointer.pointee.next
            if let stream = unsafe stream(of: pointer) { streams.append(stream) }
        }
        for stream in streams where !stream.isClosed {
            release(stream, isKnown: true)
            stream.finish(code, isUnprocessed: false)
        }
    }

    /// Returns the failure of a peer whose frames exceed a budget.
    func overspent() -> HTTP2Failure? {
        let kinds = HTTP2FrameBudget.Kind.allCases
        let useful = unsafe tapline_h2_take_frames(core, Int32(tapline_h2_frame_useful))
        budget.refill(useful: Int(useful), at: time)
        for kind in kinds {
            let count = unsafe tapline_h2_take_frames(core, Int32(kind.rawValue))
            if count > 0, !budget.spend(kind, Int(count)) { return budget.failure(of: kind) }
        }
        return nil
    }

    /// Makes a failure of an error of nghttp2.
    func failure(of status: Int) -> HTTP2Failure {
        if unsafe core.pointee.block_continuations > core.pointee.continuations {
            return HTTP2Failure(
                peer: "sent more CONTINUATION frames",
                than: ("max_continuations", limits.continuations)
            )
        }
        let violation = unsafe core.pointee.violation
        if violation != 0 {
            let code = HTTP2ErrorCode(rawValue: violation)
            return HTTP2Failure(code, "the peer sends a frame that its stream does not allow")
        }
        return switch Int32(truncatingIfNeeded: status) {
        case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue:
            HTTP2Failure(.protocolError, "the connection does not begin with the preface")
        case NGHTTP2_ERR_FLOODED.rawValue:
            HTTP2Failure(
                .enhanceYourCalm,
                "the peer reads no acknowledgements, and more wait than "
                    + "'max_pings: \(limits.frames.pings)' and "
                    + "'max_settings: \(limits.frames.settings)' allow"
            )
        case NGHTTP2_ERR_NOMEM.rawValue: HTTP2Failure(.internalError, "out of memory")
        default: HTTP2Failure(.internalError, "nghttp2 failed with \(status)")
        }
    }
}

extension tapline_h2_options {
    /// Converts limits, so that each is one that the protocol allows.
    init(_ limits: HTTP2Limits) {
        self.init()
        let most = Int(Int32.max)
        func bounded(_ value: Int, _ range: ClosedRange<Int>) -> UInt32 {
            UInt32(min(max(value, range.lowerBound), range.upperBound))
        }
        streams = bounded(limits.streams, 1...most)
        stream_window = bounded(limits.streamWindow, 1...most)
        first_window = min(bounded(limits.firstWindow, 1...most), stream_window)
        connection_window = bounded(limits.connectionWindow, 65_535...most)
        received_table = bounded(limits.receivedTable, 0...most)
        sent_table = bounded(limits.sentTable, 0...most)
        frame = bounded(limits.frame, 16_384...16_777_215)
        head_limit = bounded(limits.messages.head, 1...most)
        kept = bounded(max(limits.messages.head, limits.messages.trailers), 1...most)
        continuations = bounded(limits.continuations, 0...most)
        // The budgets of the frames that are acknowledged decide, as long as the peer reads.
        let pings = min(max(limits.frames.pings, 0), most)
        let settings = min(max(limits.frames.settings, 0), most)
        acknowledgements = bounded(pings + settings, 1000...most)
        extended_connect = limits.announcesExtendedConnect ? 1 : 0
        mark = max(limits.unsent, 1)
        first_mark = min(max(limits.firstUnsent, 1), mark)
    }
}
