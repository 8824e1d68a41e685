// SPDX-License-Identifier: MIT

/// How much a decoder may put out, and what it may use for it.
public struct DecodingLimits: Hashable, Sendable {
    /// The most bytes that one stream may decode to.
    public var maxOutputBytes: Int

    /// How many times larger than its input the output may be; zero for any.
    ///
    /// Deflate can reach 1,032; honest bodies rarely pass 100.
    public var maxRatio: Int

    /// Output below this size is never held against the ratio.
    public var ratioFreeBytes: Int

    /// The logarithm of the largest zstd window, from 10 to 31.
    ///
    /// RFC 9659 allows 23 (8 MiB) in HTTP; files made with `zstd --long` need up to 27 or more.
    public var maxZstdWindowLog: Int

    /// Makes limits for bodies of HTTP messages.
    ///
    /// - Parameters:
    ///   - maxOutputBytes: The most bytes that one stream may decode to.
    ///   - maxRatio: How many times larger than its input the output may be; zero for any.
    ///   - ratioFreeBytes: Output below this size is never held against the ratio.
    ///   - maxZstdWindowLog: The logarithm of the largest zstd window.
    public init(
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

    /// For recordings that the user names: streamed, of any size, with zstd's own window limit.
    public static let files = DecodingLimits(
        maxOutputBytes: .max,
        maxRatio: 0,
        maxZstdWindowLog: 27
    )
}
