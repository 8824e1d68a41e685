// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// A tagged netstring: length, colon, content, type; as a view of bytes.
///
/// Nested values are split when they are asked for, so nesting costs nothing.
/// **Source**: https://tnetstrings.info, and the module `mitmproxy.io.tnetstring`.
struct TNetValue {
    /// `,` bytes, `;` text, `#` integer, `^` number, `!` boolean, `~` null, `]` list, `}` dictionary.
    let tag: UInt8
    /// The range of the content.
    let content: Range<Int>
    /// Where the length begins.
    let start: Int

    /// The position after the value.
    var end: Int { content.upperBound + 1 }

    var isNull: Bool { tag == .ascii("~") }

    var isList: Bool { tag == .ascii("]") }

    var isDictionary: Bool { tag == .ascii("}") }

    /// Reads the value whose length begins at `start`, within a value that ends at `limit`.
    init(_ bytes: [UInt8], at start: Int, limit: Int) throws(RecordError) {
        let head = bytes.span.extracting(start..<min(limit, start + 12))
        guard let colon = head.firstIndex(of: .ascii(":")),
            let length = head.extracting(0..<colon).decimal
        else {
            throw .shape("malformed length; expected digits and ':'", at: start)
        }
        let first = start + colon + 1
        guard length < limit - first else {
            throw .shape("a value is longer than the one around it", at: start)
        }
        self.start = start
        content = first..<first + length
        tag = bytes[first + length]
    }

    // MARK: Simple values

    /// The bytes of a text or of bytes; `nil` for other values.
    func bytes(_ source: [UInt8]) -> [UInt8]? {
        guard tag == .ascii(",") || tag == .ascii(";") else { return nil }
        return Array(source[content])
    }

    /// The text of a text or of bytes, with invalid UTF-8 replaced; `nil` for other values.
    func text(_ source: [UInt8]) -> String? {
        bytes(source).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The integer; `nil` for other values.
    func integer(_ source: [UInt8]) -> Int? {
        guard tag == .ascii("#"), content.count <= 20 else { return nil }
        return Int(String(decoding: Array(source[content]), as: UTF8.self))
    }

    /// Seconds since 1970 as microseconds; `nil` for other values, and for those out of range.
    func seconds(_ source: [UInt8]) -> Int64? {
        guard tag == .ascii("^") || tag == .ascii("#"), content.count <= 40 else { return nil }
        let text = String(decoding: Array(source[content]), as: UTF8.self)
        // Records cannot state times after the year 9999.
        guard let seconds = Double(text), 0..<253_402_300_800 ~= seconds else { return nil }
        return Int64((seconds * 1e6).rounded())
    }

    /// Whether this is the boolean `true`.
    func isTrue(_ source: [UInt8]) -> Bool {
        tag == .ascii("!") && source.span.extracting(content).equals("true")
    }

    // MARK: Nested values

    private static let maxElements = 1_000_000
    private static let maxMembers = 1000

    /// The elements of a list; empty for other values.
    func elements(_ source: [UInt8]) throws(RecordError) -> [TNetValue] {
        guard isList else { return [] }
        var found: [TNetValue] = []
        var position = content.lowerBound
        while position < content.upperBound {
            let value = try TNetValue(source, at: position, limit: content.upperBound)
            guard found.count < Self.maxElements else {
                throw .shape("the list has more than \(Self.maxElements) elements", at: start)
            }
            found.append(value)
            position = value.end
        }
        return found
    }

    /// The members of a dictionary by name; of members with the same name the last one.
    func members(_ source: [UInt8]) throws(RecordError) -> [String: TNetValue] {
        guard isDictionary else { return [:] }
        var found: [String: TNetValue] = [:]
        var position = content.lowerBound
        while position < content.upperBound {
            let key = try TNetValue(source, at: position, limit: content.upperBound)
            guard let name = key.text(source) else {
                throw .shape("malformed key; expected a text", at: position)
            }
            let value = try TNetValue(source, at: key.end, limit: content.upperBound)
            guard found.count < Self.maxMembers else {
                throw .shape("the dictionary has more than \(Self.maxMembers) keys", at: start)
            }
            found[name] = value
            position = value.end
        }
        return found
    }
}
