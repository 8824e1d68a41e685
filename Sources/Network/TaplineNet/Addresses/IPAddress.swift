// SPDX-License-Identifier: MIT

internal import TaplineModel

/// An IPv4 or IPv6 address.
@frozen @usableFromInline
package struct IPAddress: Hashable, Sendable {
    /// The upper 64 bits; 0 for IPv4.
    @usableFromInline package let high: UInt64
    /// The lower 64 bits; for IPv4 the lowest 32 are used.
    @usableFromInline package let low: UInt64
    /// Whether the address is IPv4.
    @usableFromInline package let isV4: Bool

    /// An IPv4 address from its number, such as `0x7F000001` for 127.0.0.1.
    @inlinable
    package init(v4 number: UInt32) {
        high = 0
        low = UInt64(number)
        isV4 = true
    }

    /// An IPv6 address from its two halves.
    @inlinable
    package init(v6High high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
        isV4 = false
    }

    /// 127.0.0.1.
    package static let loopbackV4 = IPAddress(v4: 0x7F00_0001)
    /// ::1.
    package static let loopbackV6 = IPAddress(v6High: 0, low: 1)
    /// 0.0.0.0, which means all addresses of the machine.
    package static let anyV4 = IPAddress(v4: 0)
    /// ::, which means all IPv6 addresses of the machine.
    package static let anyV6 = IPAddress(v6High: 0, low: 0)

    /// The IPv4 address that an IPv6 address maps (RFC 4291 §2.5.5.2); otherwise the address
    /// itself.
    ///
    /// A connection to `::ffff:127.0.0.1` reaches 127.0.0.1, so access checks have to use this
    /// address.
    @usableFromInline package var unmapped: IPAddress {
        !isV4 && high == 0 && low >> 32 == 0xFFFF
            ? IPAddress(v4: UInt32(truncatingIfNeeded: low)) : self
    }

    /// Whether the address is loopback (127.0.0.0/8, ::1), including mapped addresses.
    @usableFromInline package var isLoopback: Bool {
        let address = unmapped
        return address.isV4 ? address.low >> 24 == 127 : address.high == 0 && address.low == 1
    }

    /// Whether the address means all addresses of the machine; connecting to it reaches the
    /// machine.
    @usableFromInline package var isAny: Bool {
        let address = unmapped
        return address.high == 0 && address.low == 0
    }

    /// Whether the address is not part of the public internet: see `IPRange.privateRanges`.
    package var isPrivate: Bool {
        IPRange.privateRanges.contains { $0.contains(self) }
    }

    /// Whether the address is a multicast address (224.0.0.0/4, ff00::/8).
    package var isMulticast: Bool {
        let address = unmapped
        return address.isV4 ? address.low >> 28 == 0xE : address.high >> 56 == 0xFF
    }
}

// MARK: - Reading

extension IPAddress {
    /// Parses a literal: four decimal numbers, or RFC 4291 §2.2 text without brackets or zone.
    ///
    /// Returns `nil` if the text is not a literal. Octal, hexadecimal and shortened forms of IPv4
    /// are not accepted, since programs disagree on their meaning.
    package init?(_ text: String) {
        self.init(text.utf8.span)
    }

    /// Parses a literal.
    package init?(_ text: Span<UInt8>) {
        guard text.count <= 45 else { return nil }
        if text.firstIndex(of: .ascii(":")) == nil {
            guard let number = Self.v4(text, from: 0) else { return nil }
            self.init(v4: number)
        } else {
            guard let halves = Self.v6(text) else { return nil }
            self.init(v6High: halves.high, low: halves.low)
        }
    }

    /// Parses the dotted quad between `start` and the end.
    private static func v4(_ text: Span<UInt8>, from start: Int) -> UInt32? {
        var number: UInt32 = 0
        var part: UInt32 = 0
        var digits = 0
        var parts = 0
        for index in start..<text.count {
            let byte = text[index]
            if byte == .ascii(".") {
                guard digits > 0, parts < 3 else { return nil }
                number = number << 8 | part
                parts += 1
                part = 0
                digits = 0
                continue
            }
            guard 0x30...0x39 ~= byte else { return nil }
            // Some programs read a leading zero as octal.
            if digits > 0, part == 0 { return nil }
            part = part * 10 + UInt32(byte - 0x30)
            digits += 1
            if part > 255 { return nil }
        }
        return parts == 3 && digits > 0 ? number << 8 | part : nil
    }

    private static func v6(_ text: Span<UInt8>) -> (high: UInt64, low: UInt64)? {
        var groups: [UInt16] = []
        var gap: Int?
        var index = 0
        if text.count >= 2, text[0] == .ascii(":") {
            guard text[1] == .ascii(":") else { return nil }
            gap = 0
            index = 2
        }
        while index < text.count {
            guard groups.count < 8 else { return nil }
            var end = index
            var value: UInt32 = 0
            while end < text.count, let digit = text[end].hexDigit, end - index < 4 {
                value = value << 4 | UInt32(digit)
                end += 1
            }
            guard end > index else { return nil }
            if end < text.count, text[end] == .ascii(".") {
                guard let quad = v4(text, from: index) else { return nil }
                groups.append(UInt16(quad >> 16))
                groups.append(UInt16(truncatingIfNeeded: quad))
                index = text.count
                break
            }
            groups.append(UInt16(value))
            index = end
            guard index < text.count else { break }
            guard text[index] == .ascii(":") else { return nil }
            index += 1
            // A colon has to be followed by a group or by the single gap.
            guard index < text.count else { return nil }
            if text[index] == .ascii(":") {
                guard gap == nil else { return nil }
                gap = groups.count
                index += 1
            }
        }
        return joined(groups, gap: gap)
    }

    private static func joined(_ groups: [UInt16], gap: Int?) -> (high: UInt64, low: UInt64)? {
        guard gap == nil ? groups.count == 8 : groups.count <= 7 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for place in 0..<8 {
            var group: UInt16 = 0
            if place < gap ?? 8 {
                group = groups[place]
            } else if place >= 8 - groups.count + (gap ?? 8) {
                group = groups[place - 8 + groups.count]
            }
            high = high << 16 | low >> 48
            low = low << 16 | UInt64(group)
        }
        return (high, low)
    }
}

// MARK: - Writing

extension IPAddress: CustomStringConvertible {
    /// The literal; IPv6 in the form of RFC 5952, in lower case with the longest gap.
    @usableFromInline package var description: String {
        var text = ""
        if isV4 {
            for shift in [24, 16, 8, 0] {
                text += "\(low >> UInt64(shift) & 0xFF)" + (shift > 0 ? "." : "")
            }
            return text
        }
        if high == 0, low >> 32 == 0xFFFF { return "::ffff:\(unmapped)" }
        let groups = (0..<8).map { place -> UInt64 in
            (place < 4 ? high : low) >> UInt64(48 - place % 4 * 16) & 0xFFFF
        }
        let gap = Self.longestGap(groups)
        var place = 0
        while place < 8 {
            if place == gap.lowerBound, gap.count > 1 {
                text += "::"
                place = gap.upperBound
                continue
            }
            if place > 0, !text.hasSuffix(":") { text += ":" }
            text += String(groups[place], radix: 16)
            place += 1
        }
        return text
    }

    /// Returns the first of the longest runs of zero groups.
    private static func longestGap(_ groups: [UInt64]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for place in 0...8 where place == 8 || groups[place] != 0 {
            if place - start > longest.count { longest = start..<place }
            start = place + 1
        }
        return longest
    }
}
