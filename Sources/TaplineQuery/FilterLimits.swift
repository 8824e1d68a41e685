// SPDX-License-Identifier: MIT

/// How large a filter, and the work of one evaluation, may become.
public struct FilterLimits: Sendable {
    /// The longest text, in bytes.
    public var maxTextBytes = 65_536
    /// How deeply parentheses and `not` may nest.
    public var maxDepth = 100
    /// How many comparisons there may be.
    public var maxComparisons = 4096
    /// How many bytes of a coded body are decoded; a comparison sees no more of it.
    public var maxDecodedBytes = 1 << 20

    /// The usual limits.
    public init() {}
}
