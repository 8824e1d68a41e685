// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// Exchanges as lines in columns: id, start, method, status, host and path, size, duration.
struct QueryTable {
    /// The width of the column of the size.
    private static let sizeWidth = 9

    private let line: ExchangeLine
    private let hasID: Bool
    private let hasStart: Bool
    private let hasFraction: Bool
    private let hasSize: Bool
    private let hasDuration: Bool

    init(width: Int?) {
        let room = width ?? .max
        hasID = room >= 150
        hasStart = room >= 80
        hasFraction = room >= 110
        hasSize = room >= 60
        hasDuration = room >= 45
        // Each column right of the target has two spaces before it.
        line = ExchangeLine(
            width: width.map { max($0, 20) },
            right: (hasSize ? Self.sizeWidth + 2 : 0)
                + (hasDuration ? ExchangeLine.durationWidth + 2 : 0)
        )
    }

    private var startWidth: Int { hasFraction ? 24 : 20 }

    /// Writes the titles of the columns.
    func writeTitles(to text: inout TerminalText) {
        text.styled(.dim) { text in
            if hasID { Self.put("id", in: 37, to: &text) }
            if hasStart { Self.put("started (UTC)", in: startWidth, to: &text) }
            Self.put("method", in: ExchangeLine.methodWidth, to: &text)
            let start = text.column
            text.put(" st")
            text.spaces(1)
            text.put("url")
            guard hasSize || hasDuration else { return }
            text.spaces(line.targetEnd(from: start + 4) - text.column)
            if hasSize { text.put("size", rightIn: Self.sizeWidth + 2, .plain) }
            if hasDuration {
                text.put("time", rightIn: ExchangeLine.durationWidth + 2, .plain)
            }
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
        line.writeStart(exchange, to: &text)
        if hasSize {
            text.spaces(2)
            let size = exchange.shownResponseSize.map { Quantities.size($0) } ?? ""
            text.put(size, rightIn: Self.sizeWidth, .dim)
        }
        if hasDuration { line.writeDuration(exchange, to: &text) }
        text.newLine()
    }

    /// `2026-11-20 14:03:00.123`, or without the fraction.
    private static func start(_ moment: Timestamp, fraction: Bool) -> String {
        String(moment.rfc3339.prefix(fraction ? 23 : 19).replacing("T", with: " "))
    }
}
