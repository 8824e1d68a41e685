// SPDX-License-Identifier: MIT

internal import CNGHTTP2
internal import TaplineHTTP
package import TaplineModel

/// One HTTP/2 connection without sockets: frames in, events out; messages in, frames out (nghttp2).
///
/// Call `receive` with what arrives, and `takeOutput` when `hasOutput` was called, until it returns
/// `false`; then close the connection if `isFinished`. `connectionEnded` is the last call.
///
/// **Isolation**: any thread, one at a time.
@safe
package final class HTTP2Session {
    /// The end of the connection that the session is.
    package enum Role: Sendable {
        /// Receives requests.
        case server
        /// Sends requests.
        case client

        /// The sender of received messages, for errors.
        var receivedSide: HTTPError.Side { self == .server ? .request : .response }
        /// The sender of our messages, for errors.
        var sentSide: HTTPError.Side { self == .server ? .response : .request }
    }

    /// Gets the events of the connection.
    package weak var delegate: (any HTTP2SessionDelegate)?
    /// The current time in seconds of a monotonic clock; set it before `receive`, so that budgets
    /// refill.
    package var time = 0
    /// Why the connection has to be closed after its output was sent; `nil` if it does not.
    package var failure: HTTP2Failure? { ending }
    /// The number of streams that are open in either direction.
    package var activeStreams: Int { streamCount }
    // Package properties are checked for exclusivity at each access, so these are stored separately.
    var ending: HTTP2Failure?
    var streamCount = 0

    let role: Role
    let limits: HTTP2Limits
    let scheme: ByteString
    let core: UnsafeMutablePointer<tapline_h2_session>
    /// Writes heads and trailers in memory that is used again.
    var writer = FieldListWriter()
    var budget: HTTP2FrameBudget
    /// Whether the peer has sent GOAWAY.
    var isGoingAway = false
    /// Whether the last GOAWAY follows when the peer has answered a PING.
    var awaitsShutdown = false
    /// Whether events are being delivered, so that nghttp2 may not be called to read or write.
    var isDelivering = false
    /// Whether the connection has ended, so that nghttp2 is not used any more.
    var isEnded = false
    /// Whether something was submitted since output was last taken.
    private var hasNewOutput = false
    /// Whether the delegate was notified of output that it has not taken yet.
    private var isOutputNoted = false

    /// The amount of input that is read before its events are delivered and budgets are checked.
    private static let slice = 16 * 1024
    /// The room for output of one step: the largest frame that we send, and small ones.
    private static let step = 17 * 1024

    /// Makes a session, whose first output is the connection preface and the settings.
    ///
    /// - Parameters:
    ///   - role: Which end it is.
    ///   - limits: The limits of the connection.
    ///   - scheme: The scheme of the connection, for CONNECT requests, which have none: `http`, or
    ///     `https` within TLS.
    /// - Throws: `HTTP2Failure` if there is no memory.
    package init(
        _ role: Role,
        _ limits: HTTP2Limits = HTTP2Limits(),
        scheme: ByteString = "http"
    ) throws(HTTP2Failure) {
        var options = tapline_h2_options(limits)
        guard let core = unsafe tapline_h2_open(role == .server ? 1 : 0, &options) else {
            throw HTTP2Failure(.internalError, "out of memory")
        }
        self.role = role
        self.limits = limits
        self.scheme = scheme
        unsafe self.core = core
        budget = HTTP2FrameBudget(limits.frames)
    }

    deinit {
        var next = unsafe core.pointee.live
        while let pointer = unsafe next {
            unsafe next = pointer.pointee.next
            guard let owner = unsafe pointer.pointee.owner else { continue }
            let stream = unsafe Unmanaged<HTTP2Stream>.fromOpaque(owner)
            unsafe tapline_h2_stream_unlink(core, pointer)
            unsafe stream.takeUnretainedValue().detach()
            unsafe stream.release()
        }
        unsafe tapline_h2_free(core)
    }

    /// Whether the connection has ended or failed and all output was taken: close it.
    package var isFinished: Bool {
        if isEnded { return true }
        let session = unsafe core.pointee.session
        guard unsafe core.pointee.waiting_count == 0,
            unsafe nghttp2_session_want_write(session) == 0
        else { return false }
        return unsafe failure != nil || nghttp2_session_want_read(session) == 0
    }

    /// The number of streams that the peer allows us to have open at a time.
    package var peerMaxStreams: Int {
        let setting = NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS
        let count = unsafe nghttp2_session_get_remote_settings(core.pointee.session, setting)
        // Unlimited until the settings arrive; RFC 9113 §6.5.2 recommends that it is at least 100.
        return count == .max ? 100 : Int(count)
    }

    /// Whether the peer offers extended CONNECT (RFC 8441 §3); known after `settingsChanged`.
    package var peerAcceptsExtendedConnect: Bool {
        let setting = NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL
        return unsafe nghttp2_session_get_remote_settings(core.pointee.session, setting) == 1
    }

    /// Whether a request can be sent now: there is no GOAWAY, and a stream is free.
    package var acceptsStreams: Bool {
        guard role == .client, failure == nil, !isEnded, !isGoingAway,
            activeStreams < peerMaxStreams
        else { return false }
        let session = unsafe core.pointee.session
        return unsafe nghttp2_session_check_request_allowed(session) != 0
            && nghttp2_session_get_next_stream_id(session) < UInt32(Int32.max)
    }

    /// Reads input, and delivers its events.
    ///
    /// - Throws: Why the connection has to be closed after its output was sent; the streams are
    ///   closed then. Violations that nghttp2 finds end with `isFinished` instead.
    package func receive(_ bytes: Span<UInt8>) throws(HTTP2Failure) {
        if let failure { throw failure }
        guard !isEnded, !isDelivering else { return }
        var position = 0
        while position < bytes.count, !isEnded {
            let end = min(position + Self.slice, bytes.count)
            let slice = bytes.extracting(position..<end)
            let count = unsafe slice.withUnsafeBufferPointer {
                unsafe tapline_h2_receive(core, $0.baseAddress, $0.count)
            }
            deliver(slice)
            if isEnded { return }
            // A budget also explains what nghttp2 refuses as a flood.
            if let failure = overspent() { throw fail(failure) }
            guard count > 0 else { throw fail(failure(of: count)) }
            position += count
        }
        noteOutput()
    }

    /// Appends frames that can be sent now, about `limit` bytes; returns whether there are more.
    ///
    /// Delivers the events of streams that were drained or closed by it.
    package func takeOutput(into output: inout [UInt8], limit: Int = 64 * 1024) -> Bool {
        guard !isDelivering else { return true }
        var taken = 0
        var hasMore = true
        while hasMore, !isEnded {
            guard taken < limit else { return true }
            hasNewOutput = false
            let count = take(into: &output)
            guard count >= 0 else {
                _ = fail(failure(of: count))
                return false
            }
            taken += count
            deliver(Span())
            if isEnded { break }
            hasMore = unsafe core.pointee.has_more != 0 || hasNewOutput
        }
        isOutputNoted = false
        hasNewOutput = false
        let code = unsafe core.pointee.failure
        if code != 0, !isEnded, failure == nil {
            let code = HTTP2ErrorCode(rawValue: code)
            let reason = unsafe tapline_h2_reason(core).map { unsafe ": \(String(cString: $0))" }
            ending = HTTP2Failure(code, "the peer violated the protocol\(reason ?? "")")
            closeStreams(code)
        }
        return false
    }

    private func take(into output: inout [UInt8]) -> Int {
        var result = 0
        output.append(addingCapacity: Self.step) { (span: inout OutputSpan<UInt8>) in
            unsafe span.withUnsafeMutableBufferPointer { buffer, count in
                guard let base = buffer.baseAddress else { return }
                result = unsafe tapline_h2_take(core, base + count, buffer.count - count)
                count += max(result, 0)
            }
        }
        return result
    }

    /// Notes that something was submitted, and notifies the delegate once.
    func noteSubmitted() {
        hasNewOutput = true
        guard !isOutputNoted, !isEnded else { return }
        isOutputNoted = true
        delegate?.hasOutput()
    }

    /// Notifies the delegate if nghttp2 has output of its own.
    func noteOutput() {
        guard !isOutputNoted || !hasNewOutput, !isEnded else { return }
        if unsafe nghttp2_session_want_write(core.pointee.session) != 0 { noteSubmitted() }
    }
}
