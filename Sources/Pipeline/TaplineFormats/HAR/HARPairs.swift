// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A name and value in a list that HAR derives from a URL, from fields or from a form.
struct HARPair: Equatable {
    var name: [UInt8]
    var value: [UInt8]

    /// Whether both are equivalent: tools write values as sent, decoded or without their quotes.
    func says(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
        Self.says(self.name.span, name) && Self.says(self.value.span, value)
    }

    private static func says(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        if left.equals(right) { return true }
        let decoded = PercentEncoding.decode(unquoted(right), plusIsSpace: true)
        let own = PercentEncoding.decode(unquoted(left), plusIsSpace: true)
        return own == decoded
    }

    @_lifetime(copy text)
    private static func unquoted(_ text: Span<UInt8>) -> Span<UInt8> {
        guard text.count >= 2, text[0] == .ascii("\""), text[text.count - 1] == .ascii("\"") else {
            return text
        }
        return text.extracting(1..<text.count - 1)
    }
}

/// The lists that HAR derives from other parts of a message, for writing entries.
enum HARPairs {
    /// The items of a query, decoded.
    static func query(_ request: borrowing Request) -> [HARPair] {
        items(request.target.span, request.queryRange)
    }

    /// The fields of a form (the URL Standard's urlencoded parsing), decoded.
    static func form(_ bytes: Span<UInt8>) -> [HARPair] { items(bytes, 0..<bytes.count) }

    private static func items(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [HARPair] {
        var pairs: [HARPair] = []
        var items = QueryItems(range)
        while let item = items.next(in: bytes) {
            let name = PercentEncoding.decode(bytes.extracting(item.name), plusIsSpace: true)
            let value = PercentEncoding.decode(bytes.extracting(item.value), plusIsSpace: true)
            pairs.append(HARPair(name: name, value: value))
        }
        return pairs
    }

    /// The pairs of all Cookie fields (RFC 6265 section 4.2.1).
    static func cookies(_ fields: borrowing FieldSection) -> [HARPair] {
        var pairs: [HARPair] = []
        for value in fields.all("Cookie") {
            let bytes = value.span
            var position = 0
            while let pair = CookiePair(bytes, from: position) {
                append(bytes, pair, to: &pairs)
                position = pair.next
            }
        }
        return pairs
    }

    /// The name and value of each Set-Cookie field; its attributes are in the header.
    static func setCookies(_ fields: borrowing FieldSection) -> [HARPair] {
        var pairs: [HARPair] = []
        for value in fields.all("Set-Cookie") {
            let bytes = value.span
            if let pair = CookiePair(bytes, from: 0) { append(bytes, pair, to: &pairs) }
        }
        return pairs
    }

    /// Appends a pair; one without `=` is a value without a name (RFC 6265 bis §5.6).
    private static func append(
        _ field: Span<UInt8>,
        _ pair: CookiePair,
        to pairs: inout [HARPair]
    ) {
        let name = Array(copying: field.extracting(pair.name))
        if let value = pair.value {
            pairs.append(HARPair(name: name, value: Array(copying: field.extracting(value))))
        } else if !name.isEmpty {
            pairs.append(HARPair(name: [], value: name))
        }
    }
}
