// SPDX-License-Identifier: MIT

internal import TaplineModel

// The loops that parsing a head spends its time in, with unchecked memory access: checked indexing
// takes two to four times as long there. Everything else in this module is checked.

/// Returns a word with eight copies of a byte.
@inline(__always)
private func eight(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

extension UnsafeRawBufferPointer {
    /// Returns the position of the first byte at or after `start` that is not part of a token, or
    /// the count.
    @inline(__always)
    fileprivate func endOfToken(from start: Int) -> Int {
        var index = start
        while index &+ 8 <= count {
            let others = unsafe othersInToken(at: index)
            if others == 0 {
                index &+= 8
                continue
            }
            index &+= others.trailingZeroBitCount / 8
            guard unsafe self[index].isTokenByte else { return index }
            index &+= 1
        }
        // Checking the last eight bytes again costs less than checking the rest one by one.
        if count >= 8, index < count, unsafe othersInToken(at: count &- 8) == 0 { return count }
        while index < count, unsafe self[index].isTokenByte { index &+= 1 }
        return index
    }

    /// Returns the high bits of those of eight bytes that are not letters, digits or dashes.
    @inline(__always)
    private func othersInToken(at index: Int) -> UInt64 {
        let block = unsafe UInt64(
            littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self)
        )
        // Each sum has its high bit set if a byte is beyond a bound. None carries over, since all
        // bytes are below 0x80.
        let low = block & eight(0x7F)
        let small = low | eight(0x20)
        let letters = (small &+ eight(0x80 - 0x61)) & ~(small &+ eight(0x7F - 0x7A))
        let digits = (low &+ eight(0x80 - 0x30)) & ~(low &+ eight(0x7F - 0x39))
        let dashes = ~((low ^ eight(0x2D)) &+ eight(0x7F))
        return ~((letters | digits | dashes) & ~block) & eight(0x80)
    }

    /// Returns the position of the first control character except tab at or after `start`, or the
    /// count.
    @inline(__always)
    fileprivate func endOfText(from start: Int) -> Int {
        var index = start
        while index &+ 8 <= count {
            let controls = unsafe controlsInText(at: index)
            if controls == 0 {
                index &+= 8
                continue
            }
            index &+= controls.trailingZeroBitCount / 8
            guard unsafe self[index] == 0x09 else { return index }
            index &+= 1
        }
        if count >= 8, index < count, unsafe controlsInText(at: count &- 8) == 0 { return count }
        while index < count, unsafe self[index].isTextByte { index &+= 1 }
        return index
    }

    /// Returns the high bits of those of eight bytes that are controls; the lowest set bit is
    /// exact.
    @inline(__always)
    private func controlsInText(at index: Int) -> UInt64 {
        let block = unsafe UInt64(
            littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self)
        )
        // A byte below 0x20 borrows from its high bit, and so does 0x7F once it is zero.
        let delete = block ^ eight(0x7F)
        return (((block &- eight(0x20)) & ~block) | ((delete &- eight(1)) & ~delete)) & eight(0x80)
    }
}

extension HeadLines {
    /// Reads field lines as long as they are complete and valid; the rest is for `readField`.
    ///
    /// **Source**: RFC 9112 §5, `field-name ":" OWS field-value OWS CRLF`.
    mutating func readFields(_ bytes: Span<UInt8>, atMost most: Int) {
        var position = next
        var count = fieldCount
        unsafe bytes.withUnsafeBytes { bytes in
            while count < most {
                if count == lines.count { makeRoom(atMost: most) }
                let isDone = unsafe lines.withUnsafeMutableBufferPointer { lines in
                    while count < Swift.min(lines.count, most) {
                        guard let line = unsafe Self.readField(bytes, at: &position) else {
                            return true
                        }
                        unsafe lines[count] = line
                        count &+= 1
                    }
                    return false
                }
                if isDone { break }
            }
        }
        next = position
        fieldCount = count
    }

    /// Reads a field line that is complete and valid, and advances past it.
    @inline(__always)
    private static func readField(
        _ bytes: UnsafeRawBufferPointer,
        at position: inout Int
    ) -> FieldSection.Line? {
        let colon = unsafe bytes.endOfToken(from: position)
        guard colon > position, colon < bytes.count, unsafe bytes[colon] == 0x3A else { return nil }
        var start = colon &+ 1
        while start < bytes.count, unsafe bytes[start].isBlank { start &+= 1 }
        let text = unsafe bytes.endOfText(from: start)
        guard text &+ 1 < bytes.count, unsafe bytes[text] == 0x0D,
            unsafe bytes[text &+ 1] == 0x0A
        else { return nil }
        var end = text
        while end > start, unsafe bytes[end &- 1].isBlank { end &-= 1 }
        let name = position
        position = text &+ 2
        return FieldSection.Line(
            nameStart: UInt32(truncatingIfNeeded: name),
            nameCount: UInt32(truncatingIfNeeded: colon &- name),
            valueStart: UInt32(truncatingIfNeeded: start),
            valueCount: UInt32(truncatingIfNeeded: end &- start)
        )
    }
}

extension Span where Element == UInt8 {
    /// Returns the position of the first byte at or after `start` that is not part of a token, or
    /// the count.
    ///
    /// **Source**: RFC 9110 §5.6.2, `tchar`.
    func endOfToken(from start: Int) -> Int {
        unsafe withUnsafeBytes { unsafe $0.endOfToken(from: start) }
    }

    /// Whether all bytes are part of a token, and no letter is a capital (RFC 9113 §8.2.1).
    var isLowercaseToken: Bool {
        unsafe withUnsafeBytes { bytes in
            var index = 0
            while index &+ 8 <= bytes.count {
                let block = unsafe UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                )
                if block.capitals != 0 { break }
                index &+= 8
            }
            while index < bytes.count {
                let byte = unsafe bytes[index]
                if 0x41...0x5A ~= byte { return false }
                index &+= 1
            }
            return unsafe bytes.endOfToken(from: 0) == bytes.count
        }
    }

    /// Returns the position of the first control character except tab at or after `start`, or the
    /// count.
    ///
    /// **Source**: RFC 9110 §5.5, `field-vchar`, with space, tab and `obs-text`.
    func endOfText(from start: Int) -> Int {
        unsafe withUnsafeBytes { unsafe $0.endOfText(from: start) }
    }

    /// Returns whether the bytes equal a name of lower-case letters and dashes, ignoring case.
    ///
    /// Only for tokens: a carriage return would match a dash.
    @inline(__always)
    func isName(_ name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount else { return false }
        return unsafe withUnsafeBytes { bytes in
            var index = 0
            while index < bytes.count {
                let wanted = unsafe name.utf8Start[index]
                guard unsafe bytes[index] | 0x20 == wanted else { return false }
                index &+= 1
            }
            return true
        }
    }

    /// Returns the position of the first byte at or after `start` that is not allowed in a request
    /// target, or the count: a control character, a space, or a fragment's `#`.
    ///
    /// Bytes above 0x7F are allowed, as browsers and curl send them.
    func endOfTarget(from start: Int) -> Int {
        unsafe withUnsafeBytes { bytes in
            var index = start
            // As in `endOfText`, plus the space and one more byte.
            while index &+ 8 <= bytes.count {
                let block = unsafe UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                )
                let delete = block ^ eight(0x7F)
                let hash = block ^ eight(0x23)
                let low = (block &- eight(0x21)) & ~block
                let hits =
                    (low | ((delete &- eight(1)) & ~delete) | ((hash &- eight(1)) & ~hash))
                    & eight(0x80)
                if hits != 0 { return index &+ hits.trailingZeroBitCount / 8 }
                index &+= 8
            }
            while index < bytes.count {
                let byte = unsafe bytes[index]
                if byte <= 0x20 || byte == 0x7F || byte == 0x23 { break }
                index &+= 1
            }
            return index
        }
    }

    /// Returns whether the eight bytes at a position equal a little-endian number.
    @inline(__always)
    func holds(_ word: UInt64, at start: Int) -> Bool {
        guard start >= 0, start &+ 8 <= count else { return false }
        return unsafe withUnsafeBytes { bytes in
            unsafe UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            ) == word
        }
    }
}

extension [UInt8] {
    /// Combines all bytes from a position on, by exclusive or, with eight repeating bytes.
    ///
    /// The lowest byte of `word` comes first.
    mutating func mix(from start: Int, with word: UInt64) {
        unsafe withUnsafeMutableBytes { bytes in
            var index = start
            while index &+ 8 <= bytes.count {
                let block = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                unsafe bytes.storeBytes(
                    of: block ^ word.littleEndian,
                    toByteOffset: index,
                    as: UInt64.self
                )
                index &+= 8
            }
            var rest = word
            while index < bytes.count {
                unsafe bytes[index] ^= UInt8(truncatingIfNeeded: rest)
                rest >>= 8
                index &+= 1
            }
        }
    }
}

extension UInt64 {
    /// The bits that make lower-case letters of those of eight ASCII bytes that are capitals.
    ///
    /// Other bytes have no bit.
    @inline(__always)
    fileprivate var capitals: UInt64 {
        let low = self & eight(0x7F)
        return ((low &+ eight(0x3F)) & ~(low &+ eight(0x25)) & ~self & eight(0x80)) &>> 2
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends a token with its capitals in lower case; there must be enough free capacity.
    @_lifetime(self: copy self)
    mutating func append(lowercasing token: Span<UInt8>) {
        precondition(token.count <= freeCapacity, "no room for the bytes")
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            unsafe token.withUnsafeBytes { token in
                guard let base = buffer.baseAddress else { return }
                let target = unsafe UnsafeMutableRawPointer(base) + count
                var index = 0
                while index &+ 8 <= token.count {
                    let block = unsafe UInt64(
                        littleEndian: token.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                    )
                    unsafe target.storeBytes(
                        of: (block | block.capitals).littleEndian,
                        toByteOffset: index,
                        as: UInt64.self
                    )
                    index &+= 8
                }
                while index < token.count {
                    let byte = unsafe token[index].asciiLowercased
                    unsafe target.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
                    index &+= 1
                }
            }
            count &+= token.count
        }
    }

    /// Appends a field line if its name and value are valid.
    ///
    /// The span needs enough free capacity.
    ///
    /// - Returns: The error; nothing is appended then.
    @inline(__always)
    @_lifetime(self: copy self)
    mutating func appendField(
        _ name: Span<UInt8>,
        _ value: Span<UInt8>
    ) -> HTTPError.Code? {
        let length = name.count &+ value.count &+ 4
        precondition(length <= freeCapacity, "no room for the field")
        return unsafe withUnsafeMutableBufferPointer { buffer, count in
            unsafe name.withUnsafeBytes { name in
                unsafe value.withUnsafeBytes { value in
                    guard let start = name.baseAddress, let base = buffer.baseAddress,
                        name.count > 0
                    else { return .emptyFieldName }
                    guard unsafe name.endOfToken(from: 0) == name.count else {
                        return .invalidFieldName
                    }
                    guard unsafe value.endOfText(from: 0) == value.count else {
                        return .invalidFieldValue
                    }
                    let target = unsafe UnsafeMutableRawPointer(base) + count
                    unsafe target.copyMemory(from: start, byteCount: name.count)
                    unsafe target.storeBytes(
                        of: UInt16(littleEndian: 0x203A),
                        toByteOffset: name.count,
                        as: UInt16.self
                    )
                    if let from = value.baseAddress {
                        unsafe (target + name.count + 2).copyMemory(
                            from: from,
                            byteCount: value.count
                        )
                    }
                    unsafe target.storeBytes(
                        of: UInt16(littleEndian: 0x0A0D),
                        toByteOffset: length &- 2,
                        as: UInt16.self
                    )
                    count &+= length
                    return nil
                }
            }
        }
    }
}
