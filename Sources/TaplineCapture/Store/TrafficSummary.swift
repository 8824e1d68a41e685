// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// What an app has sent and received, for each host and kind of path.
public struct TrafficSummary: Sendable {
    /// The exchanges of one host and kind of path.
    public struct Row: Sendable {
        private let row: TaplinePlugin.TrafficSummary.Row

        init(_ row: TaplinePlugin.TrafficSummary.Row) { self.row = row }

        /// The host, with a port where the URL has one.
        public var host: String { row.host }
        /// The path, with `{id}` for segments that vary: `/users/{id}`.
        public var path: String { row.path }
        /// How many requests.
        public var requests: Int { row.requests }
        /// How many of them have got a response, whole or not.
        public var responses: Int { row.responses }
        /// How many of them have failed; cancelled ones do not count.
        public var errors: Int { row.errors }
        /// The bytes that were sent, estimated: lines, fields and bodies.
        public var bytesUp: Int { row.bytesUp }
        /// The bytes that were received, estimated.
        public var bytesDown: Int { row.bytesDown }

        /// The time that a part of the exchanges did not exceed, to a fifth; `nil` if none has
        /// got a response.
        ///
        /// - Parameter part: From 0 to 1; 0.5 asks for the median.
        /// - Returns: The time.
        public func latency(_ part: Double) -> Duration? { row.latency(part) }
    }

    /// The rows, those with the most bytes first.
    public let rows: [Row]

    init(_ summary: TaplinePlugin.TrafficSummary) { rows = summary.rows.map(Row.init) }
}
