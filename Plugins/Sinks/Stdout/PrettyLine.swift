// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel

/// One line per exchange, in columns: time, method, status, host and path, sizes, duration.
struct PrettyLine {
    /// The columns that fit into a line of a given width.
    struct Columns: Equatable {
        /// The width that the right columns are aligned to; `nil` if lines may have any length.
        let width: Int?
        let hasTime: Bool
        let hasFraction: Bool
        let hasRequestSize: Bool
        let hasResponseSize: Bool
        let hasDuration: Bool

        init(width: Int?) {
            self.width = width.map { max($0, 20) }
            let room = width ?? .max
            hasTime = room >= 72
            hasFraction = room >= 100
            hasRequestSize = room >= 100
            hasResponseSize = room >= 60
            hasDuration = room >= 45
        }

        /// The width of the columns right of the target, each with two spaces before it.
        var right: Int {
            (hasRequestSize ? 11 : 0) + (hasResponseSize ? 11 : 0) + (hasDuration ? 9 : 0)
        }
    }

    let columns: Columns
    private let line: ExchangeLine

    init(width: Int?) {
        columns = Columns(width: width)
        line = ExchangeLine(width: columns.width, right: columns.right)
    }

    func write(_ exchange: Exchange, _ clock: inout LocalClock, to text: inout TerminalText) {
        if columns.hasTime {
            text.put(clock.time(exchange.started, fraction: columns.hasFraction), .dim)
            text.spaces(1)
        }
        line.writeStart(exchange, to: &text)
        writeRight(exchange, to: &text)
        text.newLine()
    }

    /// Writes the right columns; a column whose value is unknown is left empty.
    private func writeRight(_ exchange: Exchange, to text: inout TerminalText) {
        func size(_ bytes: Int?, _ arrow: String) {
            text.spaces(2)
            text.put(bytes.map { arrow + Quantities.size($0) } ?? "", rightIn: 9, .dim)
        }
        if columns.hasRequestSize { size(exchange.shownRequestSize, "↑") }
        if columns.hasResponseSize { size(exchange.shownResponseSize, "↓") }
        if columns.hasDuration { line.writeDuration(exchange, to: &text) }
    }
}
