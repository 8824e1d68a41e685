// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStore

/// Writes the results of `tapline query`, in the order in which they are found.
struct QueryOutput: ~Copyable {
    /// The format of the results.
    enum Format: String, CaseIterable {
        case table
        case ndjson
        case ids
    }

    /// How many bytes are collected before they are written, unless a person watches.
    private static let chunk = 64 << 10

    private let format: Format
    private let output: PagedOutput
    private let isTerminal: Bool
    private let table: QueryTable
    private var text: TerminalText
    private var lines = NDJSONWriter()
    private var chain = RecordChain()
    private var isFirst = true

    init(_ format: Format, to output: PagedOutput, console: Console, isColoured: Bool) {
        self.format = format
        self.output = output
        isTerminal = console.outputIsTerminal
        table = QueryTable(width: console.outputWidth)
        text = TerminalText(isColoured: isColoured)
    }

    /// The parts of exchanges that the format shows.
    var parts: StoreParts {
        switch format {
        case .table: .extra
        case .ndjson: .all
        case .ids: []
        }
    }

    /// Writes an exchange.
    ///
    /// **Throws**: `OutputClosed` if nobody reads the output any more.
    mutating func write(_ exchange: Exchange) throws(OutputClosed) {
        switch format {
        case .table:
            if isFirst { table.writeTitles(to: &text) }
            table.write(exchange, to: &text)
        case .ndjson:
            if case .sealed(let record) = chain.seal(exchange) { lines.write(record) }
        case .ids:
            exchange.id.append(to: &text.bytes)
            text.newLine()
        }
        isFirst = false
        if isTerminal || text.bytes.count + lines.count >= Self.chunk { flush() }
        if output.isClosed { throw OutputClosed() }
    }

    /// Writes what has been collected.
    mutating func flush() {
        if lines.count > 0 {
            output.write(Array(copying: lines.bytes))
            lines.removeAll()
        }
        guard !text.bytes.isEmpty else { return }
        output.write(text.bytes)
        text.removeAll()
    }
}

/// Nobody reads the output any more, as after `| head`.
struct OutputClosed: Error {}

/// Exchanges as lines in columns: id, start, method, status, host and path, size, duration.
struct QueryTable {
    /// The maximum width of the failure word.
    private static let failureWidth = 24
    /// The width of the target column if lines may have any length; a longer target shifts the
    /// rest.
    private static let usualTarget = 48
    /// The width of the columns of size and duration, with two spaces before each.
    private static let sizeWidth = 9
    private static let durationWidth = 7
    private static let methodWidth = 8

    /// The width of lines; `nil` if they may have any length.
    private let width: Int?
    private let hasID: Bool
    private let hasStart: Bool
    private let hasFraction: Bool
    private let hasSize: Bool
    private let hasDuration: Bool

    init(width: Int?) {
        self.width = width.map { max($0, 20) }
        let room = width ?? .max
        hasID = room >= 150
        hasStart = room >= 80
        hasFraction = room >= 110
        hasSize = room >= 60
        hasDuration = room >= 45
    }

    private var startWidth: Int { hasFraction ? 24 : 20 }

    /// The width right of the target.
    private var right: Int {
        (hasSize ? Self.sizeWidth + 2 : 0) + (hasDuration ? Self.durationWidth + 2 : 0)
    }

    /// Writes the titles of the columns.
    func writeTitles(to text: inout TerminalText) {
        text.styled(.dim) { text in
            if hasID { Self.put("id", in: 37, to: &text) }
            if hasStart { Self.put("started (UTC)", in: startWidth, to: &text) }
            Self.put("method", in: Self.methodWidth, to: &text)
            let start = text.column
            text.put(" st")
            text.spaces(1)
            text.put("url")
            guard right > 0 else { return }
            text.spaces(targetEnd(from: start + 4) - text.column)
            if hasSize { text.put("size", rightIn: Self.sizeWidth + 2, .plain) }
            if hasDuration { text.put("time", rightIn: Self.durationWidth + 2, .plain) }
        }
        text.newLine()
    }

    private static func put(_ title: String, in width: Int, to text: inout TerminalText) {
        let start = text.column
        text.put(title)
        text.spaces(start + width - text.column)
    }

    /// Writes an exchange as a line.
    func write(_ exchange: Exchange, to text: inout TerminalText) {
        if hasID {
            text.put(exchange.id.description, .dim)
            text.spaces(1)
        }
        if hasStart {
            text.put(Self.start(exchange.started, fraction: hasFraction), .dim)
            text.spaces(1)
        }
        let start = text.column
        text.styled(.bold) { $0.show(exchange.request.method.span, in: 12) }
        text.fill(to: start + Self.methodWidth)
        writeStatus(exchange, to: &text)
        text.spaces(1)
        writeTarget(exchange, to: &text)
        writeRight(exchange, to: &text)
        text.newLine()
    }

    /// `2026-11-20 14:03:00.123`, or without the fraction.
    private static func start(_ moment: Timestamp, fraction: Bool) -> String {
        String(moment.rfc3339.prefix(fraction ? 23 : 19).replacing("T", with: " "))
    }

    private func writeStatus(_ exchange: Exchange, to text: inout TerminalText) {
        if let status = exchange.response?.status, status > 0 {
            text.put(String(status), rightIn: 3, .status(status))
        } else {
            let isCancelled = exchange.state == .cancelled
            text.put(isCancelled ? "---" : "ERR", isCancelled ? .yellow : .redBold)
        }
    }

    private func targetEnd(from start: Int) -> Int {
        width.map { max($0 - right, start + 1) } ?? start + Self.usualTarget
    }

    /// Writes the target and the failure word; the target is cut to fit.
    private func writeTarget(_ exchange: Exchange, to text: inout TerminalText) {
        let start = text.column
        let end = targetEnd(from: start)
        var room = width == nil ? .max : end - start
        var failure = exchange.failureWord
        if let word = failure, width != nil {
            let rest = room - min(word.utf8.count, Self.failureWidth) - 2
            if rest < 8 { failure = nil } else { room = rest }
        }
        text.show(exchange.request.shortTarget.span, in: room)
        if let failure {
            text.spaces(2)
            text.styled(exchange.state == .failed ? .red : .yellow) {
                $0.show(failure, in: Self.failureWidth)
            }
        }
        if right > 0 { text.spaces(end - text.column) }
    }

    private func writeRight(_ exchange: Exchange, to text: inout TerminalText) {
        if hasSize {
            text.spaces(2)
            let size = exchange.shownResponseSize.map { Quantities.size($0) } ?? ""
            text.put(size, rightIn: Self.sizeWidth, .dim)
        }
        if hasDuration {
            let total = exchange.timing.total
            let isSlow = total.map { $0.count >= 1_000_000 } ?? false
            text.spaces(2)
            text.put(
                total.map { Quantities.duration($0) } ?? "",
                rightIn: Self.durationWidth,
                isSlow ? .yellow : .dim
            )
        }
    }
}
