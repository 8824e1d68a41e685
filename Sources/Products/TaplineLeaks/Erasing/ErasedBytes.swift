// SPDX-License-Identifier: MIT

/// Bytes from which values were removed.
package struct ErasedBytes: Sendable, Equatable {
    /// The bytes without the values; empty if nothing of them can be kept.
    package var bytes: [UInt8]
    /// How many occurrences were removed.
    package var count: Int
}
