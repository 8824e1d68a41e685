// SPDX-License-Identifier: MIT

/// A place in a configuration text.
///
/// **Units** Lines and columns count from 1. A column is one character (a Unicode scalar), a tab
/// counts as one, as editors show it. `byteOffset` and `length` are bytes.
public struct SourceLocation: Sendable, Hashable {
    /// The text that the place is in.
    public var source: ConfigSource
    /// The line, from 1.
    public var line: Int
    /// The column, from 1.
    public var column: Int
    /// Bytes before the place.
    public var byteOffset: Int
    /// Bytes that are meant; 0 marks a point. May reach over several lines.
    public var length: Int

    /// Makes a place from its parts; ``ConfigSource/location(at:length:)`` counts them.
    public init(source: ConfigSource, line: Int, column: Int, byteOffset: Int, length: Int) {
        self.source = source
        self.line = line
        self.column = column
        self.byteOffset = byteOffset
        self.length = length
    }

    /// The name of the text.
    public var file: String { source.name }
}

extension SourceLocation: CustomStringConvertible {
    /// `pipeline.yaml:7:19`, or the bare name for an argument of the command line.
    public var description: String {
        source.isArgument ? file : "\(file):\(line):\(column)"
    }
}

extension SourceLocation: Comparable {
    /// Whether a place comes before another: by name, then by position.
    public static func < (left: SourceLocation, right: SourceLocation) -> Bool {
        if left.source.name != right.source.name { return left.source.name < right.source.name }
        return (left.byteOffset, left.length) < (right.byteOffset, right.length)
    }
}
