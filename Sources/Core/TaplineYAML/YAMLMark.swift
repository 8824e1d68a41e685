// SPDX-License-Identifier: MIT

/// A position in a YAML text, as libyaml counts it.
///
/// **Units** `index` and `column` count Unicode scalars, not bytes; all three start at 0.
package struct YAMLMark: Sendable, Hashable {
    /// The number of scalars before this position in the whole text.
    package var index: Int
    /// The number of lines before this position; NEL, LS and PS also end a line (YAML 1.1 §4.3).
    package var line: Int
    /// The number of scalars before this position in its line.
    package var column: Int

    /// Creates a mark from its three counts.
    package init(index: Int, line: Int, column: Int) {
        self.index = index
        self.line = line
        self.column = column
    }
}
