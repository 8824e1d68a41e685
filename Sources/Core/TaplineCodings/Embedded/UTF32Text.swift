// SPDX-License-Identifier: MIT

/// The form of a text in UTF-32 (Unicode 3.10, D98).
struct UTF32Form: Equatable, Sendable {
    var isBigEndian = false
    var hasMark = false
}

/// Decodes and encodes UTF-32.
enum UTF32Text {
    /// Returns the form of a text; `nil` if it is not in UTF-32.
    ///
    /// Without a byte order mark, most characters must be below U+0100.
    static func form(of bytes: Span<UInt8>) -> UTF32Form? {
        guard bytes.count >= 4, bytes.count % 4 == 0 else { return nil }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        case (0xFF, 0xFE, 0, 0): return UTF32Form(isBigEndian: false, hasMark: true)
        case (0, 0, 0xFE, 0xFF): return UTF32Form(isBigEndian: true, hasMark: true)
        case (0, 0, 0, _), (_, 0, 0, 0): break
        default: return nil
        }
        guard bytes.count >= 16 else { return nil }
        let units = min(bytes.count, 128) / 4
        var (little, big) = (0, 0)
        for unit in 0..<units {
            let at = 4 * unit
            guard bytes[at + 1] == 0 || bytes[at + 2] == 0 else { continue }
            if bytes[at] != 0, bytes[at + 1] == 0, bytes[at + 2] == 0, bytes[at + 3] == 0 {
                little += 1
            }
            if bytes[at] == 0, bytes[at + 1] == 0, bytes[at + 2] == 0, bytes[at + 3] != 0 {
                big += 1
            }
        }
        if little * 4 >= units * 3 { return UTF32Form() }
        return big * 4 >= units * 3 ? UTF32Form(isBigEndian: true) : nil
    }

    /// Appends a text as UTF-8 without its mark; returns `false` if it contains invalid characters.
    static func decode(
        _ bytes: Span<UInt8>,
        _ form: UTF32Form,
        appendingTo output: inout [UInt8]
    ) -> Bool {
        guard bytes.count % 4 == 0 else { return false }
        output.reserveCapacity(output.count + bytes.count / 4)
        var position = form.hasMark ? 4 : 0
        while position < bytes.count {
            var value: UInt32 = 0
            for index in 0..<4 {
                value =
                    value << 8 | UInt32(bytes[position + (form.isBigEndian ? index : 3 - index)])
            }
            guard value < 0x110000 else { return false }
            UTF16Text.append(value, &output)
            position += 4
        }
        return true
    }

    /// Appends a UTF-8 text as UTF-32; invalid UTF-8 becomes U+FFFD.
    static func encode(
        _ text: Span<UInt8>,
        _ form: UTF32Form,
        appendingTo output: inout [UInt8]
    ) {
        func put(_ scalar: UInt32) {
            for index in 0..<4 {
                let shift = UInt32(8 * (form.isBigEndian ? 3 - index : index))
                output.append(UInt8(truncatingIfNeeded: scalar >> shift))
            }
        }
        output.reserveCapacity(output.count + 4 * text.count)
        if form.hasMark { put(0xFEFF) }
        var position = 0
        while position < text.count {
            let (scalar, length) = UTF16Text.scalar(text, position)
            put(scalar)
            position += length
        }
    }
}
