// SPDX-License-Identifier: MIT

/// How many messages a fetch asks for, which are in memory together.
///
/// Pure: it reads no clock.
///
/// **Shape**: the first fetch asks for few, and each later one for at most twice as many as came
/// before, as long as they are small and take little time. Sizes are bytes, and times microseconds.
struct FetchLimit {
    private static let first = 16

    private let most: Int
    private let bytes: Int
    private let time: Int64
    /// The number for the next fetch.
    private(set) var count: Int

    /// - Parameters:
    ///   - most: The most messages.
    ///   - bytes: About how many bytes a fetch may bring.
    ///   - time: How long its messages may take.
    init(most: Int, bytes: Int, time: Int64) {
        self.most = max(most, 1)
        self.bytes = bytes
        self.time = time
        count = min(self.most, Self.first)
    }

    /// A fetch has brought messages.
    ///
    /// - Parameters:
    ///   - number: Their number.
    ///   - largest: The size of the largest one.
    ///   - time: How long all of them took.
    mutating func fetched(_ number: Int, largest: Int, in time: Int64) {
        guard number > 0 else { return }
        let mean = max(time / Int64(number), 1)
        let limit = min(bytes / max(largest, 1), Int(clamping: self.time / mean))
        // A fetch of few messages shows little about many.
        let growth = 2 * min(max(number, Self.first), most)
        count = max(min(limit, growth, most), 1)
    }
}
