// SPDX-License-Identifier: MIT

internal import TaplinePlugin
internal import TaplineStatistics

/// The traffic of an app, for each host and path pattern.
public struct TrafficSummary: Sendable {
    /// The exchanges of one host and path pattern.
    public struct Row: Sendable {
        private let row: TaplineStatistics.TrafficSummary.Row

        init(_ row: TaplineStatistics.TrafficSummary.Row) { self.row = row }

        /// The host, with the port if the URL has one.
        public var host: String { row.host }
        /// The path, with `{id}` for segments that vary: `/users/{id}`.
        public var path: String { row.path }
        /// The number of requests.
        public var requests: Int { row.requests }
        /// The number of requests with a response, complete or not.
        public var responses: Int { row.responses }
        /// The number of requests that failed; cancelled ones do not count.
        public var errors: Int { row.errors }
        /// The estimated number of bytes sent: lines, fields and bodies.
        public var bytesUp: Int { row.bytesUp }
        /// The estimated number of bytes received.
        public var bytesDown: Int { row.bytesDown }

        /// Returns the time that a given fraction of the exchanges did not exceed, accurate to
        /// 1 %; `nil` if none has received a response.
        ///
        /// - Parameter part: The fraction, from 0 to 1; 0.5 is the median.
        /// - Returns: The time.
        public func latency(_ part: Double) -> Duration? { row.latency(part) }
    }

    /// The rows, sorted by bytes, largest first.
    public let rows: [Row]

    init(_ summary: TaplineStatistics.TrafficSummary) { rows = summary.rows.map(Row.init) }
}
