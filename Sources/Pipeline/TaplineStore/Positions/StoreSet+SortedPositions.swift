// SPDX-License-Identifier: MIT

internal import TaplineModel
package import TaplineQuery

extension StoreSet {
    /// Returns the positions of all exchanges that match a filter, in order.
    ///
    /// **Limits**: while it sorts, 32 bytes of memory for each match, and each different text once.
    ///
    /// - Parameters:
    ///   - filter: The condition; `nil` for all exchanges.
    ///   - sort: The order; `nil` for the newest first, by start time if there are several stores.
    ///   - head: The exchanges to consider.
    ///   - progress: Observes the query, and may cancel it.
    /// - Returns: The positions.
    /// - Throws: `StoreError` if a store cannot be read; `QueryCancelled`.
    package func positions(
        matching filter: Filter?,
        sort: StoreSort?,
        in head: StoreHead,
        progress: QueryProgress? = nil
    ) throws -> StorePositions {
        try findCopies(progress)
        try recordedIDs?.beginQuestion()
        var sorting = PositionSorting(sort, hasStores: stores.count > 1)
        for (number, store) in stores.enumerated() where head.parts.indices.contains(number) {
            progress?.begin(number, of: stores.count)
            let part = head.parts[number]
            try store.forEachValue(of: sort?.field, matching: filter, in: part, progress) {
                sorting.add($0, store: number)
            }
        }
        try progress?.check()
        return sorting.finish()
    }
}

/// A match with what it is sorted by.
struct ValuedRow: Sendable {
    let number: Int64
    /// When the exchange began, in microseconds since 1970.
    let started: Int64
    let value: FilterValue?
}

extension Store {
    /// Calls a closure with each match and the value of a field.
    fileprivate func forEachValue(
        of field: FieldReference?,
        matching filter: Filter?,
        in part: StoreHead.Part,
        _ progress: QueryProgress?,
        _ body: (ValuedRow) -> Void
    ) throws {
        switch content {
        case .database(let store):
            try store.forEachValue(of: field, matching: filter, in: part, progress, body)
        case .recording(let store):
            try store.read(progress) { key, exchange in
                // The last one may have been a copy, which is not read.
                guard key.number <= part.last else { return false }
                if filter?.matches(exchange) ?? true {
                    body(ValuedRow(key, exchange, field))
                }
                return key.number < part.last
            }
        }
    }
}

extension DatabaseStore {
    fileprivate func forEachValue(
        of field: FieldReference?,
        matching filter: Filter?,
        in part: StoreHead.Part,
        _ progress: QueryProgress?,
        _ body: (ValuedRow) -> Void
    ) throws {
        let query = try compiled(
            StoreQuery(filter, parts: []),
            wanted: RowColumns(usedBy: field.map { [$0.field] } ?? [])
        )
        if query.condition.isNever { return }
        let end = part.last == .max ? part.last : part.last + 1
        let range = RowRange(lower: .min, upper: end)
        let ranges = try textRanges(query, in: range, progress: progress)
        try scan(ranges ?? [range], query, progress: progress) { reader in
            let rows = RowReader(reader, query)
            return RangeScan.Work { range in
                var found: [ValuedRow] = []
                try rows.read(range) { key, exchange in
                    found.append(ValuedRow(key, exchange, field))
                    return true
                }
                return found
            }
        } _: { (found: [ValuedRow]) in
            for row in found { body(row) }
            return true
        }
    }
}

extension ValuedRow {
    fileprivate init(
        _ key: StoreKey,
        _ exchange: borrowing Exchange,
        _ field: FieldReference?
    ) {
        number = key.number
        started = key.started.microseconds
        value = field.flatMap { SortValue(exchange, of: $0).value }
    }
}

/// Sorts positions by values, which it turns into numbers.
struct PositionSorting {
    /// What a value is; absent ones come last in both directions.
    private enum Kind: UInt8 { case number, text, absent }

    private struct Item {
        var key: Int64
        let started: Int64
        let number: Int64
        let store: UInt16
        let kind: Kind
    }

    private let sort: StoreSort?
    private let hasStores: Bool
    private var items: [Item] = []
    private var codes: [[UInt8]: Int64] = [:]

    init(_ sort: StoreSort?, hasStores: Bool) {
        self.sort = sort
        self.hasStores = hasStores
    }

    mutating func add(_ row: ValuedRow, store: Int) {
        var key: Int64 = 0
        var kind = Kind.number
        switch row.value {
        case nil: kind = .absent
        case .whole(let number): key = number
        case .real(let number): key = Self.orderedBits(of: number)
        case .text(let text):
            kind = .text
            if let code = codes[text] {
                key = code
            } else {
                key = Int64(codes.count)
                codes[text] = key
            }
        }
        items.append(
            Item(
                key: key,
                started: row.started,
                number: row.number,
                store: UInt16(clamping: store),
                kind: kind
            )
        )
    }

    mutating func finish() -> StorePositions {
        replaceCodes()
        // Without a field, the newest come first.
        let isDescending = sort?.isDescending ?? true
        let hasStores = hasStores
        items.sort { left, right in
            if left.kind != right.kind {
                if left.kind == .absent || right.kind == .absent { return right.kind == .absent }
                return (left.kind.rawValue < right.kind.rawValue) != isDescending
            }
            if left.key != right.key { return (left.key < right.key) != isDescending }
            if hasStores {
                if left.started != right.started {
                    return (left.started < right.started) != isDescending
                }
                if left.store != right.store { return (left.store < right.store) != isDescending }
            }
            return left.number == right.number
                ? false : (left.number < right.number) != isDescending
        }
        return StorePositions(
            numbers: items.map(\.number),
            stores: hasStores ? items.map(\.store) : []
        )
    }

    /// Replaces the codes of texts by their ranks.
    private mutating func replaceCodes() {
        guard !codes.isEmpty else { return }
        var ranks = [Int64](repeating: 0, count: codes.count)
        let sorted = codes.sorted { $0.key.span.precedes($1.key.span) }
        for (rank, entry) in sorted.enumerated() { ranks[Int(entry.value)] = Int64(rank) }
        for index in items.indices where items[index].kind == .text {
            items[index].key = ranks[Int(items[index].key)]
        }
    }

    /// An integer that has the order of a number.
    private static func orderedBits(of number: Double) -> Int64 {
        let bits = Int64(bitPattern: number.bitPattern)
        return bits < 0 ? bits ^ .max : bits
    }
}
