// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel

/// Durations that one lane measures and any thread may read.
///
/// **Units**: nanoseconds.
/// **Isolation**: a duration is lost if two threads add to the same histogram.
package final class DurationHistogram: Sendable {
    /// The counters of one octave, which are created with the first time in it.
    private final class Octave: Sendable {
        let bank = AtomicLazyReference<CounterBank>()
    }

    private static let total = 0
    private static let maximum = 1

    private let octaves = (0..<Distribution.octaveCount).map { _ in Octave() }
    private let bank = CounterBank(count: 2)

    /// Creates an empty histogram.
    package init() {}

    /// Adds a time that was measured `count` times; a negative one, from a clock that was set back,
    /// counts as zero.
    package func add(nanoseconds: Int, count: Int = 1) {
        guard count > 0 else { return }
        let time = max(nanoseconds, 0)
        let bucket = Distribution.bucket(of: time)
        let octave = octaves[bucket / Distribution.octaveBuckets]
        let counters =
            octave.bank.load()
            ?? octave.bank.storeIfNil(CounterBank(count: Distribution.octaveBuckets))
        counters.add(count, to: bucket % Distribution.octaveBuckets)
        bank.add(time.multipliedClamped(by: count), to: Self.total)
        bank.raise(to: time, at: Self.maximum)
    }

    /// The distribution of the times so far.
    package var distribution: DurationDistribution {
        let sums = bank.counts
        return Distribution(
            octaves: octaves.map { $0.bank.load()?.counts },
            total: sums[Self.total],
            maximum: sums[Self.maximum]
        )
    }
}
