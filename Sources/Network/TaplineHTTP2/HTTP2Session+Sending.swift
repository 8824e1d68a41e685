// SPDX-License-Identifier: MIT

internal import CNGHTTP2
package import TaplineHTTP
package import TaplineModel

extension HTTP2Session {
    /// Sends a request (client role).
    ///
    /// - Parameters:
    ///   - request: The request; fields of an HTTP/1 connection are omitted.
    ///   - writing: How it is written, as for HTTP/1: `host` replaces the authority; of the
    ///     framings only a length is written.
    ///   - ends: Whether the message ends with its head.
    ///   - connectProtocol: The protocol of an extended CONNECT; empty for others.
    /// - Returns: The stream, whose owner is to be set; `nil` if the connection accepts no streams.
    /// - Throws: Why the request cannot be written; nothing was sent.
    package func request(
        _ request: borrowing Request,
        _ writing: RequestWriting,
        ends: Bool,
        connectProtocol: ByteString = ByteString()
    ) throws(HTTPError) -> HTTP2Stream? {
        guard acceptsStreams else { return nil }
        try writer.write(request, writing, connectProtocol: connectProtocol)
        let pointer = unsafe withFields { lines, count, bytes in
            unsafe tapline_h2_request(core, lines, count, bytes, ends ? 1 : 0)
        }
        guard let pointer = unsafe pointer else { return nil }
        unsafe pointer.pointee.sent.fields = UInt64(writer.bytes.count)
        let stream = unsafe HTTP2Stream(
            pointer,
            self,
            kind: RequestKind(method: request.method),
            reception: .response,
            hasSentHead: true
        )
        stream.connectProtocol = connectProtocol
        streamCount += 1
        noteSubmitted()
        return stream
    }

    /// The fields in the writer.
    enum Submission {
        case interim
        case response(ends: Bool)
        case trailers
    }

    /// Sends the fields in the writer.
    func submit(_ stream: HTTP2Stream, _ submission: Submission) {
        let pointer = unsafe stream.pointer
        let status = unsafe withFields { lines, count, bytes in
            switch submission {
            case .interim: unsafe tapline_h2_send_fields(core, pointer, lines, count, bytes, 0)
            case .trailers: unsafe tapline_h2_send_fields(core, pointer, lines, count, bytes, 1)
            case .response(let ends):
                unsafe tapline_h2_respond(core, pointer, lines, count, bytes, ends ? 1 : 0)
            }
        }
        // A stream that nghttp2 has closed since is not an error: its close is delivered next.
        if status != 0 {
            submitReset(stream.id, .internalError)
            return
        }
        unsafe pointer.pointee.sent.fields += UInt64(writer.bytes.count)
        noteSubmitted()
    }

    /// Lends the fields in the writer to C.
    private func withFields<Result>(
        _ body: (UnsafePointer<tapline_h2_line>?, Int, UnsafePointer<UInt8>?) -> Result
    ) -> Result {
        let (lines, bytes) = (writer.lines, writer.bytes)
        return unsafe lines.withUnsafeBytes { raw in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                let first = unsafe raw.baseAddress?.assumingMemoryBound(to: tapline_h2_line.self)
                return unsafe body(first, lines.count, bytes.baseAddress)
            }
        }
    }

    /// Lets nghttp2 send a stream's content.
    func resume(_ stream: HTTP2Stream) {
        guard unsafe stream.pointer.pointee.is_deferred != 0 else { return noteSubmitted() }
        unsafe tapline_h2_resume(core, stream.pointer)
        noteSubmitted()
    }

    /// Resets a stream.
    func submitReset(_ id: Int32, _ code: HTTP2ErrorCode) {
        unsafe nghttp2_submit_rst_stream(core.pointee.session, 0, id, code.rawValue)
        noteSubmitted()
    }

    /// Gives credit back for received content.
    func consume(_ stream: HTTP2Stream, _ count: Int) {
        guard !isEnded else { return }
        unsafe tapline_h2_consume(core, stream.pointer, count)
        noteOutput()
    }
}

extension HTTP2Session {
    /// Answers a request that has no owner with the fields in the writer; returns whether it was.
    func respond(_ pointer: UnsafeMutablePointer<tapline_h2_stream>) -> Bool {
        let status = unsafe withFields { lines, count, bytes in
            unsafe tapline_h2_respond(core, pointer, lines, count, bytes, 1)
        }
        return status == 0
    }
}
