// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
import TaplineSystem

/// Renders records into one reused buffer.
struct Renderer: ~Copyable {
    private let format: OutputFormat
    private let isTerminal: Bool
    private var shown: TerminalText
    private var lines = NDJSONWriter()
    private var clock: LocalClock
    private let block: VerboseBlock?
    /// The columns of the terminal; `nil` if lines may have any length.
    var width: Int?

    init(_ settings: StdoutFactory, isTerminal: Bool, clock: LocalClock) {
        format = settings.format
        self.isTerminal = isTerminal
        self.clock = clock
        let isColoured =
            switch settings.colors {
            case .always: true
            case .never: false
            case .auto: isTerminal && settings.allowsColor
            }
        shown = TerminalText(isColoured: isColoured && settings.format != .ndjson)
        block = settings.maxBody.map { VerboseBlock(maxBody: $0) }
    }

    /// JSON for a program is not changed; on a terminal, more is escaped than JSON requires.
    private var isRaw: Bool { format == .ndjson && !isTerminal }

    /// The text rendered since `removeAll`.
    var text: Span<UInt8> {
        @_lifetime(borrow self)
        get { isRaw ? lines.bytes : shown.bytes.span }
    }

    /// The number of bytes in `text`.
    var count: Int { text.count }

    /// Writes the rendered text from a position on.
    func write(to output: borrowing File, from position: inout Int) throws(FileError) {
        try output.write(text, from: &position)
    }

    /// The rest of the line that contains a position; empty if the position is between two lines.
    func restOfLine(after position: Int) -> [UInt8] {
        let text = self.text
        guard position > 0, position < text.count, text[position - 1] != .ascii("\n") else {
            return []
        }
        let end = text.firstIndex(of: .ascii("\n"), from: position) ?? text.count - 1
        return Array(copying: text.extracting(position..<end + 1))
    }

    mutating func removeAll() {
        lines.removeAll()
        shown.removeAll()
    }

    mutating func render(_ record: Record) {
        switch format {
        case .pretty:
            PrettyLine(width: width).write(record.exchange, &clock, to: &shown)
            block?.write(record.exchange, to: &shown)
        case .compact:
            CompactLine.write(record.exchange, width: width, to: &shown)
        case .ndjson:
            lines.write(record)
            if isTerminal {
                let line = Array(copying: lines.bytes)
                shown.showJSON(line.span)
                lines.removeAll()
            }
        }
    }
}
