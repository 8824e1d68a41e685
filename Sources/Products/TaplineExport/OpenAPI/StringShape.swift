// SPDX-License-Identifier: MIT

internal import TaplineModel

/// What the strings at one place have in common.
struct StringShape {
    /// A format of JSON Schema (2020-12 §7.3), or of the OpenAPI format registry.
    enum Format: String, CaseIterable {
        case dateTime = "date-time"
        case date
        case uuid
        case ipv4
        case email
        case uri
    }

    /// The largest number of different values of an enumeration.
    private static let maxValues = 8
    /// How often values have to be seen on average before they are an enumeration.
    private static let timesEach = 4

    private var count = 0
    private var formats = Set(Format.allCases)
    /// The different values; `nil` if there are too many, or values that are not words.
    private var values: Set<String>? = []

    /// Adds an observed string.
    mutating func observe(_ bytes: Span<UInt8>) {
        count += 1
        if !formats.isEmpty {
            formats = formats.filter { Self.matches(bytes, $0) }
        }
        guard values != nil else { return }
        guard Self.isWord(bytes) else {
            values = nil
            return
        }
        values?.insert(ByteString(bytes).description)
        if let found = values, found.count > Self.maxValues { values = nil }
    }

    /// The first format that all strings have.
    var format: Format? { count == 0 ? nil : Format.allCases.first { formats.contains($0) } }

    /// The values, if they are few and were seen often.
    var enumeration: [String]? {
        guard let values, values.count > 1, format == nil, count >= Self.timesEach * values.count
        else {
            return nil
        }
        return values.sorted()
    }

    /// Whether a text may be shown as a value of an enumeration: a short word without digits, which
    /// no secret is.
    private static func isWord(_ bytes: Span<UInt8>) -> Bool {
        guard 1...24 ~= bytes.count else { return false }
        for index in bytes.indices {
            let byte = bytes[index]
            let isMark = byte == .ascii("_") || byte == .ascii("-") || byte == .ascii(".")
            if !byte.isLetter && !isMark { return false }
        }
        return true
    }

    private static func matches(_ bytes: Span<UInt8>, _ format: Format) -> Bool {
        switch format {
        case .dateTime: bytes.count >= 19 && Timestamp(rfc3339: bytes) != nil
        case .date: isDate(bytes)
        case .uuid: bytes.count == 36 && ExchangeID(bytes) != nil
        case .ipv4: isIPv4(bytes)
        case .email: isEmail(bytes)
        case .uri: URLParts(bytes).map { !$0.hostPort.isEmpty } ?? false
        }
    }

    private static func isDate(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count == 10, bytes[4] == .ascii("-"), bytes[7] == .ascii("-") else {
            return false
        }
        for index in bytes.indices where index != 4 && index != 7 && !bytes[index].isDigit {
            return false
        }
        return true
    }

    private static func isIPv4(_ bytes: Span<UInt8>) -> Bool {
        let parts = Array(copying: bytes).split(
            separator: .ascii("."),
            omittingEmptySubsequences: false
        )
        return parts.count == 4
            && parts.allSatisfy { 1...3 ~= $0.count && (Array($0).span.decimal ?? 256) < 256 }
    }

    private static func isEmail(_ bytes: Span<UInt8>) -> Bool {
        guard let at = bytes.firstIndex(of: .ascii("@")), at > 0,
            bytes.lastIndex(of: .ascii("@")) == at,
            let dot = bytes.lastIndex(of: .ascii(".")), dot > at + 1, dot < bytes.count - 1
        else { return false }
        return bytes.firstIndex(of: .ascii(" ")) == nil
    }
}
