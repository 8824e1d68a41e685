// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineQuery

/// Which exchanges are counted and measured, and how they are grouped.
package struct StatsQuery: Sendable {
    /// How many groups there are at most; see `StatsResult.isLimited`.
    package static let maxGroups = 65_536

    /// The condition; `nil` for all exchanges.
    package var filter: Filter?
    /// The fields whose values form groups; none for a single group.
    package var fields: [StatsField]
    /// The width of time buckets, which is positive; `nil` for one bucket.
    ///
    /// Buckets begin at multiples of it since 1970 in UTC.
    package var every: Microseconds?
    /// The fields whose values are counted within each group.
    ///
    /// If there are any, the sizes of bodies are measured, too.
    package var breakdowns: [StatsField]
    /// The maximum number of rows, of each time bucket; `nil` for all.
    package var top: Int?
    /// The order of the rows, within each time bucket.
    package var order: StatsOrder
    /// The rows among which the matches of the filter are, if an earlier query of the same database
    /// has found them; not used for recordings and several stores.
    package var candidates: CandidateRows?

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - filter: The condition; `nil` for all exchanges.
    ///   - fields: The fields whose values form groups.
    ///   - every: The width of time buckets; one that is not positive counts as 1 µs.
    ///   - breakdowns: The fields whose values are counted within each group.
    ///   - top: The maximum number of rows.
    ///   - order: The order of the rows.
    package init(
        _ filter: Filter? = nil,
        by fields: [StatsField] = [],
        every: Microseconds? = nil,
        breakdowns: [StatsField] = [],
        top: Int? = nil,
        order: StatsOrder = .count
    ) {
        self.filter = filter
        self.fields = fields
        self.every = every.map { max($0, Microseconds(1)) }
        self.breakdowns = breakdowns
        self.top = top
        self.order = order
    }
}

/// What exchanges are grouped by.
package enum StatsField: Sendable, Hashable {
    /// A field of the filter language; if it repeats, its first value.
    case field(FieldReference)
    /// The host in lower case, with the port if the URL has one.
    case authority
    /// The client's address without its port or, if that is unknown, the source.
    case caller

    /// Parses fields of the filter language that are separated by commas.
    ///
    /// - Parameter text: The fields.
    /// - Returns: At least one field.
    /// - Throws: `FilterError`, with the offset in the text.
    package static func list(_ text: String) throws(FilterError) -> [StatsField] {
        try FieldReference.list(text).map { .field($0) }
    }

    /// The name in results.
    package var name: String {
        switch self {
        case .field(let field): field.name
        case .authority: "host"
        case .caller: "caller"
        }
    }

    /// Whether values are numbers; those of other fields are texts.
    var isNumber: Bool {
        if case .field(let field) = self { field.isNumber } else { false }
    }

    /// Returns the value in an exchange; `nil` if it has none.
    func value(in exchange: borrowing Exchange) -> FilterValue? {
        switch self {
        case .field(let field): return field.value(in: exchange)
        case .authority:
            let bytes = Self.authority(exchange.request.authority.span)
            return bytes.isEmpty ? nil : .text(bytes)
        case .caller:
            let client = Self.address(exchange.connection.client.utf8.span)
            let bytes = client.isEmpty ? Array(exchange.source.utf8) : client
            return bytes.isEmpty ? nil : .text(bytes)
        }
    }

    /// Host and port of an authority, in lower case and without user-info.
    static func authority(_ authority: Span<UInt8>) -> [UInt8] {
        let start = AuthorityParts(authority).host.lowerBound
        return Array(copying: authority.extracting(start..<authority.count))
            .map(\.asciiLowercased)
    }

    /// The address of an address with a port, such as `[::1]:51234`.
    static func address(_ client: Span<UInt8>) -> [UInt8] {
        Array(copying: client.extracting(Connection.address(in: client)))
    }
}

/// The order of rows: the largest first, except for `key`.
package enum StatsOrder: String, Sendable, CaseIterable {
    /// By the number of exchanges.
    case count
    /// By the number of errors.
    case errors
    /// By the bytes of requests.
    case up
    /// By the bytes of responses.
    case down
    /// By the median of durations.
    case p50
    /// By the time that 90 % of exchanges do not exceed.
    case p90
    /// By the time that 99 % of exchanges do not exceed.
    case p99
    /// By the longest duration.
    case max
    /// By the values of the fields, the smallest first.
    case key
}
