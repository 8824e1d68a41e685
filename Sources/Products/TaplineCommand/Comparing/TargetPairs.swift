// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFormats
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// Pairs the exchanges of two servers that were sent the same recording.
///
/// Exchanges that repeat the same recorded one belong together, in their order. One that waits for
/// its partner is kept in memory, and beyond that in a file without a name.
///
/// **Limits**: 128 MiB of memory and 4 GiB of disk; what exceeds both is counted, not compared.
struct TargetPairs: ReplayPairing {
    /// The exchanges of one server that have the same original and wait for their partners.
    private struct Waiting {
        /// Whether the server is the one that the other one is compared with.
        let isBase: Bool
        var exchanges: [Held]
    }

    /// What is kept of an exchange that waits.
    enum Held {
        /// Boxed, or each case would take as much memory as an exchange.
        indirect case inMemory(Exchange)
        case inFile(Range<Int>)
        case forgotten
    }

    private let base: String
    private let maxMemory: Int
    private let maxFile: Int
    private var waiting: [ExchangeID: Waiting] = [:]
    private var memory = 0
    private var file: WaitingFile?
    private var forgotten = 0
    /// How many exchanges repeat none of the recordings.
    private var unknown = 0
    private var alone = (base: 0, other: 0)

    /// Creates pairs of the exchanges of two sources.
    ///
    /// - Parameters:
    ///   - base: The id of the source whose server the other one is compared with.
    ///   - maxMemory: How much memory waiting exchanges take at most, in bytes.
    ///   - maxFile: How large their file may be, in bytes.
    init(base: String, maxMemory: Int = 128 << 20, maxFile: Int = 4 << 30) {
        self.base = base
        self.maxMemory = maxMemory
        self.maxFile = maxFile
    }

    mutating func add(_ record: Record, to pairs: inout PairConsumer) throws {
        guard let original = record.exchange.extra?.replay?.original else {
            unknown += 1
            return
        }
        let isBase = record.exchange.source == base
        guard var others = waiting[original], others.isBase != isBase else {
            let kept = try hold(record)
            waiting[original, default: Waiting(isBase: isBase, exchanges: [])]
                .exchanges.append(kept)
            return
        }
        let partner = others.exchanges.removeFirst()
        waiting[original] = others.exchanges.isEmpty ? nil : others
        guard let other = try take(partner) else {
            forgotten += 1
            return
        }
        if isBase { pairs.add(record.exchange, other) } else { pairs.add(other, record.exchange) }
    }

    mutating func finish(to pairs: inout PairConsumer) {
        for one in waiting.values {
            if one.isBase {
                alone.base += one.exchanges.count
            } else {
                alone.other += one.exchanges.count
            }
        }
        waiting = [:]
        file = nil
    }

    var warnings: [String] {
        var sentences: [String] = []
        for (count, option) in [(alone.base, "to"), (alone.other, "and")] where count > 0 {
            sentences.append(
                "\(Counted.text(count, "exchange")) not compared, since only the server of "
                    + "'--\(option)' has it"
            )
        }
        if forgotten > 0 {
            sentences.append(
                "\(Counted.text(forgotten, "pair")) not compared, since one server answered "
                    + "too long after the other"
            )
        }
        if unknown > 0 {
            sentences.append("\(Counted.text(unknown, "exchange")) not found in the recording")
        }
        return sentences
    }

    // MARK: What waits

    private mutating func hold(_ record: Record) throws -> Held {
        var kept = record.exchange
        kept.request.body.bytes = []
        if memory + kept.memory <= maxMemory {
            memory += kept.memory
            return .inMemory(kept)
        }
        let file = try self.file ?? WaitingFile()
        self.file = file
        guard file.size < maxFile else { return .forgotten }
        return .inFile(try file.append(record))
    }

    private mutating func take(_ held: Held) throws -> Exchange? {
        switch held {
        case .inMemory(let exchange):
            memory -= exchange.memory
            return exchange
        case .inFile(let range): return try file?.read(range)
        case .forgotten: return nil
        }
    }
}

/// Records on disk, in a file of mode 0600 that has no name and ends with the process.
private final class WaitingFile {
    private let file: File
    private(set) var size = 0
    private var writer = NDJSONWriter()
    private var reader = NDJSONReader(maxDepth: 1024)

    init() throws(FileError) { file = try File(unnamedIn: FileSystem.spillFolder) }

    /// Appends a record, and returns where it is.
    func append(_ record: Record) throws(FileError) -> Range<Int> {
        writer.removeAll()
        writer.write(record)
        let bytes = Array(copying: writer.bytes)
        try file.seek(to: size)
        try file.write(bytes.span)
        let start = size
        size += bytes.count
        return start..<size
    }

    func read(_ range: Range<Int>) throws -> Exchange {
        var bytes = Array(repeating: 0 as UInt8, count: range.count)
        var span = bytes.mutableSpan
        let count = try file.read(into: &span, at: range.lowerBound)
        guard count == range.count else { throw FileError("read", file.path, code: 5) }
        return try reader.read(bytes.span)
    }
}
