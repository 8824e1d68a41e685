// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineModel

/// The traffic that was sent and received, for each host and path template.
package struct TrafficSummary: Sendable {
    /// The exchanges of one host and path template.
    package struct Row: Sendable {
        /// The host, with a port if the URL has one.
        package let host: String
        /// The path, with `{id}` for segments that vary: `/users/{id}`.
        package let path: String
        /// The number of requests.
        package internal(set) var requests = 0
        /// The number of requests that got a response, complete or not.
        package internal(set) var responses = 0
        /// The number of requests that failed, without cancelled ones.
        package internal(set) var errors = 0
        /// The bytes sent, counted or estimated: lines, fields and bodies.
        package internal(set) var bytesUp = 0
        /// The bytes received, counted or estimated.
        package internal(set) var bytesDown = 0
        /// The durations of the exchanges that got a response.
        package internal(set) var times = DurationDistribution()

        /// Returns the time that the given part of the exchanges did not exceed, accurate to 1 %;
        /// `nil` if none got a response.
        ///
        /// - Parameter part: From 0 to 1; 0.5 is the median.
        /// - Returns: The time.
        package func latency(_ part: Double) -> Duration? {
            times.count > 0 ? .nanoseconds(times.quantile(part)) : nil
        }
    }

    /// The rows, those with the most bytes first.
    package let rows: [Row]
}

/// Aggregates exchanges as they end.
///
/// **Limits**: if there are `maxRows` rows, exchanges of further path templates are added to a row
/// of host `*`.
/// **Isolation**: any thread.
package final class TrafficTable: Sendable {
    static let maxRows = 1000

    /// The host and path template.
    private struct Key: Hashable {
        var host: [UInt8] = []
        var path: [UInt8] = []

        /// The key of the row for exchanges beyond the limit.
        static let others = Key(host: [.ascii("*")], path: Array("**".utf8))

        /// Overwrites the key with that of a request, without allocating.
        mutating func set(_ request: borrowing Request) {
            host.removeAll(keepingCapacity: true)
            host.append(copying: request.authority.span)
            for index in host.indices { host[index] = host[index].asciiLowercased }
            PathTemplate.make(
                request.target.span.extracting(request.pathRange),
                into: &path
            )
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(host.span)
            hasher.combine(path.span)
        }
    }

    private struct State: ~Copyable {
        var rows: [TrafficSummary.Row] = []
        var positions: [Key: Int] = [:]
        /// The key of the exchange that is being added.
        var key = Key()

        /// Returns the position of the key's row, which is created if necessary.
        mutating func position() -> Int {
            if let position = positions[key] { return position }
            let key = rows.count < TrafficTable.maxRows ? key : Key.others
            if let position = positions[key] { return position }
            positions[key] = rows.count
            rows.append(
                TrafficSummary.Row(
                    host: String(decoding: key.host, as: UTF8.self),
                    path: String(decoding: key.path, as: UTF8.self)
                )
            )
            return rows.count - 1
        }
    }

    private let state = Mutex(State())

    /// Creates an empty table.
    package init() {}

    /// Adds an exchange that has ended.
    package func add(_ exchange: borrowing Exchange) {
        state.withLock { state in
            state.key.set(exchange.request)
            state.rows[state.position()].count(exchange)
        }
    }

    /// Removes all rows.
    package func clear() { state.withLock { $0 = State() } }

    /// The current rows.
    package var summary: TrafficSummary {
        let rows = state.withLock { $0.rows }
        return TrafficSummary(
            rows: rows.sorted {
                ($1.bytes, $0.host, $0.path) < ($0.bytes, $1.host, $1.path)
            }
        )
    }
}

extension TrafficSummary.Row {
    /// The bytes in both directions.
    fileprivate var bytes: Int { bytesUp.addingClamped(bytesDown) }

    fileprivate mutating func count(_ exchange: borrowing Exchange) {
        requests += 1
        if case .some = exchange.response {
            responses += 1
            if let total = exchange.timing.total {
                times.add(Int(clamping: total.count).multipliedClamped(by: 1000))
            }
        }
        if exchange.state == .failed { errors += 1 }
        bytesUp = bytesUp.addingClamped(exchange.bytes?.up.total ?? 0)
        bytesDown = bytesDown.addingClamped(exchange.bytes?.down.total ?? 0)
    }
}
