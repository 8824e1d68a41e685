// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// IP addresses.
enum NetworkAddress {
    /// Returns four numbers up to 255, separated by dots (RFC 3986 §3.2.2), from the first digit
    /// on.
    static func ipv4Range(in text: Span<UInt8>, from start: Int) -> Range<Int>? {
        guard text.isWordStart(start), text.byte(start - 1) != 0x2E else { return nil }
        guard let end = ipv4End(in: text, from: start) else { return nil }
        let next = text.byte(end)
        if ByteSet.word.contains(next) || next == 0x2E && text.byte(end + 1).isDigit { return nil }
        return start..<end
    }

    private static func ipv4End(in text: Span<UInt8>, from start: Int) -> Int? {
        var position = start
        for part in 0..<4 {
            if part > 0 {
                guard text.byte(position) == 0x2E else { return nil }
                position += 1
            }
            let end = text.end(of: .digits, from: position, limit: 3)
            guard end > position, end == position + 1 || text[position] != 0x30 else { return nil }
            var number = 0
            for index in position..<end { number = number * 10 + Int(text[index] - 0x30) }
            guard number <= 255 else { return nil }
            position = end
        }
        return position
    }

    /// Returns the IPv6 address at the first of its colons (RFC 4291 §2.2).
    ///
    /// It has eight groups of hexadecimal digits, or fewer with `::` in place of some.
    static func ipv6Range(in text: Span<UInt8>, colon: Int) -> Range<Int>? {
        let start = text.start(of: .anyHex, before: colon, limit: 4)
        let before = text.byte(start - 1)
        guard before != 0x3A, before != 0x2E, text.isWordStart(start) else { return nil }
        var groups = 0
        var isShort = false
        var position = start
        while groups < 8 {
            let end = text.end(of: .anyHex, from: position, limit: 5)
            guard end - position <= 4 else { return nil }
            if end > position {
                if groups >= 1, text.byte(end) == 0x2E, let last = ipv4End(in: text, from: position)
                {
                    groups += 2
                    position = last
                    break
                }
                groups += 1
                position = end
            }
            guard text.byte(position) == 0x3A else { break }
            if text.byte(position + 1) == 0x3A {
                guard !isShort else { return nil }
                isShort = true
                position += 2
            } else {
                guard ByteSet.anyHex.contains(text.byte(position + 1)), groups > 0, groups < 8
                else {
                    break
                }
                position += 1
            }
        }
        let next = text.byte(position)
        guard !ByteSet.word.contains(next), next != 0x3A || !text.byte(position + 1).isDigit,
            isShort ? 1...7 ~= groups : groups == 8
        else { return nil }
        return start..<position
    }
}
