// SPDX-License-Identifier: MIT

/// The limits of a configuration file.
package struct YAMLLimits: Sendable, Hashable {
    /// The size of the file in bytes; 8 MiB.
    package var bytes = 8 * 1024 * 1024
    /// The depth of nested collections, with aliases resolved; 64, at most 512.
    package var depth = 64
    /// The number of scalars, lists and mappings as written; 200,000.
    package var nodes = 200_000
    /// The number of nodes that resolved aliases and merge keys add; 20,000.
    package var aliasNodes = 20_000

    /// Creates the limits that the command uses.
    package init() {}

    /// These limits, clamped to what the code can handle: recursion over a tree must not exhaust
    /// the stack of a thread, and counts must not overflow.
    var bounded: YAMLLimits {
        var limits = self
        limits.bytes = min(bytes, 256 << 20)
        limits.depth = min(depth, 512)
        limits.aliasNodes = min(aliasNodes, 1 << 20)
        return limits
    }
}
