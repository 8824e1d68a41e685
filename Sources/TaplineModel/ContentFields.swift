// SPDX-License-Identifier: MIT

// What becomes of the fields that describe the content when a message gets other content, or is
// made up. It is decided here for scripts, Swift stages, in-process capture and answers alike.

extension Request {
    /// Replaces the content on the wire; the fields that describe it follow.
    ///
    /// For hooks `request`. Content-Encoding, Transfer-Encoding, digests, ETag, Trailer and the
    /// trailers go, since they belong to the former content. Content-Length becomes the new size;
    /// empty content gets one only where there was one before.
    ///
    /// **Source**: RFC 9110 §8.6, RFC 9112 §6.
    public mutating func replaceContent(_ bytes: [UInt8]) {
        fields.replaceRequestContent(size: bytes.count)
        body = Body(bytes)
        trailers = FieldSection()
    }
}

extension Response {
    /// Replaces the content on the wire; the fields that describe it follow.
    ///
    /// For hooks `response`. Content-Encoding, Transfer-Encoding, digests, ETag, Trailer and the
    /// trailers go, since they belong to the former content. Content-Length becomes the new size;
    /// a response of status 1xx or 204 has none.
    ///
    /// Set `status` before.
    ///
    /// **Source**: RFC 9110 §8.6, RFC 9112 §6.
    public mutating func replaceContent(_ bytes: [UInt8]) {
        fields.replaceResponseContent(size: bytes.count, status: status)
        body = Body(bytes)
        trailers = FieldSection()
    }

    /// Gives an answer that was made up the framing of its content, whatever its fields say.
    ///
    /// What a stage answers with (`Verdict.respond`) is framed so without its doing. Content goes
    /// where the status has none: 204, 205 and 304. Content in the answer to HEAD stays for the
    /// hooks, and is not sent.
    public mutating func frame(answering method: ByteString) {
        if !body.isAbsent, !Response.allowsMadeContent(status) { body = Body() }
        fields.frameAnswer(size: body.bytes.count, status: status, isHead: method == "HEAD")
    }

    /// Whether content may follow the head of a response.
    ///
    /// Where it may not, the response ends with its head, whatever its fields say.
    ///
    /// **Source**: RFC 9112 §6.3, item 1.
    @inlinable
    package static func allowsContent(_ status: Int, isHead: Bool) -> Bool {
        !isHead && status >= 200 && status != 204 && status != 304
    }

    /// Whether an answer that is made up may have content: 205 must not be made with any, but others
    /// send it (RFC 9110 §15.3.6).
    package static func allowsMadeContent(_ status: Int) -> Bool {
        status != 205 && allowsContent(status, isHead: false)
    }
}

extension Body {
    /// Replaces the kept bytes of a record by whole bytes that are not coded.
    ///
    /// For hooks `record`. The fields of a record stay as they were received, and so does the size
    /// that was counted on the wire.
    public mutating func replaceRecorded(_ bytes: [UInt8]) {
        self = Body(bytes: bytes, size: size, contentType: contentType)
    }
}

extension FieldSection {
    /// Whether a field of this name belongs to certain content and to no other: codings and framing
    /// (RFC 9112 §6), digests (RFC 9530, RFC 3230, RFC 1864), the validator (RFC 9110 §8.8.3), and
    /// the names of trailers, which only content in chunks has.
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

    /// Whether a field of this name says anything of the content, its length and type included.
    private static func describesContent(_ name: Span<UInt8>) -> Bool {
        switch name.count {
        case 12: name.equalsIgnoringCase("Content-Type")
        case 14: name.equalsIgnoringCase("Content-Length") || belongsToContent(name)
        default: belongsToContent(name)
        }
    }

    /// Has the fields of a request follow its new content.
    ///
    /// - Parameter size: The size of the content, which is not coded.
    package mutating func replaceRequestContent(size: Int) {
        removeAll(where: FieldSection.belongsToContent)
        // RFC 9110 §8.6: where a method expects no content, a length of 0 is left out.
        if size > 0 || contains("Content-Length") { set("Content-Length", to: String(size)) }
    }

    /// Has the fields of a response follow its new content.
    ///
    /// - Parameters:
    ///   - size: The size of the content, which is not coded.
    ///   - status: The status code.
    package mutating func replaceResponseContent(size: Int, status: Int) {
        removeAll(where: FieldSection.belongsToContent)
        setLength(size, status: status)
    }

    /// Gives the fields of an answer that was made up the framing of its content, whatever they say:
    /// another one would let bytes of the content pass for a further response (RFC 9112 §6).
    ///
    /// - Parameters:
    ///   - size: The size of the content, as it would be for GET; 0 if the status has none.
    ///   - status: The status code.
    ///   - isHead: Whether the request was a HEAD, whose answer may give the length of content that
    ///     it does not have.
    package mutating func frameAnswer(size: Int, status: Int, isHead: Bool) {
        removeAll("Transfer-Encoding")
        // RFC 9110 §8.6: the length in a 304 is that of the response it stands for.
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

    /// Describes content that was written down without its fields, where they say nothing of it.
    ///
    /// - Parameters:
    ///   - size: The size on the wire.
    ///   - coding: How it is coded; empty if it is not.
    package mutating func describeContent(size: Int, coding: String = "") {
        if !coding.isEmpty, !contains("Content-Encoding") {
            append(name: "Content-Encoding", value: coding)
        }
        if !contains("Content-Length"), !contains("Transfer-Encoding") {
            append(name: "Content-Length", value: "\(size)")
        }
    }

    /// Takes the fields that describe the content back from a former section, after its others.
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
