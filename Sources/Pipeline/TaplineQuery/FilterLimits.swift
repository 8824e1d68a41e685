// SPDX-License-Identifier: MIT

/// The limits on the size of a filter and on the work of an evaluation.
public struct FilterLimits: Sendable {
    /// The maximum length of the text in bytes.
    public var maxTextBytes = 65_536
    /// The maximum nesting depth of parentheses and `not`.
    public var maxDepth = 100
    /// The maximum number of comparisons.
    public var maxComparisons = 4096
    /// The maximum number of decoded bytes of a coded body; a comparison does not see the rest.
    public var maxDecodedBytes = 1 << 20

    /// Creates the default limits.
    public init() {}
}
