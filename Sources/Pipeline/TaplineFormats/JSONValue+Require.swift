// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Values of a required type; other types throw an error with the key and the place.
///
/// Null is unknown only for functions that return an optional.
extension JSONValue {
    /// An error at this value.
    func wrong(_ key: StaticString, expected: StaticString) -> RecordError {
        RecordError(
            code: .wrongShape,
            message: "wrong value of '\(key)'; found \(kind.name), expected \(expected)",
            byte: offset
        )
    }

    /// An error at this value, with a message about it.
    func wrong(_ message: String) -> RecordError {
        RecordError(code: .wrongShape, message: message, byte: offset)
    }

    @inline(__always)
    func requireObject(_ key: StaticString) throws(RecordError) {
        guard kind == .object else { throw wrong(key, expected: "an object") }
    }

    @inline(__always)
    func requireArray(_ key: StaticString) throws(RecordError) {
        guard kind == .array else { throw wrong(key, expected: "an array") }
    }

    @inline(__always)
    @_lifetime(copy self)
    func requireString(_ key: StaticString) throws(RecordError) -> Span<UInt8> {
        guard kind == .string else { throw wrong(key, expected: "a string") }
        return bytes
    }

    func requireText(_ key: StaticString) throws(RecordError) -> String {
        guard let text = asString else { throw wrong(key, expected: "a string") }
        return text
    }

    func requireBool(_ key: StaticString) throws(RecordError) -> Bool {
        guard let flag = asBool else { throw wrong(key, expected: "a boolean") }
        return flag
    }

    /// A whole number that is not negative.
    func requireCount(_ key: StaticString) throws(RecordError) -> Int {
        guard let number = asInt64, number >= 0 else {
            throw wrong(key, expected: "a whole number of at least 0")
        }
        return Int(number)
    }

    /// A status code: three digits, or 0 if there was no response.
    func requireStatus(_ key: StaticString) throws(RecordError) -> Int {
        guard let number = asInt64, 0...999 ~= number else {
            throw wrong(key, expected: "a status code")
        }
        return Int(number)
    }

    func requireMilliseconds(_ key: StaticString) throws(RecordError) -> Microseconds {
        guard let count = asThousandths else { throw wrong(key, expected: "milliseconds") }
        return Microseconds(count)
    }

    /// The bytes of a string, or of `{"base64": "…"}` if they are not UTF-8.
    func requireBytes(_ key: StaticString) throws(RecordError) -> ByteString {
        if kind == .string { return ByteString(bytes) }
        return ByteString(try requireCodedBytes(key))
    }

    /// The bytes of `{"base64": "…"}`.
    func requireCodedBytes(_ key: StaticString) throws(RecordError) -> [UInt8] {
        guard kind == .object, let coded = member("base64") else {
            throw wrong(key, expected: "a string or an object with 'base64'")
        }
        return try coded.requireBase64("base64")
    }

    /// The bytes of a base64 string; line breaks are skipped.
    func requireBase64(_ key: StaticString) throws(RecordError) -> [UInt8] {
        var decoded: [UInt8] = []
        let text = try requireString(key)
        if let wrong = Base64.decode(text, .lenient, into: &decoded) {
            throw RecordError(
                code: .wrongShape,
                message: "malformed base64 in '\(key)'",
                byte: offset + wrong
            )
        }
        return decoded
    }
}
