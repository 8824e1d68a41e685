// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineJSON
package import TaplineModel

/// The content of a body for people: decoded, with JSON indented; binary content is only named.
package struct ReadableContent {
    /// The decoded bytes.
    package let bytes: [UInt8]
    /// Whether that is all of the content.
    package let isWhole: Bool
    private let type: ByteString

    /// Decodes the kept bytes; returns `nil` if not even the start can be decoded.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - fields: The fields of its message.
    ///   - limit: The maximum number of decoded bytes.
    package init?(_ body: Body, _ fields: FieldSection, limit: Int) {
        let decoded = DecodedContent(body, limits: DecodingLimits(maxOutputBytes: limit))
        if decoded.failure != nil, decoded.bytes.isEmpty { return nil }
        bytes = decoded.bytes
        isWhole = !body.isTruncated && decoded.failure == nil
        type = body.mediaType(fields)
    }

    /// Whether the content is declared as JSON or begins like JSON.
    package var mayBeJSON: Bool {
        guard let first = bytes.first else { return false }
        return type.isJSONMediaType || first == .ascii("{") || first == .ascii("[")
    }

    /// Whether the content is not readable for people.
    package var isBinary: Bool {
        for kind in ["image/", "audio/", "video/", "font/"] where type.span.starts(with: kind) {
            return !type.span.equals("image/svg+xml")
        }
        return bytes.looksBinary
    }

    /// The content as text: indented JSON, other text unchanged, or size and type of binary
    /// content.
    package var text: String {
        if mayBeJSON, isWhole, let laidOut { return laidOut }
        guard isBinary else { return String(decoding: bytes, as: UTF8.self) }
        return "(\(bytes.count) bytes\(type.isEmpty ? "" : " of \(type)"))"
    }

    private var laidOut: String? {
        var parser = JSONParser(maxDepth: 128)
        guard let document = try? parser.parse(bytes.span) else { return nil }
        var writer = JSONWriter()
        guard writer.pretty(document.root) else { return nil }
        return String(decoding: Array(copying: writer.bytes), as: UTF8.self)
    }
}

extension [UInt8] {
    /// Whether more than a tenth of the first bytes do not occur in text.
    var looksBinary: Bool {
        let sample = prefix(1024)
        var iterator = sample.makeIterator()
        var decoder = UTF8()
        var odd = 0
        // The end may be cut off within a character.
        var endsOddly = false
        reading: while true {
            let result = decoder.decode(&iterator)
            if case .emptyInput = result { break reading }
            if endsOddly { odd += 1 }
            endsOddly = result == .error
            if case .scalarValue(let scalar) = result, scalar.isOddInText { odd += 1 }
        }
        return odd * 10 > sample.count
    }
}

extension Unicode.Scalar {
    /// Whether this is a control character that does not occur in text.
    fileprivate var isOddInText: Bool {
        value < 0x20 && self != "\t" && self != "\n" && self != "\r"
    }
}
