// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Exchange {
    /// How much later than its client a proxy may note the end of an exchange, in microseconds.
    private static let lateness: Int64 = 100_000
    /// The longest duration that is believed, in microseconds: about 35 years.
    private static let longest: Int64 = 1 << 50

    /// When the exchange ended; its start if the duration is not known.
    var ended: Timestamp { time(after: timing.total?.count ?? 0) }

    /// From when on the client may have had the answer: at most `lateness` before the recorded end.
    var answered: Timestamp {
        time(after: max(Exchange.bounded(timing.total) - Exchange.lateness, 0))
    }

    /// The connection, if its requests come one after the other (RFC 9112 §9.3, without pipelining);
    /// a hash.
    var serialConnection: UInt64? {
        let client = connection.client
        guard !client.isEmpty, request.version.span.starts(with: "HTTP/1") else { return nil }
        var hasher = Hasher()
        hasher.combine(client)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private static func bounded(_ duration: Microseconds?) -> Int64 {
        min(max(duration?.count ?? 0, 0), longest)
    }

    private func time(after duration: Int64) -> Timestamp {
        let duration = Exchange.bounded(Microseconds(duration))
        let (time, overflow) = started.microseconds.addingReportingOverflow(duration)
        return overflow ? started : Timestamp(microseconds: time)
    }
}
