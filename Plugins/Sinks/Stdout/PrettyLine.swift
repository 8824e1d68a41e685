// SPDX-License-Identifier: MIT

import TaplineModel

/// One line for an exchange, in columns: time, method, status, host and path, sizes, duration.
struct PrettyLine {
    /// What a line of some width has room for.
    struct Columns: Equatable {
        /// The width that the right columns are aligned to; nothing where lines may be of any.
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

        /// The columns that stand right of the target, each with two spaces before it.
        var right: Int {
            (hasRequestSize ? 10 : 0) + (hasResponseSize ? 10 : 0) + (hasDuration ? 9 : 0)
        }
    }

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

    private func writeTarget(_ exchange: Exchange, to text: inout TerminalText) {
        var room = columns.width.map { max($0 - columns.right - text.column, 8) } ?? .max
        let failure = exchange.failureWord
        if let failure, room != .max { room = max(room - min(failure.utf8.count, 24) - 2, 8) }
        text.show(exchange.request.shortTarget.span, in: room)
        if let failure {
            text.spaces(2)
            text.styled(exchange.state == .failed ? .red : .yellow) { $0.show(failure, in: 24) }
        }
        if let width = columns.width, columns.right > 0 {
            text.spaces(width - columns.right - text.column)
        }
    }

    private func writeRight(_ exchange: Exchange, to text: inout TerminalText) {
        func column(_ value: String, _ width: Int, _ style: Style) {
            text.spaces(2)
            if columns.width != nil {
                text.put(value, rightIn: width, style)
            } else {
                text.put(value, style)
            }
        }
        if columns.hasRequestSize {
            column(Quantities.size(exchange.request.body.shownSize), 8, .dim)
        }
        if columns.hasResponseSize {
            column(Quantities.size(exchange.response?.body.shownSize), 8, .dim)
        }
        if columns.hasDuration {
            let total = exchange.timing.total
            let isSlow = total.map { $0.count >= 1_000_000 } ?? false
            column(Quantities.duration(total), 7, isSlow ? .yellow : .dim)
        }
    }
}
