// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The rows among which all matches of a filter are.
struct TextMatches: Sendable {
    /// Rows this close to each other are read together: a row takes less time than a transaction.
    private static let gap: Int64 = 8

    /// The numbers of the indexed ones, ascending.
    let numbers: [Int64]
    /// Rows with higher numbers are not indexed.
    let covered: Int64

    /// The ranges in which they are, ascending.
    func ranges(in range: RowRange) -> [RowRange] {
        var ranges: [RowRange] = []
        for number in numbers {
            guard let row = RowRange(number), number > range.lower, number < range.upper else {
                continue
            }
            if let last = ranges.last {
                let (distance, isFar) = row.lower.subtractingReportingOverflow(last.upper)
                if !isFar, distance < Self.gap {
                    ranges[ranges.count - 1].upper = row.upper
                    continue
                }
            }
            ranges.append(row)
        }
        let rest = RowRange(lower: max(range.lower, covered), upper: range.upper)
        if rest.lower < rest.upper { ranges.append(rest) }
        return ranges
    }
}

/// Asks an index for rows; within a transaction.
struct TextIndexSearch {
    /// The index finds too many rows.
    struct TooMany: Error {
        let limit: Int
    }

    /// A scan is faster if the index finds more than this part of the rows.
    private static let part = 64
    private static let minLimit = 1024

    private let file: TextIndexFile
    private let state: TextIndexFile.State
    private let search: TermSearch

    init(_ file: TextIndexFile, _ state: TextIndexFile.State, _ search: TermSearch) {
        self.file = file
        self.state = state
        self.search = search
    }

    /// Returns the rows of a range that may match.
    ///
    /// **Throws**: `TooMany` as soon as there are more rows than a scan should replace;
    /// `DamagedIndex`, `SQLiteError`; `QueryCancelled`.
    func matches(in range: RowRange, _ progress: QueryProgress?) throws -> TextMatches {
        let places = try file.places(state).filter { place in
            place.first < range.upper
                && place.first &+ Int64(place.count) > range.lower
        }
        let limit = max(Self.minLimit, places.reduce(0) { $0 + $1.count } / Self.part)
        var numbers: [Int64] = []
        for place in places {
            try progress?.check()
            var rows = try rows(of: search, place)
            rows.formUnion(place.open)
            for position in rows.positions { numbers.append(place.first &+ Int64(position)) }
            if numbers.count > limit { throw TooMany(limit: limit) }
        }
        return TextMatches(numbers: numbers, covered: state.covered)
    }

    private func rows(of search: TermSearch, _ place: TextIndexFile.Place) throws -> SegmentRows {
        switch search {
        case .term(let term): return try rows(of: term, place)
        case .part(let part): return try rows(withPart: part, place)
        case .all(let parts):
            var rows: SegmentRows?
            for part in parts {
                var found = try self.rows(of: part, place)
                if let rows { found.formIntersection(rows) }
                if found.isEmpty { return found }
                rows = found
            }
            return rows ?? SegmentRows()
        case .any(let parts):
            var rows = SegmentRows()
            for part in parts { rows.formUnion(try self.rows(of: part, place)) }
            return rows
        }
    }

    private func rows(of term: [UInt8], _ place: TextIndexFile.Place) throws -> SegmentRows {
        var rows = SegmentRows()
        let number = IndexSegment.block(of: term, blocks: place.blocks)
        var block = try file.block(number, of: place)
        while !block.isAtEnd {
            let found = try block.bytes(try block.count(upTo: IndexedWords.pieceBytes))
            let list = try SegmentRows.list(&block)
            guard found.elementsEqual(term) else { continue }
            try rows.insert(list)
            break
        }
        return rows
    }

    private func rows(withPart part: [UInt8], _ place: TextIndexFile.Place) throws -> SegmentRows {
        var rows = SegmentRows()
        for number in 0..<place.blocks {
            var block = try file.block(number, of: place)
            while !block.isAtEnd {
                let found = try block.bytes(try block.count(upTo: IndexedWords.pieceBytes))
                let list = try SegmentRows.list(&block)
                if found.span.contains(part.span, ignoringCase: false) { try rows.insert(list) }
            }
        }
        return rows
    }
}
