// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Something found in a stream, with where it stands.
typealias StreamHit = (hit: Hit, place: LeakPlace)

/// Scans a stream of text or bytes, a chunk at a time.
///
/// Lines that are records are units of their own. What stands between them is looked at in windows
/// of whole lines; each window begins with the end of the one before, so that nothing at a border
/// is missed, and what was told before is not told again.
///
/// **Limits**: memory for a window, or for one line of up to `maxLineBytes`; a longer line is looked
/// at in windows too.
final class TextScan {
    /// How much is gathered before it is looked at.
    private let windowBytes: Int
    private let maxLineBytes: Int
    private let isBinary: Bool
    private let scanner: UnitScanner
    private var records: RecordScan
    private let report: (StreamHit) -> Void

    private var buffer: [UInt8] = []
    /// Where the buffer begins in the stream, and the number of the line there.
    private var base: Int
    private var baseLine: Int
    /// Where the first line begins of which the end is not known yet; in the buffer, as all below.
    private var lineStart = 0
    private var line: Int
    /// Up to where line ends were looked for.
    private var searched = 0
    /// Where the text began that stands between records.
    private var runStart = 0
    /// Up to where hits were told that end there.
    private var settled = 0
    /// Whether the line is so long that its beginning is gone.
    private var isLongLine = false
    /// Lines that were looked at in parts.
    private(set) var longLines = 0

    /// A scan of one stream.
    ///
    /// - Parameters:
    ///   - isBinary: Whether there are no lines.
    ///   - scanner: What looks at the units.
    ///   - base: Where the stream begins, as places count.
    ///   - line: The number of its first line.
    ///   - windowBytes: How much is gathered before it is looked at.
    ///   - maxLineBytes: The longest line that is looked at in one piece.
    ///   - report: Gets what is found.
    init(
        isBinary: Bool,
        _ scanner: UnitScanner,
        base: Int = 0,
        line: Int = 1,
        windowBytes: Int = 1 << 20,
        maxLineBytes: Int = 64 << 20,
        report: @escaping (StreamHit) -> Void
    ) {
        self.isBinary = isBinary
        self.scanner = scanner
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

    /// Says that the stream has ended.
    func finish() {
        advance(isLast: true)
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

    /// A line has ended: if it is a record, it is looked at by itself.
    private func endLine(at end: Int) {
        let next = min(end + 1, buffer.count)
        defer {
            lineStart = next
            line += 1
            isLongLine = false
        }
        guard !isLongLine, end - lineStart >= 2 else { return }
        var first = lineStart
        // A byte order mark may stand before the first record.
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
        (runStart, settled) = (next, next)
    }

    /// Looks at the text between records.
    private func scanRun(to end: Int, isLast: Bool) {
        let reach = scanner.reach
        // What ends close to a border is told with the next window, which shows all of it.
        // In UTF-16 it has to be between two characters.
        let border = isLast ? end : (end - reach) & ~1
        guard border > settled else { return }
        let start = max(runStart, settled - reach)
        let hits = scanner.scan(buffer.span.extracting(start..<end))
        for var hit in hits.inOrder {
            hit.range = hit.range.lowerBound + start..<hit.range.upperBound + start
            guard hit.range.upperBound > settled else { continue }
            // The next window begins `reach` before the border: what it does not show whole is
            // told now.
            if hit.range.upperBound > border, hit.range.lowerBound >= border - reach { continue }
            report((hit, place(at: hit.range.lowerBound)))
        }
        settled = border
    }

    private func place(at index: Int) -> LeakPlace {
        var place = LeakPlace()
        place.offset = base + index
        guard !isBinary else { return place }
        let buffer = buffer
        place.line = baseLine + buffer.span.extracting(..<index).count(of: 0x0A)
        return place
    }

    /// Lets go of what no later window shows.
    private func drop() {
        let keep = min(max(runStart, settled - scanner.reach), isLongLine ? settled : lineStart)
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
    }
}
