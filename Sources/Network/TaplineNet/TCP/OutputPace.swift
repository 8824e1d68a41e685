// SPDX-License-Identifier: MIT

package import TaplineModel

/// Limits how fast bytes are sent: a token bucket that holds a tenth of a second.
package struct OutputPace {
    /// The limit; at least 1.
    let bytesPerSecond: Int
    /// The bytes that may be sent at once; after that, they follow in parts of half of this.
    let burst: Int
    /// The bytes that may be sent now; below zero after more than that were sent.
    private var credit: Double
    /// When the credit was computed, in microseconds.
    private var time: Int64

    /// Makes a full bucket.
    package init(bytesPerSecond: Int, at now: Int64) {
        self.bytesPerSecond = max(bytesPerSecond, 1)
        burst = max(self.bytesPerSecond / 10, 1)
        credit = Double(burst)
        time = now
    }

    /// Returns how many bytes may be sent at a time; 0 if it is too early.
    package mutating func allowance(at now: Int64) -> Int {
        if now > time {
            let earned = Double(now &- time) * Double(bytesPerSecond) / 1_000_000
            credit = min(credit + earned, Double(burst))
            time = now
        }
        return credit >= Double(part) ? Int(credit) : 0
    }

    /// Counts bytes that were sent.
    package mutating func sent(_ count: Int) { credit -= Double(count) }

    /// The time until more may be sent.
    package var wait: Microseconds {
        let missing = max(Double(part) - credit, 0)
        // At most a day, so that the conversion is safe.
        let time = min(missing * 1_000_000 / Double(bytesPerSecond), 86_400_000_000)
        return Microseconds(Int64(time.rounded(.up)))
    }

    /// The bytes that have to be available before more are sent.
    private var part: Int { max(burst / 2, 1) }
}
