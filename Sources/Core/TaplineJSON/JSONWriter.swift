// SPDX-License-Identifier: MIT

/// Writes JSON into its own growing buffer, which is reused after `removeAll`.
///
/// **Shape**: values are written in document order; the writer inserts commas and colons. The
/// caller must balance `begin` and `end` and write a key before each value of an object. Text must
/// be UTF-8: check external text with `isValidUTF8`.
/// **Isolation**: one thread at a time.
@usableFromInline @safe
package struct JSONWriter: ~Copyable {
    @usableFromInline var base: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var filled = 0
    /// Whether the next value or key needs a comma before it.
    @usableFromInline var needsComma = false

    /// Creates an empty writer.
    ///
    /// - Parameter capacity: The number of bytes to allocate at first.
    @usableFromInline package init(capacity: Int = 4096) {
        self.capacity = max(64, capacity)
        unsafe base = .allocate(capacity: self.capacity)
    }

    deinit { unsafe base.deallocate() }

    /// The number of bytes written.
    @inlinable package var count: Int { filled }

    /// The bytes written.
    @usableFromInline package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = unsafe Span(_unsafeStart: UnsafePointer(base), count: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Removes all bytes but keeps the memory.
    @usableFromInline package mutating func removeAll() {
        filled = 0
        needsComma = false
    }

    /// Removes all bytes after the first `count`.
    ///
    /// The position must be one at which a value or key was complete. A comma is inserted if a
    /// value precedes it.
    /// - Parameters:
    ///   - count: How many bytes to keep.
    ///   - afterValue: Whether the kept bytes end with a complete value of an open list.
    @usableFromInline package mutating func truncate(to count: Int, afterValue: Bool) {
        filled = max(0, min(count, self.count))
        needsComma = afterValue
    }

    // MARK: Structure

    /// Opens an object: `{`.
    @inlinable
    package mutating func beginObject() { open(0x7B) }

    /// Closes an object: `}`.
    @inlinable
    package mutating func endObject() { close(0x7D) }

    /// Opens an array: `[`.
    @inlinable
    package mutating func beginArray() { open(0x5B) }

    /// Closes an array: `]`.
    @inlinable
    package mutating func endArray() { close(0x5D) }

    /// Writes a key that needs no escapes.
    /// - Parameter name: The key.
    @inlinable @inline(__always)
    package mutating func key(_ name: StaticString) {
        reserve(name.utf8CodeUnitCount + 4)
        comma()
        put(0x22)
        copy(name)
        put(0x22)
        put(0x3A)
    }

    /// Writes a key of any UTF-8 bytes.
    ///
    /// - Parameter name: The key.
    @usableFromInline package mutating func key(_ name: Span<UInt8>) {
        string(name)
        reserve(1)
        put(0x3A)
        needsComma = false
    }

    // MARK: Values

    /// Writes a string with the escapes that RFC 8259 §7 requires.
    ///
    /// - Parameter text: UTF-8.
    @usableFromInline package mutating func string(_ text: Span<UInt8>) {
        quote(text)
    }

    /// Writes bytes as a string if they are UTF-8.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: Whether they are UTF-8; if not, nothing is written.
    package mutating func string(ifValid bytes: Span<UInt8>) -> Bool {
        let (start, afterValue) = (count, needsComma)
        guard !quote(bytes), !isValidUTF8(bytes) else { return true }
        truncate(to: start, afterValue: afterValue)
        return false
    }

    /// Writes a key that needs no escapes, and bytes as a string if they are UTF-8.
    ///
    /// - Parameters:
    ///   - name: The key.
    ///   - bytes: The bytes.
    /// - Returns: Whether they are UTF-8; if not, nothing is written.
    package mutating func member(_ name: StaticString, ifValid bytes: Span<UInt8>) -> Bool {
        let (start, afterValue) = (count, needsComma)
        key(name)
        guard !string(ifValid: bytes) else { return true }
        truncate(to: start, afterValue: afterValue)
        return false
    }

    /// Writes a string.
    /// - Parameter text: The text.
    package mutating func string(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        string(text.utf8.span)
    }

    /// Writes a string that needs no escapes.
    /// - Parameter text: The text.
    @inlinable @inline(__always)
    package mutating func string(_ text: StaticString) {
        reserve(text.utf8CodeUnitCount + 3)
        comma()
        put(0x22)
        copy(text)
        put(0x22)
        needsComma = true
    }

    /// Writes bytes as a string in base64 (RFC 4648 section 4, with padding).
    /// - Parameter bytes: The bytes.
    package mutating func base64(_ bytes: Span<UInt8>) {
        let length = (bytes.count + 2) / 3 * 4
        reserve(length + 3)
        comma()
        put(0x22)
        unsafe encodeBase64(bytes, into: base + count)
        filled += length
        put(0x22)
        needsComma = true
    }

    /// Writes an integer.
    /// - Parameter value: The number.
    @usableFromInline package mutating func integer(_ value: Int64) {
        reserve(21)
        comma()
        filled &+= unsafe JSONText.write(value, to: base + count)
        needsComma = true
    }

    /// Writes an integer without a sign.
    /// - Parameter value: The number.
    @usableFromInline package mutating func integer(_ value: UInt64) {
        reserve(21)
        comma()
        digits(value)
        needsComma = true
    }

    /// Writes an integer.
    /// - Parameter value: The number.
    @usableFromInline package mutating func integer(_ value: Int) { integer(Int64(value)) }

    /// Writes thousandths as a decimal number without trailing zeros: 12,345 as `12.345`.
    ///
    /// Writes microseconds as milliseconds.
    /// - Parameter value: The number of thousandths.
    package mutating func thousandths(_ value: Int64) {
        reserve(25)
        comma()
        filled &+= unsafe JSONText.writeThousandths(
            value.magnitude,
            isNegative: value < 0,
            to: base + count
        )
        needsComma = true
    }

    /// Writes the shortest text that reads back as this number; null if it is not finite.
    ///
    /// - Parameter value: The number.
    package mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        reserve(33)
        comma()
        filled &+= unsafe JSONText.write(value, to: base + count)
        needsComma = true
    }

    /// Writes `true` or `false`.
    /// - Parameter value: The boolean.
    package mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    /// Writes `null`.
    package mutating func null() { literal("null") }

    /// Writes existing JSON as one value.
    ///
    /// - Parameter json: A complete value.
    package mutating func raw(_ json: Span<UInt8>) {
        reserve(json.count + 1)
        comma()
        append(json)
        needsComma = true
    }

    /// Writes a byte outside the JSON grammar, such as the line feed between records.
    ///
    /// - Parameter byte: The byte; no comma is inserted before the next value.
    @usableFromInline package mutating func separator(_ byte: UInt8) {
        reserve(1)
        put(byte)
        needsComma = false
    }
}
