// SPDX-License-Identifier: MIT

extension Request {
    /// The content type, from the fields or else from the recording; empty if neither has one.
    public var contentType: ByteString { body.contentType(fields) }

    /// The media type of the content in lower case, without parameters.
    public var mediaType: ByteString { body.mediaType(fields) }
}

extension Response {
    /// The content type, from the fields or else from the recording; empty if neither has one.
    public var contentType: ByteString { body.contentType(fields) }

    /// The media type of the content in lower case, without parameters.
    public var mediaType: ByteString { body.mediaType(fields) }
}

extension Response {
    /// Whether the fields declare a stream of server-sent events.
    ///
    /// **Source**: HTML standard, "Server-sent events".
    package var isEventStream: Bool {
        guard let position = fields.firstIndex(of: "Content-Type") else { return false }
        let value = fields.value(at: position)
        let count = 17
        guard value.count >= count,
            value.extracting(0..<count).equalsIgnoringCase("text/event-stream")
        else { return false }
        if value.count == count { return true }
        let next = value[count]
        return next == .ascii(";") || next == .ascii(" ") || next == .ascii("\t")
    }
}

extension Body {
    /// The type of the content, as in Content-Type.
    ///
    /// All code that needs the type of a body uses this.
    /// - Parameter fields: The fields of the message that the body belongs to.
    /// - Returns: The first non-empty value of Content-Type, or else the type from the recording.
    package func contentType(_ fields: borrowing FieldSection) -> ByteString {
        fields.contentType ?? contentType
    }

    /// The media type of the content in lower case, without parameters.
    ///
    /// - Parameter fields: The fields of the message that the body belongs to.
    /// - Returns: The type; empty if neither the fields nor the recording have one.
    package func mediaType(_ fields: borrowing FieldSection) -> ByteString {
        contentType(fields).mediaType
    }

    /// Stores the content type that a recording states in addition to the fields.
    ///
    /// Nothing is stored if the fields state the same type, ignoring parameters.
    /// - Parameters:
    ///   - type: The type, as in Content-Type.
    ///   - fields: The fields of the message that the body belongs to.
    package mutating func noteContentType(
        _ type: ByteString,
        _ fields: borrowing FieldSection
    ) {
        let isSaid = fields.contentType.map { $0.mediaType == type.mediaType } ?? false
        contentType = isSaid ? ByteString() : type
    }
}

extension FieldSection {
    /// The media type in the fields, in lower case and without parameters (RFC 9110 §8.3.1).
    ///
    /// Empty if there is no such field. The `mediaType` of a message also considers the type that a
    /// recording states.
    public var mediaType: ByteString { contentType?.mediaType ?? ByteString() }

    /// The first non-empty value of Content-Type.
    fileprivate var contentType: ByteString? {
        var start = 0
        while let position = firstIndex(of: "content-type", from: start) {
            let value = self.value(at: position)
            if !value.trimmed(0..<value.count).isEmpty { return ByteString(value) }
            start = position + 1
        }
        return nil
    }
}

extension ByteString {
    /// The part of a Content-Type value before the parameters, in lower case (RFC 9110 §8.3.1).
    public var mediaType: ByteString {
        let bytes = span
        let end = bytes.firstIndex(of: .ascii(";")) ?? bytes.count
        return ByteString(lowercasing: bytes.extracting(bytes.trimmed(0..<end)))
    }

    /// Whether a lower-case media type is JSON: `application/json`, `text/json`, or one with the
    /// suffix `+json` (RFC 6839 §3.1).
    public var isJSONMediaType: Bool {
        let bytes = span
        if bytes.equals("application/json") || bytes.equals("text/json") { return true }
        return bytes.count > 5 && bytes.extracting(bytes.count - 5..<bytes.count).equals("+json")
    }
}
