// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel

/// One short line per exchange, without columns: method, status, URL, size, duration.
enum CompactLine {
    static func write(_ exchange: Exchange, width: Int?, to text: inout TerminalText) {
        text.show(exchange.request.method.span, in: 12)
        text.spaces(1)
        if let status = exchange.response?.status, status > 0 {
            text.put(String(status), .status(status))
        } else {
            text.put("-")
        }
        text.spaces(1)
        let rest = tail(of: exchange)
        let failure = exchange.failureWord
        let reserved = 1 + rest.utf8.count + (failure.map { min($0.utf8.count, 24) + 1 } ?? 0)
        let room = width.map { max($0 - text.column - reserved, 8) } ?? .max
        text.show(exchange.request.url.span, in: room)
        text.spaces(1)
        text.put(rest, .dim)
        if let failure {
            text.spaces(1)
            text.styled(exchange.state == .failed ? .red : .yellow) { $0.show(failure, in: 24) }
        }
        text.newLine()
    }

    /// Size and duration without spaces, so that each is one word to `awk`.
    private static func tail(of exchange: Exchange) -> String {
        let size = Quantities.size(exchange.shownResponseSize)
        let duration = Quantities.duration(exchange.timing.total)
        return [size, duration].map { $0.filter { $0 != " " } }.joined(separator: " ")
    }
}
