// SPDX-License-Identifier: MIT

internal import TaplineModel

extension ResponseHead {
    /// Makes a head from the fields of an HTTP/2 message; it may be interim.
    ///
    /// - Parameters:
    ///   - list: The decoded fields.
    ///   - request: The request of the response.
    ///   - ends: Whether the message ends with its head.
    ///   - size: The number of bytes of the head on the wire, which become `headerBytes`.
    /// - Throws: Why the message is malformed: reset the stream (RFC 9113 §8.1.1).
    package init(
        _ list: borrowing FieldList,
        answering request: RequestKind,
        ends: Bool,
        size: Int
    ) throws(HTTPError) {
        let (pseudo, fields, framingFields) = try list.parts()
        guard let status = pseudo.status.flatMap({ list.text($0).decimal }) else {
            throw list.missing(":status")
        }
        let response = Response(status: status, version: "HTTP/2", fields: fields)
        self.init(response: consume response, lineBytes: 0, headerBytes: size)
        keepsAlive = true
        becomesTunnel = request.isConnect && 200..<300 ~= status
        let length = framingFields.contentLength
        if becomesTunnel || !Response.allowsContent(status, isHead: request.isHead) {
            framing = .none
        } else if let length {
            // RFC 9113 §8.1.1: it has to be the sum of the DATA frames.
            if ends, length > 0 { throw list.error(.lengthMismatch) }
            framing = .length(length)
        } else {
            framing = ends ? .length(0) : .chunked
        }
        // RFC 9113 §8.1: an interim response does not end the message.
        if isInterim, ends {
            throw list.error(.truncatedBody, "the message ends with an interim response")
        }
    }
}
