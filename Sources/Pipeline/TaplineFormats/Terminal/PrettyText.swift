// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Indented lines for a terminal, written out in pieces.
///
/// `begin` and `end` enclose each line. Lines beyond a limit are not written.
///
/// **Limits**: 32 levels of indentation; deeper ones look the same, so that deep nesting does not
/// make long lines. Memory for a piece of 64 KiB and a part of a line.
package struct PrettyText {
    /// How many bytes are collected before they are written out.
    private static let pieceSize = 64 << 10
    /// The maximum number of levels that are indented.
    private static let maxLevels = 32

    private var text: TerminalText
    /// Writes a piece out; returns `false` if nobody reads the output any more.
    private let emit: ([UInt8]) -> Bool
    /// The number of columns before each line.
    package var indent = 0
    /// How many more lines may be written.
    private var room = Int.max
    /// Whether lines were left out because of the limit.
    private(set) var isCut = false
    /// Whether nobody reads the output any more.
    package private(set) var isClosed = false
    private var isMuted = false

    /// Creates an empty text.
    ///
    /// - Parameters:
    ///   - isColoured: Whether styles have any effect.
    ///   - emit: Writes a piece out; returns `false` if nobody reads the output any more.
    package init(isColoured: Bool, emit: @escaping ([UInt8]) -> Bool) {
        text = TerminalText(isColoured: isColoured)
        self.emit = emit
    }

    /// Whether further lines would not be written.
    var isDone: Bool { isClosed || isCut }

    /// Writes out what was collected.
    package mutating func flush() {
        guard !text.bytes.isEmpty else { return }
        if !isClosed, !emit(text.bytes) { isClosed = true }
        text.removeAll()
    }

    // MARK: Lines

    /// Limits the number of lines from now on; `nil` for no limit.
    mutating func limit(_ lines: Int?) {
        room = lines ?? .max
        isCut = false
    }

    /// Begins a line.
    mutating func begin(_ level: Int = 0) {
        guard room > 0, !isClosed else {
            isCut = isCut || room == 0
            isMuted = true
            return
        }
        room -= 1
        text.spaces(indent + 2 * min(level, Self.maxLevels))
    }

    /// Ends a line.
    mutating func end() {
        guard !isMuted else {
            isMuted = false
            return
        }
        text.newLine()
        flushIfLong()
    }

    private mutating func flushIfLong() {
        if text.bytes.count >= Self.pieceSize { flush() }
    }

    /// Writes a line of trusted text in parentheses.
    mutating func note(_ words: String, _ style: Style = .dim) {
        begin()
        put("(\(words))", style)
        end()
    }

    /// Writes an empty line.
    mutating func emptyLine() {
        guard room > 0, !isClosed else { return }
        text.newLine()
    }

    // MARK: Parts of a line

    /// Writes trusted text.
    mutating func put(_ words: String, _ style: Style = .plain) {
        guard !isMuted else { return }
        text.put(words, style)
    }

    /// Writes bytes that contain nothing that a terminal might interpret.
    mutating func putSafe(_ bytes: Span<UInt8>) {
        guard !isMuted else { return }
        text.putSafe(bytes, columns: bytes.count)
    }

    /// Writes what a closure writes.
    mutating func write(_ body: (inout TerminalText) -> Void) {
        guard !isMuted else { return }
        body(&text)
    }

    /// Shows bytes from traffic, optionally with tabs replaced by spaces.
    mutating func show(
        _ traffic: Span<UInt8>,
        _ style: Style = .plain,
        expandsTabs: Bool = false
    ) {
        guard !isMuted else { return }
        text.begin(style)
        var start = 0
        while start < traffic.count, !isClosed {
            let end = traffic.pieceEnd(from: start, size: Self.pieceSize)
            let piece = traffic.extracting(start..<end)
            if expandsTabs { text.showTabbed(piece) } else { text.show(piece) }
            start = end
            flushIfLong()
        }
        text.end(style)
    }

    /// Shows text that may come from traffic.
    mutating func show(_ words: String, _ style: Style = .plain) {
        show(words.utf8.span, style)
    }

    /// Shows a string as in JSON, optionally with its quotes.
    mutating func showJSONString(
        _ string: Span<UInt8>,
        _ style: Style,
        isQuoted: Bool = false
    ) {
        guard !isMuted else { return }
        text.begin(style)
        if isQuoted { text.put("\"") }
        var start = 0
        while start < string.count, !isClosed {
            let end = string.pieceEnd(from: start, size: Self.pieceSize)
            text.showJSONString(string.extracting(start..<end))
            start = end
            flushIfLong()
        }
        if isQuoted { text.put("\"") }
        text.end(style)
    }

    /// Shows text line by line, without the line ends.
    mutating func showLines(_ traffic: Span<UInt8>, _ level: Int = 0, _ style: Style = .plain) {
        var start = 0
        while start < traffic.count, !isDone {
            let end = traffic.firstIndex(of: .ascii("\n"), from: start) ?? traffic.count
            var stop = end
            if stop > start, traffic[stop - 1] == .ascii("\r") { stop -= 1 }
            begin(level)
            show(traffic.extracting(start..<stop), style, expandsTabs: true)
            self.end()
            start = end + 1
        }
    }
}

extension Span where Element == UInt8 {
    /// The end of a piece of at most `size` bytes that does not split a character of UTF-8.
    fileprivate func pieceEnd(from start: Int, size: Int) -> Int {
        guard count - start > size else { return count }
        var end = start + size
        for _ in 0..<3 where self[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }
}
