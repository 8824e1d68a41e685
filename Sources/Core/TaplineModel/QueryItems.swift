// SPDX-License-Identifier: MIT

/// The items of a query or of an `application/x-www-form-urlencoded` body, as ranges of its bytes
/// (WHATWG URL §5.1).
///
/// Nothing is decoded or skipped: empty items are returned too.
@frozen
public struct QueryItems: Sendable {
    /// One `name=value`.
    @frozen
    public struct Item: Sendable {
        /// The range of the name, as written.
        public let name: Range<Int>
        /// The range of the value, as written; empty and after the name if there is no `=`.
        public let value: Range<Int>
    }

    private var position: Int
    private let end: Int

    /// The items within a range.
    public init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    /// Returns the next item; `nil` at the end.
    ///
    /// `bytes` must be the same in each call.
    public mutating func next(in bytes: Span<UInt8>) -> Item? {
        guard position < end else { return nil }
        var stop = position
        while stop < end, bytes[stop] != .ascii("&") { stop += 1 }
        var equals = position
        while equals < stop, bytes[equals] != .ascii("=") { equals += 1 }
        let item = Item(name: position..<equals, value: Swift.min(equals + 1, stop)..<stop)
        position = stop + 1
        return item
    }
}

extension QueryItems {
    /// A query with a new value for a name: the first item of the name gets it and the others are
    /// removed, or an item is appended if there is none.
    ///
    /// Other items stay as written. If the value is `nil`, the items of the name are removed. With
    /// `appends`, they stay, and another item is appended. Names and values are given decoded.
    package static func setting(
        _ name: Span<UInt8>,
        to value: [UInt8]?,
        appends: Bool,
        in query: Span<UInt8>
    ) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(query.count + 16)
        func append(_ item: Span<UInt8>) {
            if !output.isEmpty { output.append(.ascii("&")) }
            output.append(copying: item)
        }
        var made: [UInt8]?
        if let value {
            made =
                PercentEncoding.encode(name) + [.ascii("=")] + PercentEncoding.encode(value.span)
        }
        var items = QueryItems(0..<query.count)
        while let item = items.next(in: query) {
            let isOther = !PercentEncoding.decodes(
                query.extracting(item.name),
                to: name,
                plusIsSpace: true
            )
            if appends || isOther {
                append(query.extracting(item.name.lowerBound..<item.value.upperBound))
            } else if let item = made {
                append(item.span)
                made = nil
            }
        }
        if let made { append(made.span) }
        return output
    }
}

/// Percent-encoding (RFC 3986 §2.1) and the form encoding's plus sign.
public enum PercentEncoding {
    /// Decodes percent-encoding; a `%` that is not followed by two digits is kept.
    ///
    /// If `plusIsSpace` is set, a plus sign becomes a space.
    public static func decode(_ bytes: Span<UInt8>, plusIsSpace: Bool) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == .ascii("%"), index + 2 < bytes.count,
                let high = bytes[index + 1].hexDigit, let low = bytes[index + 2].hexDigit
            {
                output.append(high << 4 | low)
                index += 3
            } else {
                output.append(plusIsSpace && byte == .ascii("+") ? .ascii(" ") : byte)
                index += 1
            }
        }
        return output
    }

    /// Returns whether decoding with `decode` changes the bytes.
    package static func decodes(
        _ bytes: Span<UInt8>,
        to decoded: Span<UInt8>,
        plusIsSpace: Bool
    ) -> Bool {
        var index = 0
        var position = 0
        while index < bytes.count, position < decoded.count {
            var byte = bytes[index]
            index += 1
            if byte == .ascii("%"), index + 1 < bytes.count,
                let high = bytes[index].hexDigit, let low = bytes[index + 1].hexDigit
            {
                byte = high << 4 | low
                index += 2
            } else if plusIsSpace, byte == .ascii("+") {
                byte = .ascii(" ")
            }
            if byte != decoded[position] { return false }
            position += 1
        }
        return index == bytes.count && position == decoded.count
    }

    /// Encodes everything but the unreserved characters of RFC 3986 §2.3.
    public static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        for index in bytes.indices {
            let byte = bytes[index]
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                output.append(byte)
            default:
                escape(byte, into: &output)
            }
        }
        return output
    }

    /// Appends a byte in percent-encoding, even if it is unreserved.
    package static func escape(_ byte: UInt8, into output: inout [UInt8]) {
        output.append(.ascii("%"))
        output.append(hexDigit(byte >> 4))
        output.append(hexDigit(byte & 0xF))
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x37 + value
    }
}
