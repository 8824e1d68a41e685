// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Values as HAR files have them: null and negative numbers stand for what is not known.
extension JSONValue {
    /// A size or a count; nothing where it is null or negative.
    func harSize(_ key: StaticString) throws(RecordError) -> Int? {
        if isNull { return nil }
        if let number = asInt64 { return number >= 0 ? Int(number) : nil }
        // Some tools write sizes as 12.0.
        guard let number = asThousandths else { throw wrong(key, expected: "a number") }
        return number >= 0 ? Int(number / 1000) : nil
    }

    /// Milliseconds; nothing where they are null or negative.
    func harTime(_ key: StaticString) throws(RecordError) -> Microseconds? {
        if isNull { return nil }
        let length = try requireMilliseconds(key)
        return length.count >= 0 ? length : nil
    }

    /// A status code; 0 where it is null or negative.
    func harStatus(_ key: StaticString) throws(RecordError) -> Int {
        guard let number = try harSize(key) else { return 0 }
        guard number <= 999 else { throw wrong(key, expected: "a status code") }
        return number
    }

    /// Bytes of a string; none where it is null.
    func harBytes(_ key: StaticString) throws(RecordError) -> ByteString {
        if isNull { return ByteString() }
        return ByteString(try requireString(key))
    }
}
