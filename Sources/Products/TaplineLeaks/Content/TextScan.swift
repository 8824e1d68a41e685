// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A hit in a stream, and its place.
typealias StreamHit = (hit: Hit, place: LeakPlace)

/// Scans a stream of text or bytes chunk by chunk.
///
/// Lines that are records are scanned on their own. The text between them is scanned in windows of
/// whole lines. Each window begins with the end of the previous one, so that nothing at a boundary
/// is missed; hits that were already reported are not reported again.
///
/// Compressed data that does not end in its window is decoded with the bytes that follow.
///
/// **Limits.** It holds a window in memory, and one for each such stream, or one line of up to `maxLineBytes`; a longer line is
/// scanned in windows as well.
final class TextScan {
    /// The number of bytes to collect before a scan.
    private let windowBytes: Int
    private let maxLineBytes: Int
    private let isBinary: Bool
    private let scanner: UnitScanner
    private var records: RecordScan
    private let report: (StreamHit) -> Void

    private var buffer: [UInt8] = []
    /// The position of the buffer in the stream, and the line number there.
    private var base: Int
    private var baseLine: Int
    /// The start of the first line whose end is not known yet; as below, a position in the buffer.
    private var lineStart = 0
    private var line: Int
    /// The position up to which line ends were searched for.
    private var searched = 0
    /// The start of the text since the last record.
    private var runStart = 0
    /// The position up to which hits that end there were reported.
    private var settled = 0
    /// Whether the line is so long that its start was dropped.
    private var isLongLine = false
    /// The number of lines that were scanned in parts.
    private(set) var longLines = 0
    /// What surrounds the text; `nil` if each window has a budget of its own.
    private let scope: UnitScanner.Scope?
    /// The compressed streams that began in former windows and did not end there.
    private var continued: [ContinuedStream] = []
    /// The position up to which these got the bytes.
    private var fed = 0
    /// Whether no bytes follow.
    private var isAtEnd = false

    /// The number of bytes in memory.
    var heldBytes: Int { buffer.count }

    /// Makes a scan of one stream.
    ///
    /// - Parameters:
    ///   - isBinary: Whether the stream has no lines.
    ///   - scanner: The scanner of the units.
    ///   - scope: The scope of the text, if it is decoded from something.
    ///   - base: The position of the stream that offsets count from.
    ///   - line: The number of its first line.
    ///   - windowBytes: The number of bytes to collect before a scan.
    ///   - maxLineBytes: The maximum length of a line that is scanned as a whole.
    ///   - report: Receives the hits.
    init(
        isBinary: Bool,
        _ scanner: UnitScanner,
        scope: UnitScanner.Scope? = nil,
        base: Int = 0,
        line: Int = 1,
        windowBytes: Int = 1 << 20,
        maxLineBytes: Int = 64 << 20,
        report: @escaping (StreamHit) -> Void
    ) {
        self.isBinary = isBinary
        self.scanner = scanner
        self.scope = scope
        self.base = base
        self.line = line
        self.windowBytes = windowBytes
        self.maxLineBytes = maxLineBytes
        self.report = report
        baseLine = line
        records = RecordScan(scanner)
    }

    /// Takes the next bytes.
    func append(_ chunk: Span<UInt8>) {
        buffer.append(copying: chunk)
        if buffer.count - settled >= windowBytes + scanner.reach { advance(isLast: false) }
    }

    /// Ends the stream.
    func finish() {
        isAtEnd = true
        advance(isLast: true)
        feed(to: buffer.count)
        for stream in continued { stream.finish() }
        continued = []
        buffer = []
    }

    private func advance(isLast: Bool) {
        if isBinary {
            scanRun(to: buffer.count, isLast: isLast)
        } else {
            while let end = buffer.span.firstIndex(of: 0x0A, from: max(searched, lineStart)) {
                endLine(at: end)
            }
            searched = buffer.count
            if isLast, lineStart < buffer.count {
                endLine(at: buffer.count)
            } else if buffer.count - lineStart > maxLineBytes {
                if !isLongLine { longLines += 1 }
                isLongLine = true
            }
            scanRun(to: isLongLine ? buffer.count : lineStart, isLast: isLast)
        }
        if !isLast { drop() }
    }

    /// Ends a line, and scans it on its own if it is a record.
    private func endLine(at end: Int) {
        let next = min(end + 1, buffer.count)
        defer {
            lineStart = next
            line += 1
            isLongLine = false
        }
        guard !isLongLine, end - lineStart >= 2 else { return }
        var first = lineStart
        // A byte order mark may come before the first record.
        if base + lineStart == 0,
            buffer.span.extracting(0..<min(3, end)).equals([0xEF, 0xBB, 0xBF].span)
        {
            first = 3
        }
        while first < end, buffer[first] == 0x20 || buffer[first] == 0x09 { first += 1 }
        guard first < end, buffer[first] == UInt8(ascii: "{") else { return }
        guard let hits = records.scan(buffer.span.extracting(first..<end)) else { return }
        scanRun(to: lineStart, isLast: true)
        for (hit, place) in hits {
            var place = place
            place.line = line
            place.offset = base + first + hit.range.lowerBound
            report((hit, place))
        }
        feed(to: next)
        (runStart, settled) = (next, next)
    }

    /// Scans the text between records.
    private func scanRun(to end: Int, isLast: Bool) {
        let reach = scanner.reach
        // Hits that end near the border are reported with the next window, which contains them
        // completely. For UTF-16 and UTF-32, the border must be between two characters.
        let border = isLast ? end : (end - reach) & ~3
        guard border > settled else { return }
        feed(to: end)
        let start = max(runStart, settled - reach)
        var scope = self.scope ?? scanner.makeScope()
        // The next window begins `reach` before the border.
        scope.next = isAtEnd ? nil : isLast ? .max : border - reach - start
        var open: [EmbeddedStream] = []
        let hits = scanner.scan(window: buffer.span.extracting(start..<end), scope) {
            open.append($0)
        }
        for var hit in hits.inOrder {
            hit.range = hit.range.lowerBound + start..<hit.range.upperBound + start
            guard hit.range.upperBound > settled else { continue }
            // Hits that begin before the next window are reported now.
            if hit.range.upperBound > border, hit.range.lowerBound >= border - reach { continue }
            report((hit, place(at: hit.range.lowerBound)))
        }
        for stream in open { decode(stream, from: start, scope) }
        settled = border
    }

    // MARK: Streams

    /// Decodes a compressed stream, which begins in the window from `start` on, with the bytes that
    /// follow.
    private func decode(
        _ stream: EmbeddedStream,
        from start: Int,
        _ scope: UnitScanner.Scope
    ) {
        let place = place(at: start + stream.range.lowerBound)
        let next = ContinuedStream(stream, scope, scanner) { [report] in report(($0, place)) }
        if let next { continued.append(next) }
    }

    /// Feeds the bytes up to a position to the streams that are continued.
    private func feed(to end: Int) {
        if end > fed, !continued.isEmpty {
            continued.append(buffer.span.extracting(fed..<end))
        }
        fed = max(fed, end)
    }

    private func place(at index: Int) -> LeakPlace {
        var place = LeakPlace()
        place.offset = base + index
        guard !isBinary else { return place }
        let buffer = buffer
        place.line = baseLine + buffer.span.extracting(..<index).count(of: 0x0A)
        return place
    }

    /// Releases the bytes that no later window needs.
    private func drop() {
        let hasNoLine = isBinary || isLongLine
        let keep = min(max(runStart, settled - scanner.reach), hasNoLine ? settled : lineStart)
        guard keep > 0 else { return }
        if !isBinary {
            baseLine += buffer.span.extracting(..<keep).count(of: 0x0A)
        }
        buffer.removeSubrange(..<keep)
        base += keep
        runStart = max(runStart - keep, 0)
        settled -= keep
        lineStart = max(lineStart - keep, 0)
        searched = max(searched - keep, 0)
        fed = max(fed - keep, 0)
    }
}
