// SPDX-License-Identifier: MIT

/// A place in a configuration text.
///
/// **Units** Lines and columns count from 1 and are computed when they are asked for. A column is
/// one character (a Unicode scalar), a tab counts as one, as editors count.
public struct SourceLocation: Sendable, Hashable {
    /// The text that the place is in.
    public let source: ConfigSource
    /// Bytes before the place; at most those of the text.
    public let byteOffset: Int
    /// Bytes that are meant, maybe of several lines; 0 marks a point.
    public let length: Int

    /// A place that is known to be inside the text; ``ConfigSource/location(at:length:)`` checks.
    init(source: ConfigSource, byteOffset: Int, length: Int) {
        self.source = source
        self.byteOffset = byteOffset
        self.length = length
    }

    /// The name of the text.
    public var file: String { source.name }

    /// The line, from 1.
    public var line: Int { source.position(of: byteOffset).line }

    /// The column, from 1.
    public var column: Int { source.position(of: byteOffset).column }

    /// The offset after the last byte that is meant.
    public var byteEnd: Int { byteOffset + length }
}

extension SourceLocation: CustomStringConvertible {
    /// `pipeline.yaml:7:19`, or the bare name for a text whose lines say nothing.
    public var description: String {
        guard source.hasLines else { return file }
        let (line, column) = source.position(of: byteOffset)
        return "\(file):\(line):\(column)"
    }
}

extension SourceLocation: Comparable {
    /// Whether a place comes before another: by name, then by position.
    public static func < (left: SourceLocation, right: SourceLocation) -> Bool {
        if left.file != right.file { return left.file < right.file }
        return (left.byteOffset, left.length) < (right.byteOffset, right.length)
    }
}
