// SPDX-License-Identifier: MIT

internal import CByteScan

/// The buffer, and the loops that fill it.
extension JSONWriter {
    /// Reserves room for `extra` more bytes.
    @inlinable @inline(__always)
    mutating func reserve(_ extra: Int) {
        if capacity &- count < extra { grow(by: extra) }
    }

    @usableFromInline @inline(never)
    mutating func grow(by extra: Int) {
        let larger = max(capacity * 2, count + extra)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        unsafe moved.update(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = moved
        capacity = larger
    }

    /// Writes a byte; there must be room for it.
    @inlinable @inline(__always)
    mutating func put(_ byte: UInt8) {
        unsafe base[count] = byte
        filled &+= 1
    }

    @inlinable @inline(__always)
    mutating func comma() {
        if needsComma {
            put(0x2C)
            needsComma = false
        }
    }

    /// Copies text without escapes; there must be room for it.
    ///
    /// The length of a literal is known at compile time.
    @inlinable @inline(__always)
    mutating func copy(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        unsafe (base + count).update(from: text.utf8Start, count: length)
        filled &+= length
    }

    @inlinable @inline(__always)
    mutating func open(_ bracket: UInt8) {
        reserve(2)
        comma()
        put(bracket)
    }

    @inlinable @inline(__always)
    mutating func close(_ bracket: UInt8) {
        reserve(1)
        put(bracket)
        needsComma = true
    }

    mutating func literal(_ word: StaticString) {
        reserve(word.utf8CodeUnitCount + 1)
        comma()
        copy(word)
        needsComma = true
    }

    /// Writes one byte.
    mutating func append(_ byte: UInt8) {
        reserve(1)
        put(byte)
    }

    /// Copies bytes unchanged.
    mutating func append(_ bytes: Span<UInt8>) {
        reserve(bytes.count)
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let source = buffer.baseAddress else { return }
            unsafe (base + count).update(from: source, count: buffer.count)
            filled += buffer.count
        }
    }

    /// Writes decimal digits; there must be room for them.
    mutating func digits(_ value: UInt64) {
        filled &+= unsafe JSONText.writeDigits(value, to: base + count)
    }

    /// Writes a string with the escapes that RFC 8259 §7 requires.
    ///
    /// - Returns: Whether it is ASCII.
    @discardableResult
    @inline(__always)
    mutating func quote(_ text: Span<UInt8>) -> Bool {
        reserve(64)
        comma()
        put(0x22)
        if isPlain(text) {
            filled &+= text.count
            put(0x22)
            needsComma = true
            return true
        }
        let isASCII = escape(text)
        reserve(1)
        put(0x22)
        needsComma = true
        return isASCII
    }

    /// Copies a short text if it needs no escapes; there must be room for it.
    ///
    /// Returns whether it did.
    @inline(__always)
    private func isPlain(_ text: Span<UInt8>) -> Bool {
        unsafe text.withUnsafeBufferPointer { buffer in
            guard let source = buffer.baseAddress else { return true }
            return unsafe tapline_copy_plain(source, buffer.count, base + count)
        }
    }

    /// Copies text and escapes quotes, backslashes and control characters.
    ///
    /// - Returns: Whether the text is ASCII.
    @discardableResult
    mutating func escape(_ text: Span<UInt8>) -> Bool {
        var position = 0
        var isASCII = true
        while position < text.count {
            reserve(text.count &- position &+ JSONText.slack)
            let written = unsafe JSONText.escape(
                text,
                from: &position,
                to: base + count,
                capacity: capacity &- count
            )
            filled &+= written.count
            isASCII = isASCII && written.isASCII
        }
        return isASCII
    }

    /// Writes a character as the escape `\u00xx`.
    mutating func escapeScalar(_ scalar: UInt8) {
        reserve(6)
        filled &+= unsafe JSONText.writeScalar(scalar, to: base + count)
    }
}
