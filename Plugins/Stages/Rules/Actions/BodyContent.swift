// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineJSON
internal import TaplineModel

/// Reads the contents of bodies.
enum BodyContent {
    /// The maximum decoded size of a body that rules read, and of one that they make.
    static let maxBytes = 64 << 20

    /// Returns the decoded content of a whole body; `nil` if it is cut, too large or cannot be
    /// decoded.
    static func decoded(_ body: borrowing Body) -> [UInt8]? {
        guard !body.isTruncated else { return nil }
        if body.coding.isEmpty { return body.bytes }
        return try? ContentCoding.decode(
            body.bytes.span,
            codings: ContentCoding.list(body.coding.span),
            limits: DecodingLimits(maxOutputBytes: maxBytes)
        )
    }
}

/// Strings in JSON.
enum JSONString {
    /// Returns a text as the content of a JSON string, without quotes; invalid UTF-8 is replaced.
    static func escaped(_ text: [UInt8]) -> [UInt8] {
        var writer = JSONWriter(capacity: text.count + 16)
        if !writer.string(ifValid: text.span) {
            writer.string(String(decoding: text, as: UTF8.self))
        }
        return Array(copying: writer.bytes.extracting(1..<writer.count - 1))
    }
}
