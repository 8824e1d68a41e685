// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A text without the escapes and soft line breaks of quoted-printable (RFC 2045 §6.7).
///
/// Other equals signs are kept as they are, since only a part of the text may be in this form.
struct QuotedPrintablePart {
    /// The name in reports.
    static let name = "quoted-printable"

    private(set) var bytes: [UInt8] = []
    /// Where the text continues after an escape or a soft line break.
    private var joints: [Joint] = []

    private struct Joint {
        /// The position in the decoded bytes.
        let decoded: Int
        /// The position in the text.
        let source: Int
        /// Whether an escape ends there.
        let isEscape: Bool
    }

    /// Decodes a text; `nil` if it is not likely to have a part in this form.
    ///
    /// A run between two NULs has one if a line ends with an equals sign, an equals sign is
    /// escaped, or two escapes follow each other. Assignments such as `id=12` are no such parts.
    /// Other runs, such as those of an image in a multipart body, are left out.
    init?(_ text: Span<UInt8>) {
        var position = 0
        var isFound = false
        while let sign = Self.firstSign(of: text, from: position) {
            var start = sign
            while start > position, text[start - 1] != 0 { start -= 1 }
            let end = text.firstIndex(of: 0, inLongTextFrom: sign) ?? text.count
            // Values must not be joined.
            if isFound { bytes.append(0) } else { bytes.reserveCapacity(end - start) }
            isFound = true
            append(text, start..<end)
            position = end
        }
        guard isFound else { return nil }
    }

    /// Decodes a run.
    private mutating func append(_ text: Span<UInt8>, _ run: Range<Int>) {
        let text = text.extracting(0..<run.upperBound)
        var position = run.lowerBound
        joints.append(Joint(decoded: bytes.count, source: position, isEscape: false))
        while let sign = text.firstIndex(of: UInt8(ascii: "="), inLongTextFrom: position) {
            bytes.append(copying: text.extracting(position..<sign))
            if let byte = Self.escaped(text, sign) {
                bytes.append(byte)
                position = sign + 3
                joints.append(Joint(decoded: bytes.count, source: position, isEscape: true))
            } else if let end = Self.endOfBreak(text, sign) {
                position = end
                joints.append(Joint(decoded: bytes.count, source: position, isEscape: false))
            } else {
                bytes.append(text[sign])
                position = sign + 1
            }
        }
        bytes.append(copying: text.extracting(position...))
    }

    /// Returns the range of the text that a range of the decoded bytes, which is not empty, comes
    /// from.
    func source(of range: Range<Int>) -> Range<Int> {
        let start = source(of: range.lowerBound)
        let last = range.upperBound - 1
        let next = jointCount(upTo: last)
        let isEscaped =
            next < joints.count && joints[next].isEscape && joints[next].decoded == last + 1
        return start..<max(start, source(of: last) + (isEscaped ? 3 : 1))
    }

    private func source(of position: Int) -> Int {
        let count = jointCount(upTo: position)
        guard count > 0 else { return position }
        return joints[count - 1].source + position - joints[count - 1].decoded
    }

    /// Returns how many joints are at or before a position of the decoded bytes.
    private func jointCount(upTo position: Int) -> Int {
        var (low, high) = (0, joints.count)
        while low < high {
            let middle = (low + high) / 2
            if joints[middle].decoded <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the first equals sign that only a part in this form is likely to have.
    private static func firstSign(of text: Span<UInt8>, from start: Int) -> Int? {
        var position = start
        while let sign = text.firstIndex(of: UInt8(ascii: "="), inLongTextFrom: position) {
            position = sign + 1
            let isPart =
                if let byte = escaped(text, sign) {
                    byte == UInt8(ascii: "=") || escaped(text, sign + 3) != nil
                } else {
                    // Two of them are the padding of base64.
                    endOfBreak(text, sign) != nil
                        && (sign == 0 || text[sign - 1] != UInt8(ascii: "="))
                }
            if isPart { return sign }
        }
        return nil
    }

    /// Returns the byte that `=41` represents.
    private static func escaped(_ text: Span<UInt8>, _ sign: Int) -> UInt8? {
        guard sign + 2 < text.count, text[sign] == UInt8(ascii: "="),
            let high = text[sign + 1].hexDigit, let low = text[sign + 2].hexDigit
        else { return nil }
        return high << 4 | low
    }

    /// Returns the start of the next line after an equals sign that ends one; blanks may come
    /// between.
    private static func endOfBreak(_ text: Span<UInt8>, _ sign: Int) -> Int? {
        var end = sign + 1
        while end < text.count, text[end] == 0x20 || text[end] == 0x09 { end += 1 }
        if end < text.count, text[end] == 0x0D { end += 1 }
        guard end < text.count, text[end] == 0x0A else { return nil }
        return end + 1
    }
}
