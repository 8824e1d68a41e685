// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineFormats
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStore
internal import TaplineSystem

/// Reads one recording or database and writes it in another format, a chunk at a time.
///
/// The new file has a temporary name until it is complete. Nothing is redacted unless the caller
/// asks for a preset of `redact`.
struct Conversion: ~Copyable {
    /// How many bytes are read at once.
    private static let chunk = 1 << 18

    private let input: String
    private let output: String
    private let skipsBadRecords: Bool
    private let maxExtraBytes: Int
    private let warn: (String) -> Void
    private var writer: RecordingWriter
    private var chain: RecordChain
    private var count = 0
    private var skipped = 0
    private var dropped = 0
    private var isCut = false

    /// Creates a conversion that has not started.
    init(
        from input: String,
        to output: String,
        _ format: OutputFormat,
        skipsBadRecords: Bool,
        maxExtraBytes: Int = HARReader.defaultExtraBytes,
        through chain: RecordChain = RecordChain(),
        warn: @escaping (String) -> Void
    ) throws {
        self.input = input
        self.output = output
        self.skipsBadRecords = skipsBadRecords
        self.maxExtraBytes = maxExtraBytes
        self.chain = chain
        self.warn = warn
        writer = try RecordingWriter(format)
    }

    private var lost = LossReport()
    private var found = LossReport()
    private var redacted = LossReport()

    /// Converts the recording; leaves no new file if it fails.
    mutating func run() throws {
        try OutputFile.write(to: output) { try copy(to: $0) }
    }

    private mutating func copy(to target: borrowing File) throws {
        if let store = try Store.database(input, warn: warn) {
            return try copyRows(of: store, to: target)
        }
        let source = input == "-" ? File.standardInput : try File(input, for: .read)
        var reader = RecordingReader(
            file: input,
            maxExtraBytes: maxExtraBytes,
            countsUnknown: true
        )
        var bytes: [UInt8] = []
        writer.begin()
        do {
            while try source.read(appendingTo: &bytes, atMost: Self.chunk) > 0 {
                try reader.read(bytes.span) { try take($0) }
                bytes.removeAll(keepingCapacity: true)
                try writer.drain(to: target)
            }
            try reader.finish { try take($0) }
        } catch let error as RecordError where mayEnd(at: error) {
            end(at: error)
        }
        writer.end()
        try writer.drain(to: target, isLast: true)
        lost = reader.losses
        lost.add(writer.losses)
        lost.add(redacted)
        found = reader.findings
    }

    private mutating func copyRows(of store: Store, to target: borrowing File) throws {
        writer.begin()
        try store.forEach(StoreQuery(order: .oldestFirst)) { stored in
            try take(.success(stored.exchange))
            try writer.drain(to: target)
        }
        writer.end()
        try writer.drain(to: target, isLast: true)
        lost = writer.losses
        lost.add(redacted)
        skipped = store.problems
        guard skipped == 0 || skipsBadRecords else { throw UnreadableRows(count: skipped) }
    }

    /// Whether the conversion may end at an error and keep what was read before it.
    private func mayEnd(at error: RecordError) -> Bool {
        guard count + skipped + dropped > 0 else { return false }
        if error.code == .cutOff { return true }
        return skipsBadRecords && (error.code == .notJSON || error.code == .coding)
    }

    private mutating func end(at error: RecordError) {
        isCut = true
        warn("\(error); the rest was not converted")
    }

    private mutating func take(_ element: RecordingReader.Element) throws {
        switch element {
        case .success(let exchange):
            let hadExtras = !exchange.har.isEmpty
            guard case .sealed(let record) = chain.seal(exchange) else {
                dropped += 1
                return
            }
            if hadExtras, record.exchange.har.isEmpty { redacted.count("har (redacted)") }
            writer.write(record)
            count += 1
        case .failure(let error):
            if error.code == .cutOff {
                end(at: error)
            } else if skipsBadRecords {
                skipped += 1
                if skipped <= 5 { warn("\(error); skipped") }
            } else {
                throw error
            }
        }
    }

    /// What was converted, and what could not be carried over.
    var report: String {
        var lines = ["\(Counted.text(count, "exchange")) written to \(output)"]
        if skipped > 0 { lines.append("\(Counted.text(skipped, "broken record")) skipped") }
        if isCut { lines.append("the recording could not be read to the end") }
        if dropped > 0 {
            lines.append("dropped \(Counted.text(dropped, "exchange")) that could not be redacted")
        }
        if !found.isEmpty {
            lines.append("not allowed by HAR 1.2:")
            lines += Self.table(found)
        }
        if !lost.isEmpty {
            lines.append("not carried over:")
            lines += Self.table(lost)
        } else if skipped == 0, dropped == 0, !isCut {
            lines.append("everything was carried over")
        }
        return lines.joined(separator: "\n")
    }
}

extension Conversion {
    private static func table(_ report: LossReport) -> [String] {
        Columns.table(report.losses.map { ["  \($0.field)", Counted.text($0.count, "time")] })
    }
}

/// Rows of a database could not be read.
private struct UnreadableRows: Error, CustomStringConvertible {
    let count: Int

    var description: String {
        "\(Counted.text(count, "row")) could not be read; '--bad-records skip' leaves them out"
    }
}
