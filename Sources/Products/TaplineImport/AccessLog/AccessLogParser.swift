// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel

/// Reads access logs of nginx and Apache: the formats `common`, `combined`, `combined` with
/// `X-Forwarded-For` (nginx's package) and `vhost_combined` (Debian's Apache), and JSON lines.
///
/// **Shape**: one line becomes one exchange without fields other than those in the log. Lines whose
/// request is not HTTP are counted. A line of another shape is an error.
/// **Limits**: lines of at most 1 MiB.
final class AccessLogParser: ImportParser {
    private static let maxLine = 1 << 20

    private let options: ImportOptions
    private var json = JSONParser(maxDepth: 32, surrogates: .replace)
    /// The bytes of the unfinished line so far.
    private var part: [UInt8] = []
    private var isSkipping = false
    private var line = 1
    /// The position at which the line begins.
    private var byte = 0

    init(_ options: ImportOptions) { self.options = options }

    func append(_ chunk: Span<UInt8>, to items: inout ImportedItems) {
        var start = 0
        while let end = chunk.firstIndex(of: 0x0A, inLongTextFrom: start) {
            add(chunk.extracting(start..<end), to: &items)
            if !isSkipping { take(&items) }
            isSkipping = false
            byte += part.count + 1
            part.removeAll(keepingCapacity: true)
            line += 1
            start = end + 1
        }
        add(chunk.extracting(start..<chunk.count), to: &items)
    }

    func finish(to items: inout ImportedItems) -> Bool {
        if !isSkipping { take(&items) }
        part = []
        return false
    }

    private func add(_ bytes: Span<UInt8>, to items: inout ImportedItems) {
        if isSkipping {
            byte += bytes.count
        } else if part.count + bytes.count > Self.maxLine {
            items.add(
                .tooLarge("the line", Self.maxLine, line: line, at: byte),
                "lines (too large)"
            )
            isSkipping = true
            byte += part.count + bytes.count
            part.removeAll()
        } else {
            part.append(copying: bytes)
        }
    }

    private func take(_ items: inout ImportedItems) {
        // A local reference: its span outlives the changes of other properties.
        let part = part
        let mark = line == 1 && part.span.hasBytes("\u{FEFF}", at: 0) ? 3 : 0
        let end = part.last == 0x0D ? part.count - 1 : part.count
        guard mark <= end else { return }
        let range = part.span.trimmed(mark..<end)
        let text = part.span.extracting(range)
        guard !text.isEmpty else { return }
        do throws(RecordError) {
            let entry =
                try text[0] == .ascii("{")
                ? Self.parse(text, &json, &items) : LogLine.entry(text)
            guard let exchange = entry.exchange(options.fallbackStart) else {
                return items.skip("lines (request is not HTTP)")
            }
            items.add(exchange, from: text)
        } catch {
            items.add(located(error, range.lowerBound), "lines (malformed)")
        }
    }

    private static func parse(
        _ text: Span<UInt8>,
        _ json: inout JSONParser,
        _ items: inout ImportedItems
    ) throws(RecordError) -> LoggedRequest {
        let entry: LoggedRequest
        let unknown: Int
        do throws(JSONError) {
            let document = try json.parse(text)
            (entry, unknown) = LoggedRequest.parsed(document.root)
        } catch {
            throw RecordError(code: .notJSON, message: error.message, byte: error.offset)
        }
        for _ in 0..<unknown { items.lose("keys (without a place)") }
        guard entry.isRequest || entry.status != nil else {
            throw .shape(
                "the line has no keys of an access log, such as 'method', 'uri' and 'status'",
                at: 0
            )
        }
        return entry
    }

    /// Converts a position in the text of a line to one in the file.
    private func located(_ error: RecordError, _ start: Int) -> RecordError {
        let offset = min(start + error.byte, part.count)
        return RecordError(
            code: error.code,
            message: error.message,
            line: line,
            column: part[..<offset].count(where: { $0 & 0xC0 != 0x80 }) + 1,
            byte: byte + offset
        )
    }
}
