// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// A JSON Web Token in a text, in the compact serialization (RFC 7515 §7.1, RFC 7516 §7.1).
struct JSONWebToken {
    /// The maximum size of a part that is decoded.
    private static let maxPart = 64 << 10

    /// The decoded header, a JSON object.
    let header: [UInt8]
    /// The decoded payload; `nil` if it is encrypted, or not base64.
    let payload: [UInt8]?
    /// The signature, or the key and all other encrypted parts; empty if there is none.
    let secret: Range<Int>

    /// Finds the first token at or after a position.
    ///
    /// **Limits**: takes linear time, since each run of base64 is read at most twice.
    static func find(
        in text: Span<UInt8>,
        from start: Int,
        _ parser: inout JSONParser
    ) -> JSONWebToken? {
        var position = start
        // The base64 of `{"`, with which each header begins.
        while let head = text.firstIndex(of: "eyJ".utf8.span, in: position..<text.count) {
            let end = text.base64End(from: head)
            position = end
            let isWordStart = head == 0 || !(text[head - 1].isBase64URL || text[head - 1] == dot)
            guard isWordStart, end < text.count, text[end] == dot,
                let token = JSONWebToken(text, head..<end, &parser)
            else { continue }
            return token
        }
        return nil
    }

    private static let dot = UInt8.ascii(".")

    private init?(_ text: Span<UInt8>, _ first: Range<Int>, _ parser: inout JSONParser) {
        guard let header = Self.decode(text, first), Self.isHeader(header.span, &parser) else {
            return nil
        }
        self.header = header
        let second = first.upperBound + 1..<text.base64End(from: first.upperBound + 1)
        var ends = [second.upperBound]
        while ends.count < 4, let end = ends.last, end < text.count, text[end] == Self.dot {
            ends.append(text.base64End(from: end + 1))
        }
        // A signed token has three parts, an encrypted one has five.
        switch ends.count {
        case 4:
            payload = nil
            secret = second.lowerBound..<ends[3]
        case 2, 3:
            guard !second.isEmpty else { return nil }
            payload = Self.decode(text, second)
            secret = min(second.upperBound + 1, ends[1])..<ends[1]
        default:
            return nil
        }
    }

    private static func decode(_ text: Span<UInt8>, _ part: Range<Int>) -> [UInt8]? {
        guard part.count <= maxPart else { return nil }
        var bytes: [UInt8] = []
        guard Base64.decode(text.extracting(part), .compact, into: &bytes) == nil else {
            return nil
        }
        return bytes
    }

    /// Whether this is a JSON object that names an algorithm.
    private static func isHeader(_ bytes: Span<UInt8>, _ parser: inout JSONParser) -> Bool {
        guard let document = try? parser.parse(bytes) else { return false }
        return document.root.member("alg") != nil
    }
}

extension Span where Element == UInt8 {
    /// The end of the run of base64 digits from a position on.
    fileprivate func base64End(from start: Int) -> Int {
        var end = start
        while end < count, self[end].isBase64URL { end += 1 }
        return end
    }
}

extension UInt8 {
    /// Whether this is a digit of base64url (RFC 4648 §5).
    fileprivate var isBase64URL: Bool {
        isLetter || isDigit || self == .ascii("-") || self == .ascii("_")
    }
}
