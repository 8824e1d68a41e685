// SPDX-License-Identifier: MIT

/// The number of bytes that may still be decoded in a unit and in everything within it.
///
/// **Isolation.** Used by one thread at a time.
final class DecodingBudget {
    private(set) var bytes: Int

    init(_ bytes: Int) { self.bytes = max(bytes, 0) }

    var isUsedUp: Bool { bytes == 0 }

    /// Takes bytes that were decoded.
    func take(_ count: Int) { bytes -= min(max(count, 0), bytes) }
}
