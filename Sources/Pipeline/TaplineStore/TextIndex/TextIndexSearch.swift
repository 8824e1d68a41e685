// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Asks an index for rows; within a transaction.
struct TextIndexSearch {
    /// The index finds too many rows.
    struct TooMany: Error {
        let limit: Int
    }

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
    func matches(in range: RowRange, _ progress: QueryProgress?) throws -> CandidateRows {
        let places = try file.places(state).filter { place in
            place.first < range.upper
                && place.first &+ Int64(place.count) > range.lower
        }
        let limit = CandidateRows.limit(of: places.reduce(0) { $0 + $1.count })
        var search = search
        var numbers: [Int64] = []
        for place in places {
            try progress?.check()
            var rows = try search.rows(
                withTerm: { try self.rows(of: $0, place) },
                withPart: { try self.rows(withPart: $0, place) }
            )
            rows.formUnion(place.open)
            for position in rows.positions { numbers.append(place.first &+ Int64(position)) }
            if numbers.count > limit { throw TooMany(limit: limit) }
        }
        return CandidateRows(numbers: numbers, covered: state.covered)
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
