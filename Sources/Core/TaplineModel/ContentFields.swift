// SPDX-License-Identifier: MIT

// How the fields that describe the content change when a message gets new content or is created.
// Scripts, Swift stages, in-process capture and generated responses all use this code.

extension Request {
    /// Replaces the content on the wire and updates the fields that describe it.
    ///
    /// For `request` hooks. Content-Encoding, Transfer-Encoding, digests, ETag, Trailer and the
    /// trailers are removed, since they belong to the previous content. Content-Length is set to
    /// the new size; empty content gets one only if there was one before.
    ///
    /// **Source**: RFC 9110 §8.6, RFC 9112 §6.
    public mutating func replaceContent(_ bytes: [UInt8]) {
        fields.replaceRequestContent(size: bytes.count)
        body = Body(bytes)
        trailers = FieldSection()
    }
}

extension Response {
    /// Replaces the content on the wire and updates the fields that describe it.
    ///
    /// For `response` hooks. Content-Encoding, Transfer-Encoding, digests, ETag, Trailer and the
    /// trailers are removed, since they belong to the previous content. Content-Length is set to
    /// the new size; a response of status 1xx or 204 has none.
    ///
    /// Set `status` before calling this.
    ///
    /// **Source**: RFC 9110 §8.6, RFC 9112 §6.
    public mutating func replaceContent(_ bytes: [UInt8]) {
        fields.replaceResponseContent(size: bytes.count, status: status)
        body = Body(bytes)
        trailers = FieldSection()
    }

    /// Sets the framing fields of a generated response to match its content, whatever they were.
    ///
    /// Responses of a stage (`Verdict.respond`) are framed this way automatically. The content is
    /// removed if the status does not allow any: 204, 205 and 304. In a response to HEAD the
    /// content is kept for the hooks, but not sent.
    package mutating func frame(answering method: ByteString) {
        if !body.isAbsent, !Response.allowsMadeContent(status) { body = Body() }
        fields.frameAnswer(size: body.bytes.count, status: status, isHead: method == "HEAD")
    }

    /// Whether content may follow the head of a response.
    ///
    /// If not, the response ends with its head, whatever its fields say.
    ///
    /// **Source**: RFC 9112 §6.3, item 1.
    @inlinable
    package static func allowsContent(_ status: Int, isHead: Bool) -> Bool {
        !isHead && status >= 200 && status != 204 && status != 304
    }

    /// Whether a generated response may have content.
    ///
    /// A 205 must not be generated with content, although other senders do so (RFC 9110 §15.3.6).
    package static func allowsMadeContent(_ status: Int) -> Bool {
        status != 205 && allowsContent(status, isHead: false)
    }
}

extension Body {
    /// Replaces the kept bytes of a record by complete bytes without coding.
    ///
    /// For `record` hooks. The fields of a record stay as received, and so does the size counted on
    /// the wire.
    public mutating func replaceRecorded(_ bytes: [UInt8]) {
        self = Body(bytes: bytes, size: size, contentType: contentType)
    }
}

extension FieldSection {
    /// Whether a field belongs to particular content only.
    ///
    /// These are codings and framing (RFC 9112 §6), digests (RFC 9530, RFC 3230, RFC 1864), the
    /// validator (RFC 9110 §8.8.3), and the names of trailers, which require chunked content.
    private static func belongsToContent(_ name: Span<UInt8>) -> Bool {
        switch name.count {
        case 4: name.equalsIgnoringCase("ETag")
        case 6: name.equalsIgnoringCase("Digest")
        case 7: name.equalsIgnoringCase("Trailer")
        case 11: name.equalsIgnoringCase("Content-MD5") || name.equalsIgnoringCase("Repr-Digest")
        case 14: name.equalsIgnoringCase("Content-Digest")
        case 16: name.equalsIgnoringCase("Content-Encoding")
        case 17: name.equalsIgnoringCase("Transfer-Encoding")
        default: false
        }
    }

    /// Whether a field describes the content, including its length and type.
    private static func describesContent(_ name: Span<UInt8>) -> Bool {
        switch name.count {
        case 12: name.equalsIgnoringCase("Content-Type")
        case 14: name.equalsIgnoringCase("Content-Length") || belongsToContent(name)
        default: belongsToContent(name)
        }
    }

    /// Updates the fields of a request for new content.
    ///
    /// - Parameter size: The size of the content, which is not coded.
    package mutating func replaceRequestContent(size: Int) {
        removeAll(where: FieldSection.belongsToContent)
        // RFC 9110 §8.6: a length of 0 is left out if the method expects no content.
        if size > 0 || contains("Content-Length") { set("Content-Length", to: String(size)) }
    }

    /// Updates the fields of a response for new content.
    ///
    /// - Parameters:
    ///   - size: The size of the content, which is not coded.
    ///   - status: The status code.
    package mutating func replaceResponseContent(size: Int, status: Int) {
        removeAll(where: FieldSection.belongsToContent)
        setLength(size, status: status)
    }

    /// Sets the framing fields of a generated response, whatever they were.
    ///
    /// With other framing, bytes of the content could be read as a further response (RFC 9112 §6).
    ///
    /// - Parameters:
    ///   - size: The size of the content, as it would be for GET; 0 if the status has none.
    ///   - status: The status code.
    ///   - isHead: Whether the request was a HEAD, whose response may state the length of content
    ///     that it does not have.
    package mutating func frameAnswer(size: Int, status: Int, isHead: Bool) {
        removeAll("Transfer-Encoding")
        // RFC 9110 §8.6: the length in a 304 is that of the 200 response in its place.
        if status == 304 { return }
        if isHead, size == 0, Response.allowsMadeContent(status), hasOneLength { return }
        setLength(size, status: status)
    }

    /// Sets the length of a response; 1xx and 204 never have the field (RFC 9110 §8.6).
    private mutating func setLength(_ size: Int, status: Int) {
        if status < 200 || status == 204 {
            removeAll("Content-Length")
        } else {
            set("Content-Length", to: String(size))
        }
    }

    private var hasOneLength: Bool {
        guard let position = firstIndex(of: "Content-Length"),
            firstIndex(of: "Content-Length", from: position + 1) == nil
        else { return false }
        return value(at: position).decimal != nil
    }

    /// Adds fields for content that was specified without them, unless the fields describe it
    /// already.
    ///
    /// - Parameters:
    ///   - size: The size on the wire.
    ///   - coding: The coding; empty if there is none.
    package mutating func describeContent(size: Int, coding: String = "") {
        if !coding.isEmpty, !contains("Content-Encoding") {
            append(name: "Content-Encoding", value: coding)
        }
        if !contains("Content-Length"), !contains("Transfer-Encoding") {
            append(name: "Content-Length", value: "\(size)")
        }
    }

    /// Restores the fields that describe the content from a previous section, after all others.
    package mutating func restoreContentFields(of former: FieldSection) {
        removeAll(where: FieldSection.describesContent)
        for position in former.indices {
            let name = former.name(at: position)
            if FieldSection.describesContent(name) {
                append(name: name, value: former.value(at: position))
            }
        }
    }

    private mutating func removeAll(where isRemoved: (Span<UInt8>) -> Bool) {
        var positions: [Int] = []
        for position in indices where isRemoved(name(at: position)) { positions.append(position) }
        remove(at: positions)
    }
}
