// SPDX-License-Identifier: MIT

/// The limits on the size of a filter and on the work of an evaluation.
package struct FilterLimits: Sendable {
    /// The maximum length of the text in bytes.
    package var maxTextBytes = 65_536
    /// The maximum nesting depth of parentheses and `not`.
    package var maxDepth = 100
    /// The maximum number of comparisons.
    package var maxComparisons = 4096
    /// The maximum number of decoded bytes of a coded body; a comparison does not see the rest.
    package var maxDecodedBytes = 1 << 20

    /// Creates the default limits.
    package init() {}
}
