// SPDX-License-Identifier: MIT

/// The limits of a decoder's output and memory.
@usableFromInline package struct DecodingLimits: Hashable, Sendable {
    /// The maximum number of bytes that one stream may decode to.
    package var maxOutputBytes: Int

    /// The maximum ratio of output to input; zero for no limit.
    ///
    /// Deflate can reach 1,032; ordinary bodies rarely exceed 100.
    package var maxRatio: Int

    /// The output size below which the ratio is not checked.
    package var ratioFreeBytes: Int

    /// The base-2 logarithm of the largest zstd window, from 10 to 31.
    ///
    /// RFC 9659 allows 23 (8 MiB) in HTTP; files made with `zstd --long` need 27 or more.
    package var maxZstdWindowLog: Int

    /// Makes limits for the bodies of HTTP messages.
    ///
    /// - Parameters:
    ///   - maxOutputBytes: The maximum number of bytes that one stream may decode to.
    ///   - maxRatio: The maximum ratio of output to input; zero for no limit.
    ///   - ratioFreeBytes: The output size below which the ratio is not checked.
    ///   - maxZstdWindowLog: The base-2 logarithm of the largest zstd window.
    @usableFromInline package init(
        maxOutputBytes: Int = 64 << 20,
        maxRatio: Int = 1_000,
        ratioFreeBytes: Int = 1 << 20,
        maxZstdWindowLog: Int = 23
    ) {
        self.maxOutputBytes = maxOutputBytes
        self.maxRatio = maxRatio
        self.ratioFreeBytes = ratioFreeBytes
        self.maxZstdWindowLog = maxZstdWindowLog
    }

    /// The limits for recordings that the user names: any size, and zstd's own window limit.
    package static let files = DecodingLimits(
        maxOutputBytes: .max,
        maxRatio: 0,
        maxZstdWindowLog: 27
    )
}
