// SPDX-License-Identifier: MIT

internal import TaplineJSON

/// JSON Web Tokens in the compact serialization (RFC 7515 §7.1, RFC 7516 §7.1).
enum JSONWebToken {
    /// The maximum length of a header, in base64 characters.
    static let maxHeader = 8_192

    /// Returns the token at a match; `nil` if its first part is not a JWT header.
    ///
    /// **Limits.** A check begins only at the start of a word and continues after the first part
    /// only if that is a header, so that each run of base64 is read at most twice.
    static func range(
        in text: Span<UInt8>,
        head: Range<Int>,
        _ memory: inout CheckMemory
    ) -> Range<Int>? {
        let start = head.lowerBound
        guard text.byte(start - 1) != 0x2D, text.isWordStart(start) else { return nil }
        let header = text.end(of: .base64URL, from: head.upperBound)
        guard text.byte(header) == 0x2E, header - start <= maxHeader,
            isHeader(text.extracting(start..<header), &memory)
        else { return nil }
        var end = header
        // A signed token has three parts, an encrypted one has five; the last may be empty.
        for part in 1...4 {
            guard text.byte(end) == 0x2E else { break }
            let next = text.end(of: .base64URL, from: end + 1)
            if part == 1, next == end + 1, text.byte(next) != 0x2E { return nil }
            end = next
        }
        return start..<end
    }

    /// Returns whether a part is the base64 of a JSON object that names an algorithm.
    private static func isHeader(_ part: Span<UInt8>, _ memory: inout CheckMemory) -> Bool {
        memory.decoded.removeAll(keepingCapacity: true)
        guard Base64.decode(part, .lenient, into: &memory.decoded) == nil else { return false }
        let decoded = memory.decoded
        return holdsAlgorithm(decoded.span, &memory.parser)
    }

    private static func holdsAlgorithm(_ bytes: Span<UInt8>, _ parser: inout JSONParser) -> Bool {
        guard let document = try? parser.parse(bytes) else { return false }
        var members = document.root.members
        while let member = members.next() {
            if member.key.matches("alg") { return true }
        }
        return false
    }
}
