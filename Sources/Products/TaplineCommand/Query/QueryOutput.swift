// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineExport
internal import TaplineFormats
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore
internal import TaplineSystem

/// Writes exchanges as text or as a document.
///
/// **Shape**: `begin` once, then `write` for any number of exchanges, then `end`.
protocol QueryWriter {
    /// The parts of exchanges that it writes.
    var parts: StoreParts { get }
    /// Whether there is output even if there are no exchanges.
    var isDocument: Bool { get }
    mutating func begin(to text: inout TerminalText)
    mutating func write(_ exchange: Exchange, to text: inout TerminalText)
    mutating func end(to text: inout TerminalText)
}

extension QueryWriter {
    var isDocument: Bool { false }
    mutating func begin(to text: inout TerminalText) {}
    mutating func end(to text: inout TerminalText) {}
}

/// Writes the results of `tapline query`, in the order in which they are found.
struct QueryOutput {
    /// The format of the results.
    enum Format: String, CaseIterable {
        case table
        case ndjson
        case json
        case csv
        case har
        case urls
        case ids

        /// Whether the format has columns that can be chosen.
        var hasColumns: Bool { [.table, .ndjson, .json, .csv].contains(self) }
        /// Whether results are complete only with what follows the last one.
        var needsEnd: Bool { [.json, .har].contains(self) }
    }

    /// How many bytes are collected before they are written, unless a person watches.
    private static let chunk = 64 << 10
    /// How long they are collected while results come, in microseconds.
    private static let patience: Int64 = 100_000

    private let output: PagedOutput
    private let isTerminal: Bool
    private var writer: any QueryWriter
    private var text: TerminalText
    private var hasBegun = false
    /// When bytes were last written, in microseconds of `SteadyClock`; at first long ago.
    private var flushed: Int64 = .min
    /// How many exchanges were written.
    private(set) var count = 0

    /// Creates an output.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - columns: The fields to show; `nil` for what the format shows by itself.
    ///   - output: Where to write.
    ///   - invocation: The terminal and its colours.
    init(
        _ format: Format,
        columns: [FieldReference]?,
        to output: PagedOutput,
        _ invocation: Invocation
    ) {
        self.output = output
        isTerminal = invocation.console.outputIsTerminal
        let width = invocation.console.outputWidth
        text = TerminalText(isColoured: invocation.usesColours)
        writer =
            switch (format, columns) {
            case (.table, nil): QueryTable(width: width)
            case (.table, let columns?): ColumnTable(columns, width: width)
            case (.csv, _): ColumnCSV(columns ?? ColumnCSV.usual, onTerminal: isTerminal)
            case (.json, let columns?): ColumnJSON(columns, isArray: true)
            case (.ndjson, let columns?): ColumnJSON(columns, isArray: false)
            case (.json, nil): RecordArray()
            case (.ndjson, nil): RecordOutput(.ndjson)
            case (.har, _): RecordOutput(.har)
            case (.urls, _): URLLines()
            case (.ids, _): IDLines()
            }
    }

    /// The parts of exchanges that the format shows.
    var parts: StoreParts { writer.parts }

    /// Writes an exchange.
    ///
    /// **Throws**: `OutputClosed` if nobody reads the output any more.
    mutating func write(_ exchange: Exchange) throws(OutputClosed) {
        begin()
        writer.write(exchange, to: &text)
        count += 1
        if isTerminal || text.bytes.count >= Self.chunk || isLate { flush() }
        if output.isClosed { throw OutputClosed() }
    }

    /// Whether what was found last would wait for long; the first results never do.
    private var isLate: Bool { SteadyClock.microseconds - Self.patience >= flushed }

    /// Writes what has been collected.
    mutating func flush() {
        flushed = SteadyClock.microseconds
        guard !text.bytes.isEmpty else { return }
        output.write(text.bytes)
        text.removeAll()
    }

    /// Writes the end, and what has been collected.
    mutating func finish() {
        if writer.isDocument { begin() }
        if hasBegun { writer.end(to: &text) }
        flush()
    }

    private mutating func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        writer.begin(to: &text)
    }
}

/// Nobody reads the output any more, as after `| head`.
struct OutputClosed: Error {}
