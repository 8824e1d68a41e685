// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Where to find an id and how to interpret it.
struct Extractor: Sendable {
    /// Where the value is.
    enum Place: Sendable {
        /// The trace id in `traceparent` (W3C Trace Context).
        case trace
        case header(String)
        case json(JSONValuePath)
    }

    /// Which message contains the value.
    enum Message: Sendable, Equatable {
        case request
        case response
        /// The request or, if the value is not there, the response.
        case any
    }

    /// How the value is encoded.
    enum Coding: Sendable, Equatable {
        case percent
        case base64
        case hex
    }

    /// A part of the value that is recorded separately.
    struct Part: Sendable {
        /// `nil` for a part that is not recorded.
        let name: String?
        /// Its path in a JSON value; `nil` if the part is identified by its position.
        let path: JSONValuePath?
        let codings: [Coding]
    }

    let place: Place
    let message: Message
    let tag: String
    let codings: [Coding]
    let separator: [UInt8]
    let parts: [Part]
    /// How the user wrote it, in one word.
    let name: String

    /// Creates an extractor that uses the value unchanged.
    init(_ place: Place, name: String) {
        self.init(place, name: name, message: .any, tag: Correlation.tag)
    }

    init(
        _ place: Place,
        name: String,
        message: Message,
        tag: String,
        codings: [Coding] = [],
        separator: String = "",
        parts: [Part] = []
    ) {
        self.place = place
        self.name = name
        self.message = message
        self.tag = tag
        self.codings = codings
        self.separator = Array(separator.utf8)
        self.parts = parts
    }

    /// The default extractors.
    static let usual = [
        Extractor(.trace, name: "traceparent"),
        Extractor(.header("x-request-id"), name: "x-request-id"),
        Extractor(.header("x-correlation-id"), name: "x-correlation-id"),
    ]
}

// MARK: - Tags

extension Extractor {
    /// Returns the tags for a value: the id and its parts.
    ///
    /// Returns no tags if the value cannot be decoded or is too long.
    func tags(of value: [UInt8], maxBytes: Int) -> [(name: String, text: String)] {
        guard let whole = Extractor.decode(value, codings) else { return [] }
        var found: [(name: String, text: String)] = []
        if let id = Extractor.text(parts.isEmpty ? whole : value, maxBytes) {
            found.append((tag, id))
        }
        for (part, bytes) in zip(parts, pieces(of: whole)) {
            guard let name = part.name, let bytes,
                let decoded = Extractor.decode(bytes, part.codings),
                let text = Extractor.text(decoded, maxBytes)
            else { continue }
            if name == "id" {
                found.removeAll { $0.name == tag }
                found.insert((tag, text), at: 0)
            } else {
                found.append(("\(tag).\(name)", text))
            }
        }
        return found
    }

    /// Returns the bytes of each part; `nil` for a missing part.
    private func pieces(of whole: [UInt8]) -> [[UInt8]?] {
        if parts.contains(where: { $0.path != nil }) {
            var parser = JSONParser(surrogates: .replace)
            guard let document = try? parser.parse(whole.span) else { return [] }
            let root = document.root
            var pieces: [[UInt8]?] = []
            for part in parts { pieces.append(part.path.flatMap { $0.text(in: root) }) }
            return pieces
        }
        guard !separator.isEmpty else { return [whole] }
        var pieces: [[UInt8]?] = []
        var start = 0
        var position = 0
        while position < whole.count {
            if whole[position...].starts(with: separator) {
                pieces.append(Array(whole[start..<position]))
                position += separator.count
                start = position
            } else {
                position += 1
            }
        }
        pieces.append(Array(whole[start...]))
        return pieces
    }

    /// Returns the text, or `nil` if it is too long or contains control characters.
    private static func text(_ bytes: [UInt8], _ maxBytes: Int) -> String? {
        guard !bytes.isEmpty, bytes.count <= maxBytes,
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Decodes the value with each coding in order.
    private static func decode(_ bytes: [UInt8], _ codings: [Coding]) -> [UInt8]? {
        var bytes = bytes
        for coding in codings {
            switch coding {
            case .percent: bytes = PercentEncoding.decode(bytes.span, plusIsSpace: false)
            case .base64:
                var decoded: [UInt8] = []
                guard Base64.decode(bytes.span, .lenient, into: &decoded) == nil else { return nil }
                bytes = decoded
            case .hex:
                guard let decoded = Extractor.hex(bytes) else { return nil }
                bytes = decoded
            }
        }
        return bytes
    }

    private static func hex(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count % 2 == 0 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count / 2)
        for index in stride(from: 0, to: bytes.count, by: 2) {
            guard let high = bytes[index].hexDigit, let low = bytes[index + 1].hexDigit else {
                return nil
            }
            output.append(high << 4 | low)
        }
        return output
    }
}
