// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineFiles

/// How much of what is embedded in texts may still be undone and searched.
///
/// A small body can hold much: texts in base64, each of them compressed. Two limits keep one exchange from
/// holding up the others of its thread: how many bytes come out of all forms within one body, and how
/// much of the processor's time an exchange takes for that. Past either, the rest is masked.
///
/// **Limits**: a body larger than `maxBytes` may hold as many bytes as it has, and has 25 ns for each, so
/// that large recordings are not masked. Time is that of the thread, since what is masked must not depend
/// on what else the machine does; it is measured from the first 256 KiB on, each 64 KiB.
struct SearchBudget {
    private static let firstLook = 256 << 10
    private static let lookDistance = 64 << 10
    private static let nanosecondsForByte = 25

    private let limits: EmbeddedLimits
    private let maxBytes: Int
    /// In microseconds.
    private let maxTime: Int64
    private let now: @Sendable () -> Int64
    /// How many bytes may come out of the present body, and of the present text within it.
    private var body: Int
    private var text: Int
    /// How large the bodies of the present exchange are, and how much came out of them.
    private var size = 0
    private var decoded = 0
    private var nextLook = SearchBudget.firstLook
    /// When the first look was.
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

    /// Another exchange begins.
    mutating func beginExchange() {
        body = maxBytes
        size = 0
        guard decoded > 0 else { return }
        decoded = 0
        nextLook = SearchBudget.firstLook
        start = nil
        isLate = false
    }

    /// Another body or message of the exchange begins, with as many bytes as it was captured with.
    mutating func beginBody(_ count: Int) {
        body = max(maxBytes, count)
        size += count
    }

    /// Another text of the body begins.
    mutating func beginText(_ count: Int) {
        text = limits.budget(for: count)
    }

    /// How many bytes may still come out; 0 if a limit has been reached.
    var bytes: Int { isLate ? 0 : min(body, text) }

    /// The same for a part of the body that is in one form as a whole.
    var bytesOfBody: Int { isLate ? 0 : body }

    /// So many bytes came out, and are searched next.
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
