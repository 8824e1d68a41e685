// SPDX-License-Identifier: MIT

package import TaplineModel

extension TerminalText {
    /// Writes `POST https://shop.test/cart HTTP/1.1`.
    package mutating func requestLine(_ request: Request) {
        begin(.bold)
        show(request.method.span)
        end(.bold)
        put(" ")
        show(request.url.span)
        if request.version.isEmpty { return }
        put(" ")
        show(request.version.span)
    }

    /// Writes `HTTP/1.1 201 Created`.
    package mutating func statusLine(_ version: ByteString, _ status: Int, _ reason: ByteString) {
        if !version.isEmpty {
            show(version.span)
            put(" ")
        }
        put(String(status), .status(status))
        if reason.isEmpty { return }
        put(" ")
        show(reason.span)
    }

    /// Writes the name of a field, and the colon after it.
    package mutating func fieldName(_ name: Span<UInt8>) {
        begin(.cyan)
        show(name)
        end(.cyan)
        put(": ")
    }

    /// Writes `team=checkout`.
    package mutating func tag(_ tag: Tags.Tag) {
        show(tag.name)
        put("=")
        show(tag.value)
    }

    /// Writes `reset: connection reset by peer`.
    package mutating func failure(_ error: ExchangeError) {
        show(error.code)
        if !error.message.isEmpty {
            put(": ")
            show(error.message)
        }
    }

    /// Shows a line of text with tabs replaced by spaces.
    package mutating func showTabbed(_ line: Span<UInt8>) {
        var start = 0
        while let tab = line.firstIndex(of: .ascii("\t"), from: start) {
            show(line.extracting(start..<tab))
            spaces(4)
            start = tab + 1
        }
        show(line.extracting(start..<line.count))
    }

    /// Shows lines of text, of which the last one may have no end.
    package mutating func showLines(_ lines: Span<UInt8>) {
        var start = 0
        while let end = lines.firstIndex(of: .ascii("\n"), from: start) {
            let hasReturn = end > start && lines[end - 1] == 0x0D
            showTabbed(lines.extracting(start..<(hasReturn ? end - 1 : end)))
            newLine()
            start = end + 1
        }
        if start < lines.count { showTabbed(lines.extracting(start..<lines.count)) }
    }

    /// Converts bytes from traffic to text of at most 80 columns that is safe on a terminal.
    package static func plain(_ traffic: Span<UInt8>) -> String {
        var text = TerminalText(isColoured: false)
        text.show(traffic, in: 80)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
