// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A name and a value of one of the lists that HAR makes of a URL, of fields or of a form.
struct HARPair: Equatable {
    var name: [UInt8]
    var value: [UInt8]

    /// Whether both say the same: tools write values as sent, decoded or without their quotes.
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

/// The lists that HAR makes of other parts of a message; an entry is written with these.
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
            var start = 0
            while start < bytes.count {
                let end = bytes.firstIndex(of: .ascii(";"), from: start) ?? bytes.count
                append(bytes, start..<end, to: &pairs)
                start = end + 1
            }
        }
        return pairs
    }

    /// Name and value of each Set-Cookie field; its attributes are in the header.
    static func setCookies(_ fields: borrowing FieldSection) -> [HARPair] {
        var pairs: [HARPair] = []
        for value in fields.all("Set-Cookie") {
            let bytes = value.span
            append(bytes, 0..<(bytes.firstIndex(of: .ascii(";")) ?? bytes.count), to: &pairs)
        }
        return pairs
    }

    private static func append(
        _ value: Span<UInt8>,
        _ range: Range<Int>,
        to pairs: inout [HARPair]
    ) {
        let range = value.trimmed(range)
        if range.isEmpty { return }
        let text = value.extracting(range)
        guard let equals = text.firstIndex(of: .ascii("=")) else {
            pairs.append(HARPair(name: [], value: Array(copying: text)))
            return
        }
        pairs.append(
            HARPair(
                name: Array(copying: text.extracting(0..<equals)),
                value: Array(copying: text.extracting(equals + 1..<text.count))
            )
        )
    }
}
