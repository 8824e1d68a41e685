// SPDX-License-Identifier: MIT

/// A location in a configuration text.
///
/// **Units** Lines and columns count from 1 and are computed on demand. As in editors, a column is
/// one character (a Unicode scalar), and a tab counts as one.
public struct SourceLocation: Sendable, Hashable {
    /// The text of the location.
    package let source: ConfigSource
    /// The number of bytes before the location, at most those of the text.
    package let byteOffset: Int
    /// The number of bytes, possibly of several lines; 0 marks a point.
    package let length: Int

    /// Creates a location that must be inside the text, which ``ConfigSource/location(at:length:)``
    /// checks.
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

    /// The offset after the last byte of the location.
    package var byteEnd: Int { byteOffset + length }
}

extension SourceLocation: CustomStringConvertible {
    /// `pipeline.yaml:7:19`, or only the name for a text without meaningful lines.
    public var description: String {
        guard source.hasLines else { return file }
        let (line, column) = source.position(of: byteOffset)
        return "\(file):\(line):\(column)"
    }
}

extension SourceLocation: Comparable {
    /// Returns whether a location comes before another, by name and then by position.
    public static func < (left: SourceLocation, right: SourceLocation) -> Bool {
        if left.file != right.file { return left.file < right.file }
        return (left.byteOffset, left.length) < (right.byteOffset, right.length)
    }
}
