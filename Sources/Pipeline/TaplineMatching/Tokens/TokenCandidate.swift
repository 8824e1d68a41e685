// SPDX-License-Identifier: MIT

internal import TaplineModel

/// How likely a text is a token: a value that only its server knows before it hands it out.
enum TokenLikelihood: Sendable, Hashable {
    /// The text is not a token: a word, a date or a mask; or it is too short to tell.
    case none
    /// A short text with a digit that may be an id; its place must say so too.
    case short
    /// The text is long and varied enough that two equal ones are not a coincidence.
    case long

    static let maxLength = 8192

    /// Returns the likelihood of a text, by its form alone.
    init(_ bytes: [UInt8]) {
        guard 1...Self.maxLength ~= bytes.count else {
            self = .none
            return
        }
        var digits = 0
        var letters = 0
        var capitals = 0
        var others = 0
        // The bytes that occur, of 128.
        var low: UInt64 = 0
        var high: UInt64 = 0
        for byte in bytes {
            switch byte {
            case 0x30...0x39: digits += 1
            case 0x61...0x7A: letters += 1
            case 0x41...0x5A: capitals += 1
            case 0x21...0x7E: others += 1
            default:
                // Tokens have no blanks, control characters or letters beyond ASCII.
                self = .none
                return
            }
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
        }
        let distinct = low.nonzeroBitCount + high.nonzeroBitCount
        if digits + letters + capitals == 0 || Self.isDateOrTime(bytes, digits) {
            self = .none
        } else if bytes.count >= 6, distinct >= 4, digits > 0, !Self.isVersion(bytes) {
            self = .long
        } else if bytes.count >= 16, distinct >= 8, letters > 0, capitals > 1, others <= 2 {
            self = .long
        } else if bytes.count < 40, digits > 0 {
            // Short texts without a digit are words: a state, a kind, a currency.
            self = .short
        } else {
            self = .none
        }
    }

    /// Whether a text is a date, a time since 1970, or begins with a date (RFC 3339).
    private static func isDateOrTime(_ bytes: [UInt8], _ digits: Int) -> Bool {
        if bytes.count >= 8, bytes[0].isDigit, bytes[1].isDigit, bytes[2].isDigit,
            bytes[3].isDigit, bytes[4] == .ascii("-"), bytes[5].isDigit, bytes[6].isDigit,
            bytes[7] == .ascii("-")
        {
            return bytes.count < 36
        }
        // Seconds and milliseconds from 2001 to 2033.
        guard digits == bytes.count, digits == 10 || digits == 13 else { return false }
        return bytes[0] == .ascii("1")
    }

    /// Whether a text is a version or an amount: digits and points only, or `HTTP/1.1`.
    private static func isVersion(_ bytes: [UInt8]) -> Bool {
        var points = 0
        for byte in bytes {
            if byte == .ascii(".") { points += 1 } else if !byte.isDigit { return false }
        }
        return points > 0
    }
}

extension ValuePlace {
    /// Whether the name says that values are ids or tokens: `order_id`, `userId`, `code`.
    var isNamedLikeID: Bool {
        guard let name = nameOfValue else { return false }
        return ValuePlace.isNamedLikeID(Array(copying: name.span))
    }

    /// What names the value: the name of its part, or the path in a JSON body.
    private var nameOfValue: ByteString? {
        if case .query(let name) = detail { return name }
        return switch part {
        case .query(let name), .cookie(let name), .form(let name), .meta(let name): name
        case .json(let path): path
        case .segment, .header, .link, .text: nil
        }
    }

    private static func isNamedLikeID(_ name: [UInt8]) -> Bool {
        // Paths of JSON end with the name of the member, which quotes and brackets may follow.
        var end = name.count
        while end > 0, !name[end - 1].isLetter, !name[end - 1].isDigit { end -= 1 }
        if name.hasSuffix("Id", before: end) || name.hasSuffix("ID", before: end) { return true }
        for suffix in names where name.hasSuffix(suffix, before: end) {
            let before = end - suffix.utf8.count - 1
            if before < 0 || !name[before].isLetter { return true }
        }
        return false
    }

    private static let names = [
        "id", "ids", "uuid", "guid", "key", "code", "token", "number", "no", "ref", "reference",
        "cursor", "next", "after", "before", "csrf", "nonce", "state", "ticket", "otp", "pin",
        "slug", "handle", "session", "sid", "version", "etag", "rev", "revision",
    ]

    /// Whether a response may hand out a short id at the place.
    func handsOutShort(_ bytes: [UInt8]) -> Bool {
        switch (detail, part) {
        case (.segment, _): true
        case (.whole, .json), (.whole, .form): isNamedLikeID || ValuePlace.isNumber(bytes)
        default: isNamedLikeID
        }
    }

    /// Whether a request may send back a short id at the place.
    func sendsBackShort(_ bytes: [UInt8]) -> Bool {
        if case .segment = part { return ValuePlace.hasDigit(bytes) }
        return isNamedLikeID
    }

    /// Whether a text is a whole number of at least two digits.
    private static func isNumber(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2 else { return false }
        for byte in bytes where !byte.isDigit { return false }
        return true
    }

    private static func hasDigit(_ bytes: [UInt8]) -> Bool {
        for byte in bytes where byte.isDigit { return true }
        return false
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ suffix: String, before end: Int) -> Bool {
        self[..<end].suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}

/// A hash of a text, which stands for the text in tables that must be small.
///
/// It depends on a random seed of the process and never leaves it.
struct TokenFingerprint: Hashable, Sendable {
    private let value: UInt64

    /// - Parameters:
    ///   - bytes: The text.
    ///   - scope: A number within which the text is compared; 0 for all.
    init(_ bytes: [UInt8], in scope: UInt64 = 0) {
        var hasher = Hasher()
        hasher.combine(scope)
        hasher.combine(bytes.span)
        value = UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
