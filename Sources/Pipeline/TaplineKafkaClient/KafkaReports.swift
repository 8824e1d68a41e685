// SPDX-License-Identifier: MIT

internal import CKafka
internal import TaplinePlugin
internal import TaplineSystem

/// Passes what a client reports on to the log, without repeating itself.
///
/// **Isolation**: the thread of the client.
final class KafkaReports {
    /// The shortest time between two entries that differ only in numbers and details, in
    /// microseconds.
    private static let interval: Int64 = 60_000_000
    private static let maxKept = 64

    private let log: Log
    private var logged: [String: Int64] = [:]
    /// The last error that was reported.
    private(set) var latest: String?

    init(_ log: Log) { self.log = log }

    /// Handles an entry of the library's log or a general error; returns `false` for other events.
    func handle(_ event: borrowing KafkaEvent) -> Bool {
        switch event.kind {
        case RD_KAFKA_EVENT_LOG:
            var facility: UnsafePointer<CChar>?
            var text: UnsafePointer<CChar>?
            var level: Int32 = 0
            guard unsafe rd_kafka_event_log(event.pointer, &facility, &text, &level) == 0 else {
                return true
            }
            write(Self.level(level), unsafe Self.withoutThread(KafkaText.of(text)))
            return true
        case RD_KAFKA_EVENT_ERROR:
            guard let error = event.error else { return true }
            if error.code != RD_KAFKA_RESP_ERR__PARTITION_EOF.rawValue { note(error) }
            // The library has logged the loss of a connection.
            if error.isConnectionLoss { return true }
            return false
        default: return false
        }
    }

    /// Keeps an error, to explain later ones.
    func note(_ error: KafkaError) { latest = Self.withoutDetails(error.message) }

    /// Writes an entry, unless it was written a short time ago.
    func write(_ level: LogEntry.Level, _ text: String) {
        let now = SteadyClock.microseconds
        let key = Self.withoutDetails(text).filter { !$0.isNumber }
        if let last = logged[key], now &- last < Self.interval { return }
        if logged.count >= Self.maxKept { logged = [:] }
        logged[key] = now
        log(level, text)
    }

    /// The level of a level of syslog(3).
    private static func level(_ level: Int32) -> LogEntry.Level {
        switch level {
        case ...4: .warning
        case 5: .info
        default: .debug
        }
    }

    /// A text without times and counts: `… (after 0ms in state CONNECT, 1 identical error(s)
    /// suppressed)`.
    private static func withoutDetails(_ text: String) -> String {
        guard let start = text.firstRange(of: " (after ") else { return text }
        return String(text[..<start.lowerBound])
    }

    /// An entry without the name of the library's thread: `[thrd:main]: `.
    private static func withoutThread(_ text: String) -> String {
        guard text.hasPrefix("[thrd:"), let end = text.firstRange(of: "]: ") else { return text }
        return String(text[end.upperBound...])
    }
}
