// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineStatistics

/// Counts and measures exchanges in groups; it knows no store.
///
/// Values are numbers: those of texts are assigned at their first appearance, so an exchange is
/// found in its group by integers. Tables of one query can be filled by several threads and merged.
///
/// **Limits**: `StatsQuery.maxGroups` groups; exchanges of further ones are added to one group.
struct StatsTable: Sendable {
    /// The code of an absent value.
    static let absent = Int64.min
    /// The code of values beyond the limits.
    static let others = Int64.min + 1

    let query: StatsQuery
    /// The fields that form groups, followed by those that are counted within them.
    let fields: [StatsField]
    let maxGroups: Int

    /// The codes of the texts of each field.
    private var texts: [TextCodes]
    /// The time bucket of the next exchange, and the codes of its fields that form groups.
    private var key: [Int64]
    /// The codes of its other fields.
    private var details: [Int64]
    private var positions: [[Int64]: Int] = [:]
    private(set) var groups: [(key: [Int64], group: StatsGroup)] = []
    /// The start of the first and of the last exchange; `nil` if there are none.
    private(set) var times: ClosedRange<Int64>?

    init(_ query: StatsQuery, maxGroups: Int = StatsQuery.maxGroups) {
        self.query = query
        self.maxGroups = maxGroups
        fields = query.fields + query.breakdowns
        texts = fields.map { _ in TextCodes() }
        key = Array(repeating: Self.absent, count: 1 + query.fields.count)
        details = Array(repeating: Self.absent, count: query.breakdowns.count)
    }

    private var isFull: Bool { groups.count >= maxGroups }

    // MARK: Adding

    /// Adds an exchange.
    mutating func add(_ exchange: borrowing Exchange) {
        for index in fields.indices {
            set(index, code(of: fields[index].value(in: exchange), in: index))
        }
        add(StatsSample(exchange))
    }

    /// Sets the value of a field of the next exchange.
    mutating func set(_ field: Int, _ code: Int64) {
        if field < key.count - 1 {
            key[field + 1] = code
        } else {
            details[field - (key.count - 1)] = code
        }
    }

    /// Adds an exchange with the values that have been set.
    mutating func add(_ sample: StatsSample) {
        key[0] = bucket(of: sample.started)
        let position = position()
        groups[position].group.add(sample)
        if !details.isEmpty {
            groups[position].group.addSizes(sample)
            for index in details.indices {
                groups[position].group.count(details[index], in: index)
            }
        }
        include(sample.started)
    }

    private mutating func include(_ moment: Int64) {
        guard let known = times else {
            times = moment...moment
            return
        }
        if moment < known.lowerBound { times = moment...known.upperBound }
        if moment > known.upperBound { times = known.lowerBound...moment }
    }

    /// Returns the position of the group of `key`, which is created if necessary.
    private mutating func position() -> Int {
        if let position = positions[key] { return position }
        if isFull { key = Array(repeating: Self.others, count: key.count) }
        if let position = positions[key] { return position }
        positions[key] = groups.count
        groups.append((key, StatsGroup(breakdowns: details.count)))
        return groups.count - 1
    }

    /// The number of the time bucket of a moment.
    private func bucket(of moment: Int64) -> Int64 {
        guard let width = query.every?.count else { return 0 }
        let quotient = moment / width
        return max(moment % width < 0 ? quotient - 1 : quotient, Self.others + 1)
    }

    // MARK: Codes

    /// The code of a value.
    mutating func code(of value: FilterValue?, in field: Int) -> Int64 {
        switch value {
        case .text(let bytes): code(of: bytes.span, in: field)
        case .whole(let number): code(of: number)
        case .real, nil: Self.absent
        }
    }

    /// The code of a text.
    mutating func code(of text: Span<UInt8>, in field: Int) -> Int64 {
        // A text that can only belong to the rest needs no memory.
        let hasRoom = !isFull && texts[field].count < maxGroups
        return texts[field].code(of: text, adds: hasRoom) ?? Self.others
    }

    /// The code of a number.
    func code(of number: Int64) -> Int64 { max(number, Self.others + 1) }

    /// The value of a code; `nil` if it is absent.
    func value(of code: Int64, in field: Int) -> FilterValue? {
        if code == Self.absent || code == Self.others { return nil }
        return fields[field].isNumber ? .whole(code) : texts[field].text(code).map { .text($0) }
    }

    // MARK: Merging

    /// Adds the groups of a table of the same query.
    mutating func merge(_ other: StatsTable) {
        for (foreign, group) in other.groups {
            key[0] = foreign[0]
            for index in query.fields.indices {
                key[index + 1] = translate(foreign[index + 1], in: index, of: other)
            }
            let position = position()
            groups[position].group.merge(group)
            for (breakdown, counts) in group.breakdowns.enumerated() {
                let field = query.fields.count + breakdown
                for (code, number) in counts.sorted(by: { $0.key < $1.key }) {
                    let own = translate(code, in: field, of: other)
                    groups[position].group.count(own, number, in: breakdown)
                }
            }
        }
        if let times = other.times {
            include(times.lowerBound)
            include(times.upperBound)
        }
    }

    /// The own code of a value of another table.
    private mutating func translate(
        _ code: Int64,
        in field: Int,
        of other: StatsTable
    ) -> Int64 {
        if code == Self.absent || code == Self.others || fields[field].isNumber { return code }
        return other.texts[field].text(code).map { self.code(of: $0.span, in: field) }
            ?? Self.absent
    }
}
