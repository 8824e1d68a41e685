// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineQuery

/// Which exchanges of a store are wanted, in which order, and how much of each.
package struct StoreQuery: Sendable {
    /// The condition; `nil` for all exchanges.
    package var filter: Filter?
    /// The order of the results.
    package var order: StoreOrder
    /// Sorts the results by a field; `order` has no effect then.
    package var sort: StoreSort?
    /// The key of the last exchange of the page before; `nil` for the first page.
    package var after: StoreKey?
    /// The maximum number of results; `nil` for all.
    package var limit: Int?
    /// Whether results follow beyond the limit until the next page may begin after the id of the last
    /// one; has an effect only if several stores share exchanges.
    ///
    /// An id stands for all copies of an exchange, so that a page does not end between them.
    package var endsBetweenIDs = false
    /// The parts that results need to have; other parts may be absent.
    package var parts: StoreParts
    /// Observes the query, and may cancel it.
    package var progress: QueryProgress?

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - filter: The condition; `nil` for all exchanges.
    ///   - order: The order of the results.
    ///   - sort: Sorts the results by a field instead.
    ///   - after: The key of the last exchange of the page before; `nil` for the first page.
    ///   - limit: The maximum number of results; `nil` for all.
    ///   - parts: The parts that results need to have.
    package init(
        _ filter: Filter? = nil,
        order: StoreOrder = .newestFirst,
        sort: StoreSort? = nil,
        after: StoreKey? = nil,
        limit: Int? = nil,
        parts: StoreParts = .all
    ) {
        self.filter = filter
        self.order = order
        self.sort = sort
        self.after = after
        self.limit = limit
        self.parts = parts
    }
}

/// The order of results.
///
/// The order of one store is the one in which its exchanges were written. Exchanges of several
/// stores are ordered by start time, then by id.
package enum StoreOrder: Sendable {
    /// The last exchange first.
    case newestFirst
    /// The first exchange first.
    case oldestFirst
}

/// The place of an exchange in a store.
package struct StoreKey: Sendable, Hashable {
    /// The position in writing order: `seq` in a database, the number of the record, from 0, in a
    /// recording.
    package let number: Int64
    /// When the exchange began.
    package let started: Timestamp
    /// The id of the exchange.
    package let id: ExchangeID
    /// The value by which a query has sorted it; `nil` in results of other queries.
    ///
    /// A key without it is completed from the store when a page begins after it.
    package internal(set) var value: SortValue?
}

/// An exchange of a store.
package struct StoredExchange: Sendable {
    /// Its place.
    package let key: StoreKey
    /// The exchange, at least with the parts that the query asks for.
    package let exchange: Exchange

    /// Returns the exchange without other parts, which take memory.
    package func reduced(to parts: StoreParts) -> StoredExchange {
        var exchange = exchange
        parts.reduce(&exchange)
        return StoredExchange(key: key, exchange: exchange)
    }
}

/// A part of the results of a query.
package struct StorePage: Sendable {
    /// The exchanges, in the order of the query.
    package let exchanges: [StoredExchange]
    /// The key after which the next page begins; `nil` if this page is the last one.
    package let next: StoreKey?
}

/// The parts of exchanges that are large or take time to decode; others are always read.
package struct StoreParts: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Tags.
    package static let tags = StoreParts(rawValue: 1)
    /// Header and trailer fields.
    package static let fields = StoreParts(rawValue: 2)
    /// The bytes of bodies; their sizes are always read.
    package static let bodies = StoreParts(rawValue: 4)
    /// Everything else without a column of its own in a database, such as TLS, messages, byte
    /// counts, notes, and the coding of bodies.
    package static let extra = StoreParts(rawValue: 8)
    /// The whole exchange.
    package static let all: StoreParts = [.tags, .fields, .bodies, .extra]

    /// The parts that the values of fields need.
    ///
    /// - Parameter fields: The fields.
    package init(usedBy fields: [FieldReference]) {
        self.init(usedBy: fields.map { StatsField.field($0) })
    }

    /// The parts that a filter needs.
    ///
    /// - Parameter filter: The filter.
    package init(usedBy filter: Filter) {
        self = []
        for field in filter.fields { formUnion(Self.parts(of: field.name)) }
    }

    /// The parts that fields of statistics use.
    init(usedBy fields: [StatsField]) {
        self = []
        for case .field(let field) in fields {
            formUnion(Self.parts(of: String(field.name.prefix { $0 != "[" && $0 != " " })))
        }
    }

    /// The parts that a field of the filter language uses; all of them for an unknown field.
    private static func parts(of field: String) -> StoreParts {
        switch field {
        case "id", "source", "state", "method", "url", "scheme", "host", "port", "path", "route",
            "query", "status", "status_class", "client", "server", "duration", "started", "error",
            "env", "request.version", "request.size", "response.size":
            []
        case "tag": .tags
        case "request.header", "response.header", "request.cookie", "response.cookie": .fields
        case "correlation": [.tags, .fields]
        case "grpc.service", "grpc.method": [.fields, .extra]
        case "grpc.status": [.tags, .fields, .extra]
        case "content_type": [.fields, .extra]
        case "request.body", "response.body": [.bodies, .extra]
        case "tls.version", "response.version", "bytes.up", "bytes.down", "note", "mark": .extra
        default: .all
        }
    }

    /// Removes other parts from an exchange to save memory.
    func reduce(_ exchange: inout Exchange) {
        if !contains(.tags) { exchange.tags = Tags() }
        if !contains(.fields) {
            exchange.request.fields = FieldSection()
            exchange.request.trailers = FieldSection()
            exchange.response?.fields = FieldSection()
            exchange.response?.trailers = FieldSection()
        }
        if !contains(.bodies) {
            exchange.request.body.bytes = []
            exchange.response?.body.bytes = []
        }
        if !contains(.extra) {
            exchange.messages = []
            exchange.har = ByteString()
            exchange.extra = nil
        }
    }
}
