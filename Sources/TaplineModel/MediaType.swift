// SPDX-License-Identifier: MIT

extension FieldSection {
    /// The media type of the content: what stands before the parameters in Content-Type, in small
    /// letters (RFC 9110 §8.3.1).
    ///
    /// Empty where there is no such field.
    public var mediaType: ByteString {
        guard let position = firstIndex(of: "content-type") else { return ByteString() }
        let value = self.value(at: position)
        let end = value.firstIndex(of: .ascii(";")) ?? value.count
        let type = value.extracting(value.trimmed(0..<end))
        return ByteString(Array(copying: type).map(\.asciiLowercased))
    }
}

extension ByteString {
    /// Whether a media type, in small letters, is JSON: `application/json`, `text/json`, or one
    /// with the suffix `+json` (RFC 6839 §3.1).
    public var isJSONMediaType: Bool {
        let bytes = span
        if bytes.equals("application/json") || bytes.equals("text/json") { return true }
        return bytes.count > 5 && bytes.extracting(bytes.count - 5..<bytes.count).equals("+json")
    }
}
