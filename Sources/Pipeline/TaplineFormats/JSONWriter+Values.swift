// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Members that are left out if their value is unknown, and bytes that may not be UTF-8.
extension JSONWriter {
    /// A member with text, unless it is empty.
    mutating func text(_ name: StaticString, _ text: String) {
        if text.isEmpty { return }
        key(name)
        string(text)
    }

    /// A member with a whole number.
    @inline(__always)
    mutating func count(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        key(name)
        integer(number)
    }

    /// A member with milliseconds.
    @inline(__always)
    mutating func milliseconds(_ name: StaticString, _ length: Microseconds?) {
        guard let length else { return }
        key(name)
        thousandths(length.count)
    }

    /// Writes bytes as a string, or as `{"base64": "…"}` if they are not UTF-8.
    mutating func bytes(_ bytes: Span<UInt8>) {
        guard !string(ifValid: bytes) else { return }
        beginObject()
        key("base64")
        base64(bytes)
        endObject()
    }

    /// Writes a member `text`, or `base64` if the bytes are not UTF-8.
    mutating func content(_ bytes: Span<UInt8>) {
        guard !member("text", ifValid: bytes) else { return }
        key("base64")
        base64(bytes)
    }

    /// Writes bytes as a string, with invalid UTF-8 replaced.
    mutating func lossyText(_ bytes: Span<UInt8>) {
        guard !string(ifValid: bytes) else { return }
        string(String(decoding: Array(copying: bytes), as: UTF8.self))
    }
}
