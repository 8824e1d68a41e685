// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineSystem

/// The remaining budget for decoding and searching embedded content.
///
/// A small body can contain a lot of data: base64 texts, each of them compressed. Two limits keep
/// one exchange from delaying the others of its thread: the total decoded size within one body, and
/// the CPU time that an exchange uses for it. Beyond either limit, the rest is masked.
///
/// **Limits**: a body larger than `maxBytes` may decode to as many bytes as it has, and has 25 ns
/// for each, so that large recordings are not masked. The time is that of the thread, since masking
/// must not depend on other work on the machine; it is measured from the first 256 KiB on, every 64
/// KiB.
struct SearchBudget {
    private static let firstLook = 256 << 10
    private static let lookDistance = 64 << 10
    private static let nanosecondsForByte = 25

    private let limits: EmbeddedLimits
    private let maxBytes: Int
    /// In microseconds.
    private let maxTime: Int64
    private let now: @Sendable () -> Int64
    /// The remaining decoded bytes of the current body, and of the current text within it.
    private var body: Int
    private var text: Int
    /// The total size of the bodies of the current exchange, and their decoded size.
    private var size = 0
    private var decoded = 0
    private var nextLook = SearchBudget.firstLook
    /// The time of the first measurement.
    private var start: Int64?
    private var isLate = false

    init(
        _ limits: EmbeddedLimits,
        maxBytes: Int,
        maxTime: Duration,
        now: @escaping @Sendable () -> Int64 = { ThreadClock.microseconds }
    ) {
        self.limits = limits
        self.maxBytes = maxBytes
        let (seconds, attoseconds) = maxTime.components
        self.maxTime =
            seconds.multipliedReportingOverflow(by: 1_000_000).overflow
            ? .max : seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        self.now = now
        body = maxBytes
        text = maxBytes
    }

    /// Begins another exchange.
    mutating func beginExchange() {
        body = maxBytes
        size = 0
        guard decoded > 0 else { return }
        decoded = 0
        nextLook = SearchBudget.firstLook
        start = nil
        isLate = false
    }

    /// Begins another body or message of the exchange with its captured size.
    mutating func beginBody(_ count: Int) {
        body = max(maxBytes, count)
        size += count
    }

    /// Begins another text of the body.
    mutating func beginText(_ count: Int) {
        text = limits.budget(for: count)
    }

    /// The number of bytes that may still be decoded; 0 if a limit has been reached.
    var bytes: Int { isLate ? 0 : min(body, text) }

    /// The same for a part of the body that is entirely in one encoding.
    var bytesOfBody: Int { isLate ? 0 : body }

    /// Records that `count` bytes were decoded and are searched next.
    mutating func spend(_ count: Int) {
        body = max(body - count, 0)
        text = max(text - count, 0)
        decoded += count
        if decoded >= nextLook { look() }
    }

    private mutating func look() {
        nextLook = decoded + SearchBudget.lookDistance
        guard let start else {
            start = now()
            return
        }
        let allowed = max(maxTime, Int64(size) * Int64(SearchBudget.nanosecondsForByte) / 1000)
        if now() - start > allowed { isLate = true }
    }
}
