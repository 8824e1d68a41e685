// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Members that are left out where the value is not known, and bytes that may not be UTF-8.
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

    /// Bytes as a string, or as `{"base64": "…"}` where they are not UTF-8.
    mutating func bytes(_ bytes: Span<UInt8>) {
        guard !string(ifValid: bytes) else { return }
        beginObject()
        key("base64")
        base64(bytes)
        endObject()
    }

    /// A member `text`, or `base64` where the bytes are not UTF-8.
    mutating func content(_ bytes: Span<UInt8>) {
        guard !member("text", ifValid: bytes) else { return }
        key("base64")
        base64(bytes)
    }

    /// Bytes as a string; what is not UTF-8 is replaced.
    mutating func lossyText(_ bytes: Span<UInt8>) {
        guard !string(ifValid: bytes) else { return }
        string(String(decoding: Array(copying: bytes), as: UTF8.self))
    }
}
