// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// Scans a HAR chunk by chunk: each entry as a record, and everything around the entries as text.
///
/// **Limits.** It holds one entry in memory, and the text since the last one.
final class ArchiveScan {
    private let scanner: UnitScanner
    private var records: RecordScan
    private let report: (StreamHit) -> Void
    private var splitter = RecordingSplitter(file: "")
    private var raw = RawRecords(file: "")
    /// The last bytes received, and how many of them have been scanned.
    private var rest: [UInt8] = []
    private var done = 0
    /// The position in the archive of the first byte not yet scanned, and its line.
    private var place = 0
    private var line = 1
    private var entries = 0
    private var isBroken = false
    /// The number of entries that are too large for one record or are not valid JSON.
    private(set) var oddEntries = 0
    private static let maxRestBytes = 66 << 20

    init(_ scanner: UnitScanner, report: @escaping (StreamHit) -> Void) {
        self.scanner = scanner
        self.report = report
        records = RecordScan(scanner)
    }

    /// Takes the next bytes.
    func append(_ chunk: Span<UInt8>) {
        rest.append(copying: chunk)
        if !isBroken {
            do { try splitter.append(chunk, to: &raw) } catch { isBroken = true }
            takeEntries()
        }
        if isBroken || rest.count - done > Self.maxRestBytes { passAsText(rest.count - done) }
        rest.removeSubrange(..<done)
        done = 0
    }

    /// Ends the archive.
    func finish() {
        if !isBroken {
            try? splitter.finish(to: &raw)
            takeEntries()
        }
        passAsText(rest.count - done)
    }

    private func takeEntries() {
        let raw = raw
        self.raw.removeAll()
        for index in 0..<raw.count {
            let (entryLine, byte) = raw.place(at: index)
            let entry = raw.bytes(at: index)
            let gap = byte - place
            defer { entries += 1 }
            // An entry that could not be read is scanned as text, together with the text after it.
            guard !entry.isEmpty, gap >= 0, done + gap + entry.count <= rest.count,
                let hits = records.scan(entry, under: "log.entries[\(entries)]")
            else {
                oddEntries += 1
                continue
            }
            passAsText(gap)
            for (hit, found) in hits {
                var found = found
                found.offset = byte + hit.range.lowerBound
                found.line = entryLine + newlines(in: hit.range.lowerBound)
                report((hit, found))
            }
            pass(entry.count)
        }
    }

    /// Returns the number of line ends in the next bytes.
    private func newlines(in count: Int) -> Int {
        let rest = rest
        return rest.span.extracting(done..<min(done + count, rest.count)).count(of: 0x0A)
    }

    /// Skips the next bytes.
    private func pass(_ count: Int) {
        line += newlines(in: count)
        done += count
        place += count
    }

    /// Scans the text before the next entry.
    private func passAsText(_ count: Int) {
        if count >= LeakValue.minBytes {
            let text = TextScan(
                isBinary: false,
                scanner,
                base: place,
                line: line,
                report: report
            )
            text.append(rest.span.extracting(done..<done + count))
            text.finish()
        }
        pass(max(count, 0))
    }
}
