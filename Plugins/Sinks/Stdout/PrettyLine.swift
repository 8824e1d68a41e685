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

    /// The maximum width of the failure word.
    private static let failureWidth = 24
    /// The width of the target column if lines may have any length; a longer target shifts the
    /// rest.
    private static let usualTarget = 48

    let columns: Columns

    init(width: Int?) { columns = Columns(width: width) }

    func write(_ exchange: Exchange, _ clock: inout LocalClock, to text: inout TerminalText) {
        if columns.hasTime {
            text.put(clock.time(exchange.started, fraction: columns.hasFraction), .dim)
            text.spaces(1)
        }
        let start = text.column
        text.styled(.bold) { $0.show(exchange.request.method.span, in: 12) }
        text.fill(to: start + 8)
        writeStatus(exchange, to: &text)
        text.spaces(1)
        writeTarget(exchange, to: &text)
        writeRight(exchange, to: &text)
        text.newLine()
    }

    private func writeStatus(_ exchange: Exchange, to text: inout TerminalText) {
        if let status = exchange.response?.status, status > 0 {
            text.put(String(status), rightIn: 3, .status(status))
        } else {
            text.put(
                exchange.state == .cancelled ? "---" : "ERR",
                exchange.state == .cancelled ? .yellow : .redBold
            )
        }
    }

    /// Writes the target and the failure word; the target is cut to fit.
    ///
    /// If there is no room for both, only the status column shows the failure.
    private func writeTarget(_ exchange: Exchange, to text: inout TerminalText) {
        let start = text.column
        let end = columns.width.map { max($0 - columns.right, start + 1) }
        var room = end.map { $0 - start } ?? .max
        var failure = exchange.failureWord
        if let word = failure, end != nil {
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
        if columns.right > 0 { text.spaces((end ?? start + Self.usualTarget) - text.column) }
    }

    /// Writes the right columns; a column whose value is unknown is left empty.
    private func writeRight(_ exchange: Exchange, to text: inout TerminalText) {
        func size(_ bytes: Int?, _ arrow: String) {
            text.spaces(2)
            text.put(bytes.map { arrow + Quantities.size($0) } ?? "", rightIn: 9, .dim)
        }
        if columns.hasRequestSize { size(exchange.shownRequestSize, "↑") }
        if columns.hasResponseSize { size(exchange.shownResponseSize, "↓") }
        if columns.hasDuration {
            let total = exchange.timing.total
            let isSlow = total.map { $0.count >= 1_000_000 } ?? false
            text.spaces(2)
            text.put(
                total == nil ? "" : Quantities.duration(total),
                rightIn: 7,
                isSlow ? .yellow : .dim
            )
        }
    }
}
