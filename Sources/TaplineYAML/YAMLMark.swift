// SPDX-License-Identifier: MIT

/// A place in a YAML text, as libyaml counts it.
///
/// **Units** `index` and `column` count Unicode scalars, not bytes; all three start at 0.
@frozen
public struct YAMLMark: Sendable, Hashable {
    /// Scalars before this place in the whole text.
    public var index: Int
    /// Lines before this place; NEL, LS and PS end a line too (YAML 1.1 §4.3).
    public var line: Int
    /// Scalars before this place in its line.
    public var column: Int

    /// Makes a mark from its three counts.
    @inlinable
    public init(index: Int, line: Int, column: Int) {
        self.index = index
        self.line = line
        self.column = column
    }
}
