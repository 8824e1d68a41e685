// SPDX-License-Identifier: MIT

extension Request {
    /// What the content is, as in Content-Type: what the fields say, or else what the recording
    /// knows; empty if neither says anything.
    public var contentType: ByteString { body.contentType(fields) }

    /// The media type of the content in small letters, without parameters.
    public var mediaType: ByteString { body.mediaType(fields) }
}

extension Response {
    /// What the content is, as in Content-Type: what the fields say, or else what the recording
    /// knows; empty if neither says anything.
    public var contentType: ByteString { body.contentType(fields) }

    /// The media type of the content in small letters, without parameters.
    public var mediaType: ByteString { body.mediaType(fields) }
}

extension Response {
    /// Whether the fields say that the content is a stream of server-sent events (HTML standard,
    /// "Server-sent events").
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
    /// What the content is, as in Content-Type.
    ///
    /// All that looks at the type of a body asks here.
    /// - Parameter fields: The fields of the message that the body belongs to.
    /// - Returns: The first value of Content-Type that is not empty, or else what the recording
    ///   knows.
    public func contentType(_ fields: borrowing FieldSection) -> ByteString {
        fields.contentType ?? contentType
    }

    /// The media type of the content in small letters, without parameters.
    /// - Parameter fields: The fields of the message that the body belongs to.
    /// - Returns: The type; empty if neither the fields nor the recording say anything.
    public func mediaType(_ fields: borrowing FieldSection) -> ByteString {
        contentType(fields).mediaType
    }

    /// Notes what a recording says of the content beside the fields.
    ///
    /// Nothing is noted if the fields say the same, parameters aside.
    /// - Parameters:
    ///   - type: The type, in the words of Content-Type.
    ///   - fields: The fields of the message that the body belongs to.
    public mutating func noteContentType(
        _ type: ByteString,
        _ fields: borrowing FieldSection
    ) {
        let isSaid = fields.contentType.map { $0.mediaType == type.mediaType } ?? false
        contentType = isSaid ? ByteString() : type
    }
}

extension FieldSection {
    /// The media type that the fields name, in small letters, without parameters (RFC 9110
    /// §8.3.1); empty if there is no such field.
    ///
    /// `mediaType` of a message also knows what a recording says beside the fields.
    public var mediaType: ByteString { contentType?.mediaType ?? ByteString() }

    /// The first value of Content-Type that is not empty.
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
    /// What stands before the parameters of a value of Content-Type, in small letters (RFC 9110
    /// §8.3.1).
    public var mediaType: ByteString {
        let bytes = span
        let end = bytes.firstIndex(of: .ascii(";")) ?? bytes.count
        let type = bytes.extracting(bytes.trimmed(0..<end))
        return ByteString(Array(copying: type).map(\.asciiLowercased))
    }

    /// Whether a media type, in small letters, is JSON: `application/json`, `text/json`, or one
    /// with the suffix `+json` (RFC 6839 §3.1).
    public var isJSONMediaType: Bool {
        let bytes = span
        if bytes.equals("application/json") || bytes.equals("text/json") { return true }
        return bytes.count > 5 && bytes.extracting(bytes.count - 5..<bytes.count).equals("+json")
    }
}
