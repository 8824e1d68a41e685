// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Values in HAR files: null and negative numbers are unknown.
extension JSONValue {
    /// A size or a count; `nil` if it is null, negative or not a number.
    func harSize(_ notes: inout HARNotes) -> Int? {
        if isNull { return nil }
        if let number = asInt64 { return number >= 0 ? Int(number) : nil }
        // Some tools write sizes as 12.0.
        guard let number = asThousandths else {
            notes.findings.count("sizes (not a number, read as unknown)")
            return nil
        }
        return number >= 0 ? Int(number / 1000) : nil
    }

    /// Milliseconds; `nil` if they are null, negative or not a number.
    func harTime(_ notes: inout HARNotes) -> Microseconds? {
        if isNull { return nil }
        guard let count = asThousandths else {
            notes.findings.count("times (not a number, read as unknown)")
            return nil
        }
        return count >= 0 ? Microseconds(count) : nil
    }

    /// A status code, also as a string of three digits; 0 if it is null or negative.
    func harStatus(_ key: StaticString, _ notes: inout HARNotes) throws(RecordError) -> Int {
        if isNull { return 0 }
        if kind == .string, bytes.count == 3, let number = bytes.decimal {
            notes.findings.count("status (a string, read as a number)")
            return number
        }
        guard let number = asThousandths else { throw wrong(key, expected: "a number") }
        if number < 0 { return 0 }
        guard number <= 999_999 else { throw wrong(key, expected: "a status code") }
        return Int(number / 1000)
    }

    /// The bytes of a string, a number or a boolean; empty if it is null.
    func harBytes(
        _ key: StaticString,
        _ notes: inout HARNotes
    ) throws(RecordError) -> ByteString {
        if isNull { return ByteString() }
        if isScalar, kind != .string {
            notes.findings.count("texts (not a string, read as one)")
            return ByteString(bytes)
        }
        return ByteString(try requireString(key))
    }

    /// The bytes of a string that is declared as base64; its text if it is malformed.
    func harBase64(_ notes: inout HARNotes) -> [UInt8] {
        var decoded: [UInt8] = []
        if Base64.decode(bytes, .lines, into: &decoded) == nil { return decoded }
        notes.findings.count("base64 (malformed, read as text)")
        notes.losses.count("encoding (malformed base64)")
        return Array(copying: bytes)
    }
}
