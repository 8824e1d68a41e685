// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Rows with adjacent numbers, and where each term occurs in them.
struct IndexSegment: Sendable {
    /// The number of the first row.
    let first: Int64
    /// How many row numbers it covers, with or without rows.
    let count: Int
    /// The rows that may have any text, since they could not be read as a whole.
    let open: [Int]
    /// Lists of rows by term; the hash of a term decides in which block it is.
    let blocks: [IndexBlockWriter]

    var last: Int64 { first + Int64(count) - 1 }

    /// The number of the block that has a term.
    static func block(of term: some Sequence<UInt8>, blocks: Int) -> Int {
        var hash: UInt32 = 0x811C_9DC5
        for byte in term { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        hash ^= hash >> 15
        hash = hash &* 0x2C1B_3C6D
        return Int(hash >> 12) & (blocks - 1)
    }
}

/// Builds segments.
///
/// **Limits**: about 50 MB of memory, however large the rows are. A row with very many terms is
/// one that may have any text.
struct SegmentBuilder {
    /// How many pairs of term and row a segment has at most before its last row.
    private static let maxPairs = 1 << 20
    private static let maxWordBytes = 8 << 20
    /// The greatest number of blocks, and their usual size.
    static let maxBlocks = 4096
    private static let blockBytes = 2048

    private var terms: SegmentTerms
    private var first: Int64 = 0
    private var open: [Int] = []
    /// The term above 12 bits for the row.
    private var pairs: [UInt64] = []
    private var scratch: [UInt64] = []

    init(_ kind: TextIndexKind) { terms = SegmentTerms(kind) }

    /// Begins a segment with a row number.
    mutating func begin(_ number: Int64) {
        first = number
        open.removeAll()
        pairs.removeAll(keepingCapacity: true)
        terms.removeAll()
    }

    /// Whether the segment is to end.
    var isFull: Bool {
        pairs.count >= Self.maxPairs || terms.wordBytes >= Self.maxWordBytes
    }

    /// Adds a row; `nil` instead of the exchange if it could not be read as a whole.
    mutating func add(_ number: Int64, _ exchange: Exchange?) {
        let position = Int(number - first)
        guard let exchange, terms.read(exchange) else { return open.append(position) }
        for term in terms.ofRow { pairs.append(UInt64(term) << 12 | UInt64(position)) }
    }

    /// Ends the segment with a row number.
    mutating func finish(last: Int64) -> IndexSegment {
        let count = Int(last - first) + 1
        sort()
        var blockCount = 1
        while blockCount < Self.maxBlocks, blockCount * Self.blockBytes < pairs.count * 2 {
            blockCount *= 2
        }
        var blocks = [IndexBlockWriter](repeating: IndexBlockWriter(), count: blockCount)
        var start = 0
        while start < pairs.count {
            let term = pairs[start] >> 12
            var end = start + 1
            while end < pairs.count, pairs[end] >> 12 == term { end += 1 }
            let bytes = terms.bytes(of: UInt32(truncatingIfNeeded: term))
            let block = IndexSegment.block(of: bytes, blocks: blockCount)
            blocks[block].add(UInt64(bytes.count))
            blocks[block].add(bytes)
            let rows = pairs[start..<end].lazy.map { Int($0 & 0xFFF) }
            SegmentRows.write(rows, of: count, to: &blocks[block])
            start = end
        }
        return IndexSegment(first: first, count: count, open: open, blocks: blocks)
    }

    /// Sorts the pairs by term, in two passes of 12 bits; rows of a term stay in order.
    private mutating func sort() {
        var pairs = self.pairs
        self.pairs = []
        let count = pairs.count
        if scratch.count < count { scratch = [UInt64](repeating: 0, count: count) }
        var target = scratch.mutableSpan
        Self.sort(pairs.span, by: 12, into: &target)
        var result = pairs.mutableSpan
        Self.sort(scratch.span.extracting(0..<count), by: 24, into: &result)
        self.pairs = pairs
    }

    private static func sort(
        _ pairs: Span<UInt64>,
        by shift: UInt64,
        into target: inout MutableSpan<UInt64>
    ) {
        var starts = [Int](repeating: 0, count: 4096)
        for index in pairs.indices { starts[Int(pairs[index] >> shift & 0xFFF)] += 1 }
        var sum = 0
        for index in starts.indices {
            let count = starts[index]
            starts[index] = sum
            sum += count
        }
        for index in pairs.indices {
            let digit = Int(pairs[index] >> shift & 0xFFF)
            target[starts[digit]] = pairs[index]
            starts[digit] += 1
        }
    }
}
