// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineJSON
package import TaplineModel

/// The content of a body for people: decoded, JSON laid out, binary content named only.
package struct ReadableContent {
    /// The decoded bytes.
    package let bytes: [UInt8]
    /// Whether that is all of the content.
    package let isWhole: Bool
    private let type: ByteString

    /// Undoes the codings of the kept bytes; `nil` if not even the beginning can be decoded.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - fields: The fields of its message.
    ///   - limit: The most bytes that are decoded.
    package init?(_ body: Body, _ fields: FieldSection, limit: Int) {
        var bytes = body.bytes
        var isWhole = !body.isTruncated
        for coding in ContentCoding.list(body.coding.span).reversed() {
            var output: [UInt8] = []
            do {
                let limits = DecodingLimits(maxOutputBytes: limit)
                try ContentDecoder(coding, limits: limits)
                    .decodeWhole(bytes.span, appendingTo: &output)
            } catch {
                if output.isEmpty { return nil }
                isWhole = false
            }
            bytes = output
        }
        self.bytes = bytes
        self.isWhole = isWhole
        type = body.mediaType(fields)
    }

    /// Whether it says that it is JSON, or begins as JSON does.
    package var mayBeJSON: Bool {
        guard let first = bytes.first else { return false }
        return type.isJSONMediaType || first == .ascii("{") || first == .ascii("[")
    }

    /// Whether it is of no use to somebody who reads.
    package var isBinary: Bool {
        for kind in ["image/", "audio/", "video/", "font/"] where type.span.starts(with: kind) {
            return !type.span.equals("image/svg+xml")
        }
        let sample = bytes.prefix(1024)
        var iterator = sample.makeIterator()
        var decoder = UTF8()
        var odd = 0
        // What stands at the end may be cut off within a character.
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

    /// All of it as text: JSON laid out, other text as it is, of binary content the size and type.
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

extension Unicode.Scalar {
    /// Whether it is a control character that texts do not have.
    fileprivate var isOddInText: Bool {
        value < 0x20 && self != "\t" && self != "\n" && self != "\r"
    }
}
