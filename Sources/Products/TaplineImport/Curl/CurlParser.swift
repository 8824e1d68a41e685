// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// Reads command lines of curl, one or many in a text or in a shell's history.
///
/// Quotes are those of bash.
///
/// **Shape**: each URL of a command becomes an exchange without a response. Other commands are
/// counted.
/// **Limits**: the file is kept as a whole.
final class CurlParser: ImportParser {
    /// Each quote without an end takes a search through the rest of the file.
    private static let maxOpenQuotes = 4
    /// How many exchanges and errors are passed on at once.
    private static let partCount = 1000

    private let options: ImportOptions
    private var bytes: [UInt8] = []
    private var lines = LineCounter()
    /// What follows the part that was passed on.
    private var reader: ShellReader?
    private var openQuotes = 0
    /// The time that a shell's history states for the next command.
    private var time: Timestamp?

    init(_ options: ImportOptions) { self.options = options }

    func append(_ chunk: Span<UInt8>, to items: inout ImportedItems) throws(RecordError) {
        guard bytes.count + chunk.count <= options.maxRecordBytes else {
            throw .tooLarge("the file with commands", options.maxRecordBytes, at: bytes.count)
        }
        bytes.append(copying: chunk)
    }

    func finish(to items: inout ImportedItems) throws(RecordError) -> Bool {
        let start = bytes.span.hasBytes("\u{FEFF}", at: 0) ? 3 : 0
        var reader = reader ?? ShellReader(bytes, at: start)
        while reader.position < bytes.count {
            guard items.elements.count < Self.partCount else {
                self.reader = reader
                return true
            }
            if reader.isAtLineStart, skipLine(&reader, &items) { continue }
            let start = reader.position
            do throws(RecordError) {
                take(try reader.pipeline(), &items)
            } catch {
                try skip(error, from: start, &reader, &items)
            }
        }
        return false
    }

    // MARK: Lines

    /// Skips a line that has no command of curl; returns whether it did.
    private func skipLine(_ reader: inout ShellReader, _ items: inout ImportedItems) -> Bool {
        let start = reader.position
        let bytes = bytes
        let end = bytes.span.firstIndex(of: 0x0A, inLongTextFrom: start) ?? bytes.count
        let range = bytes.span.trimmed(start..<end)
        let line = bytes.span.extracting(range)
        let isComment = !line.isEmpty && line[0] == .ascii("#")
        if isComment {
            // bash, with HISTTIMEFORMAT.
            let digits = line.extracting(1..<line.count).decimal
            time = digits.flatMap { Self.time($0) } ?? time
        } else if Self.mayContainCommand(line) || line.starts(with: ": ") {
            return false
        } else if !line.isBlankText {
            items.skip("commands (other than curl)")
        }
        reader = ShellReader(bytes, at: min(end + 1, bytes.count))
        return true
    }

    /// Reports a command that begins at `start` and cannot be read, and skips its lines.
    private func skip(
        _ error: RecordError,
        from start: Int,
        _ reader: inout ShellReader,
        _ items: inout ImportedItems
    ) throws(RecordError) {
        let isOpen = error.code == .cutOff
        add(error, isOpen ? "commands (quote without an end)" : "commands (shell)", &items)
        if isOpen { openQuotes += 1 }
        guard openQuotes < Self.maxOpenQuotes else {
            throw lines.located(
                .shape("too many quotes have no end; the rest is not read", at: start),
                bytes
            )
        }
        reader = ShellReader(bytes, at: isOpen ? start : error.byte)
        skipCommand(&reader)
    }

    /// Skips the lines of a command that cannot be read.
    private func skipCommand(_ reader: inout ShellReader) {
        var end = reader.position
        while true {
            end = bytes.span.firstIndex(of: 0x0A, inLongTextFrom: end) ?? bytes.count
            guard end < bytes.count else { break }
            let last = end > 0 && bytes[end - 1] == 0x0D ? end - 2 : end - 1
            end += 1
            if last < 0 || bytes[last] != .ascii("\\") { break }
        }
        reader = ShellReader(bytes, at: end)
    }

    /// Whether a text has `curl` as a word.
    static func mayContainCommand(_ text: Span<UInt8>) -> Bool {
        var position = 0
        let name = Array("curl".utf8)
        while let found = text.firstIndex(of: name.span, in: position..<text.count) {
            let before = found > 0 ? text[found - 1] : 0x20
            let end = found + name.count
            let after = end < text.count ? text[end] : 0x20
            let isStart = before.isWhiteSpace || "/;|&($`\\".utf8.contains(before)
            let isEnd = after.isWhiteSpace || after == .ascii("\\") || after == .ascii(".")
            if isStart, isEnd { return true }
            position = found + 1
        }
        return false
    }

    private static func time(_ seconds: Int) -> Timestamp? {
        guard 100_000_000..<100_000_000_000 ~= seconds else { return nil }
        return Timestamp(microseconds: Int64(seconds) * 1_000_000)
    }

    // MARK: Commands

    private func take(_ pipeline: ShellReader.Pipeline, _ items: inout ImportedItems) {
        guard let place = pipeline.firstIndex(where: { CurlCommand.arguments(of: $0) != nil }),
            let arguments = CurlCommand.arguments(of: pipeline[place])
        else {
            let words = pipeline.first ?? []
            // zsh, with EXTENDED_HISTORY: ': 1700000000:0;curl …'.
            if words.count == 2, words[0].text == ":" {
                let seconds = words[1].bytes.prefix { $0 != .ascii(":") }
                time = Array(seconds).span.decimal.flatMap { Self.time($0) }
            } else if !words.isEmpty {
                items.skip("commands (other than curl)")
            }
            return
        }
        let started = time ?? options.fallbackStart
        let start = pipeline[place].first?.start ?? 0
        time = nil
        do throws(RecordError) {
            let input = place > 0 ? ShellOutput(pipeline[place - 1], hasInput: place > 1) : nil
            var command = CurlCommand(input: input)
            for request in try command.requests(arguments, from: start) {
                for exchange in try request.exchanges(started) {
                    items.add(exchange, from: exchange.request.url.span)
                }
            }
            items.lose(command.losses)
        } catch {
            add(error, "commands (curl)", &items)
        }
    }

    private func add(
        _ error: RecordError,
        _ kind: StaticString,
        _ items: inout ImportedItems
    ) {
        items.add(lines.located(error, bytes), kind)
    }
}
