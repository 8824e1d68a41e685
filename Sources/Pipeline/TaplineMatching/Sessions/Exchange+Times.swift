// SPDX-License-Identifier: MIT

package import TaplineModel

extension Exchange {
    /// How much later than its client a proxy may note the end of an exchange, in microseconds.
    private static let lateness: Int64 = 100_000
    /// The longest duration that is believed, in microseconds: about 35 years.
    private static let longest: Int64 = 1 << 50

    /// When the exchange ended; its start if the duration is not known.
    var ended: Timestamp { time(after: timing.total?.count ?? 0) }

    /// From when on the client may have had the answer: at most `lateness` before the recorded end.
    ///
    /// A WebSocket is answered when it opens; its messages follow.
    var answered: Timestamp {
        let isOpened = response?.status == 101
        let duration = isOpened ? responseBegan.count : Exchange.bounded(timing.total)
        return time(after: max(duration - Exchange.lateness, 0))
    }

    /// When its response began, since its start: when a WebSocket opened.
    ///
    /// It never is after the first message, whatever the durations are.
    package var responseBegan: Microseconds {
        let first = messages.lazy.compactMap(\.at).first
        let parts = Exchange.bounded(timing.send) + Exchange.bounded(timing.wait)
        let began =
            if let total = timing.total, let receive = timing.receive {
                Exchange.bounded(total) - Exchange.bounded(receive)
            } else {
                parts
            }
        let latest = first.map { Exchange.bounded($0) } ?? Exchange.longest
        return Microseconds(min(max(began, 0), latest))
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

    /// When a message was recorded, from its time since the start.
    func time(of message: Microseconds) -> Timestamp { time(after: message.count) }

    private func time(after duration: Int64) -> Timestamp {
        let duration = Exchange.bounded(Microseconds(duration))
        let (time, overflow) = started.microseconds.addingReportingOverflow(duration)
        return overflow ? started : Timestamp(microseconds: time)
    }
}
