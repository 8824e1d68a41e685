// SPDX-License-Identifier: MIT

/// What a configuration file may cost at most.
public struct YAMLLimits: Sendable, Hashable {
    /// Bytes of the file; 8 MiB.
    public var bytes = 8 * 1024 * 1024
    /// Collections within each other, with aliases replaced; 64, never more than 512.
    public var depth = 64
    /// Scalars, lists and mappings as written; 200,000.
    public var nodes = 200_000
    /// Nodes that aliases and merge keys add when they are replaced by what they stand for; 20,000.
    public var aliasNodes = 20_000

    /// The limits that the command uses.
    public init() {}

    /// These limits, cut to what the code relies on: recursion over a tree must not exhaust the
    /// stack of a thread, and counts must not overflow.
    var bounded: YAMLLimits {
        var limits = self
        limits.bytes = min(bytes, 256 << 20)
        limits.depth = min(depth, 512)
        limits.aliasNodes = min(aliasNodes, 1 << 20)
        return limits
    }
}
