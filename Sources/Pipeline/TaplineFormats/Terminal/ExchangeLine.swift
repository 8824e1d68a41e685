// SPDX-License-Identifier: MIT

package import TaplineModel

/// What every line about an exchange has: method, status, target and duration.
package struct ExchangeLine {
    /// The width of the column of the method, with a space after it.
    package static let methodWidth = 8
    /// The width of the column of the duration.
    package static let durationWidth = 7
    /// The maximum width of the failure word.
    private static let failureWidth = 24
    /// The width of the target column if lines may have any length; a longer target shifts the
    /// rest.
    private static let usualTarget = 48

    /// The width that the right columns are aligned to; `nil` if lines may have any length.
    private let width: Int?
    /// The width of the columns right of the target.
    private let right: Int

    /// Creates the layout of lines.
    ///
    /// - Parameters:
    ///   - width: The width of lines; `nil` if they may have any length.
    ///   - right: The width of the columns right of the target.
    package init(width: Int?, right: Int) {
        self.width = width
        self.right = right
    }

    /// The column where a target ends that begins at another one.
    package func targetEnd(from start: Int) -> Int {
        width.map { max($0 - right, start + 1) } ?? start + Self.usualTarget
    }

    /// Writes method, status and target, up to the right columns.
    package func writeStart(_ exchange: Exchange, to text: inout TerminalText) {
        let start = text.column
        text.styled(.bold) { $0.show(exchange.request.method.span, in: 12) }
        text.fill(to: start + Self.methodWidth)
        writeStatus(exchange, to: &text)
        text.spaces(1)
        writeTarget(exchange, to: &text)
    }

    /// Writes the duration, after two spaces; nothing in its column if it is unknown.
    package func writeDuration(_ exchange: Exchange, to text: inout TerminalText) {
        let total = exchange.timing.total
        let isSlow = total.map { $0.count >= 1_000_000 } ?? false
        text.spaces(2)
        text.put(
            total.map { Quantities.duration($0) } ?? "",
            rightIn: Self.durationWidth,
            isSlow ? .yellow : .dim
        )
    }

    private func writeStatus(_ exchange: Exchange, to text: inout TerminalText) {
        if let status = exchange.response?.status, status > 0 {
            text.put(String(status), rightIn: 3, .status(status))
        } else {
            let isCancelled = exchange.state == .cancelled
            text.put(isCancelled ? "---" : "ERR", isCancelled ? .yellow : .redBold)
        }
    }

    /// Writes the target and the failure word; the target is cut to fit.
    ///
    /// If there is no room for both, only the status column shows the failure.
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
}
