// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Parameters after semicolons (RFC 9110 §5.6.6).
enum Parameter {
    /// Returns the range of a parameter's value, without its quotes.
    static func find(_ name: String, in bytes: Span<UInt8>) -> Range<Int>? {
        var position = bytes.firstIndex(of: .ascii(";")) ?? bytes.count
        while position < bytes.count {
            position += 1
            let start = position
            while position < bytes.count, bytes[position] != .ascii(";"),
                bytes[position] != .ascii("=")
            {
                position += 1
            }
            let isWanted =
                bytes.extracting(bytes.trimmed(start..<position)).equalsIgnoringCase(name)
            guard position < bytes.count, bytes[position] == .ascii("=") else { continue }
            let value = value(bytes, from: position + 1)
            if isWanted { return value.range }
            position = value.end
        }
        return nil
    }

    /// Returns a token or a quoted string, and the position of the semicolon after it.
    private static func value(
        _ bytes: Span<UInt8>,
        from start: Int
    ) -> (range: Range<Int>, end: Int) {
        var position = start
        while position < bytes.count, bytes[position].isBlank { position += 1 }
        guard position < bytes.count, bytes[position] == .ascii("\"") else {
            let end = bytes.firstIndex(of: .ascii(";"), from: position) ?? bytes.count
            return (bytes.trimmed(position..<end), end)
        }
        let first = position + 1
        position = first
        while position < bytes.count, bytes[position] != .ascii("\"") {
            position += bytes[position] == .ascii("\\") ? 2 : 1
        }
        let last = min(position, bytes.count)
        return (first..<last, bytes.firstIndex(of: .ascii(";"), from: last) ?? bytes.count)
    }
}
