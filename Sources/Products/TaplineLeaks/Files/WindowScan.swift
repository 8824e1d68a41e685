// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplineSystem

/// Scans the bytes of a large file without lines on several threads, in the windows of `TextScan`.
///
/// Compressed data that does not end in its window is decoded by the thread of that window, which
/// reads on in the file.
///
/// **Limits.** Each thread holds a window in memory, and one for each such stream.
final class WindowScan: Sendable {
    /// Smaller files are scanned by one thread.
    private static let minBytes = 8 << 20
    /// The number of bytes that are read at once for a stream that does not end in its window.
    private static let chunk = 1 << 18

    /// A part of the file.
    struct Window: Sendable {
        /// The positions between which hits end that no other window reports.
        let start: Int
        let end: Int
    }

    /// What a window contains.
    struct Found: Sendable {
        var hits: [StreamHit] = []
        /// Whether a limit prevented a part from being scanned.
        var metLimit = false
    }

    private let file: File
    /// The size of the file when it was opened.
    let size: Int
    private let windowBytes: Int
    /// Whether a window had fewer bytes than it should.
    private let wasShort = Atomic(false)

    /// Returns the kind of a file that is large enough and without lines; otherwise `nil`.
    static func kind(
        of file: borrowing File,
        named path: String
    ) throws(FileError) -> ContentKind? {
        let status = try file.status()
        guard status.kind == .regular, status.size >= minBytes else { return nil }
        var head = [UInt8](repeating: 0, count: ContentKind.headBytes)
        var space = head.mutableSpan
        let count = try file.read(into: &space, at: 0)
        let kind = ContentKind(head.span.extracting(0..<count), name: FileSystem.name(of: path))
        return kind == .database || kind == .binary ? kind : nil
    }

    /// Prepares a scan.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - windowBytes: The size of a window, without what it shares with others; a multiple of four,
    ///     so that no character in UTF-16 or UTF-32 is divided.
    /// - Throws: `FileError` if the file has no status.
    init(_ file: consuming File, windowBytes: Int = 1 << 20) throws(FileError) {
        size = try file.status().size
        self.file = file
        self.windowBytes = windowBytes
    }

    /// Scans all windows.
    ///
    /// - Parameters:
    ///   - scanners: Makes the scanners, one for each thread.
    ///   - threads: The maximum number of threads.
    ///   - report: Receives the hits, in order.
    /// - Returns: Whether a limit prevented a part from being scanned.
    /// - Throws: `FileError` if the file cannot be read.
    func run(
        _ scanners: UnitScanners,
        threads: Int = Processors.available,
        report: (StreamHit) -> Void
    ) throws -> Bool {
        var start = 0
        var metLimit = false
        let scan = try makeScan(scanners)
        try ParallelMap.run(
            threads: threads,
            next: { () -> Window? in
                guard start < size else { return nil }
                defer { start += windowBytes }
                return Window(start: start, end: min(start + windowBytes, size))
            },
            transform: scan,
            makeTransform: { [self] in try makeScan(scanners) },
            body: { found in
                for hit in found.hits { report(hit) }
                metLimit = metLimit || found.metLimit
            }
        )
        return metLimit
    }

    /// Asks whether the size of the file has changed since it was opened.
    ///
    /// - Parameter isDatabase: Whether the file may grow, since its rows are read later.
    /// - Returns: Whether bytes were not scanned because of that.
    /// - Throws: `FileError` if the file has no status.
    func missesBytes(isDatabase: Bool) throws(FileError) -> Bool {
        let now = try file.status().size
        return wasShort.load(ordering: .relaxed) || now < size || (now > size && !isDatabase)
    }

    /// Returns what scans windows on one thread, with a buffer of its own.
    private func makeScan(_ scanners: UnitScanners) throws -> (Window) throws -> Found {
        let scanner = try scanners.make()
        var buffer = [UInt8](repeating: 0, count: windowBytes + 2 * scanner.reach)
        return { [self] window in try scan(window, scanner, &buffer) }
    }

    private func scan(
        _ window: Window,
        _ scanner: UnitScanner,
        _ buffer: inout [UInt8]
    ) throws(FileError) -> Found {
        let reach = scanner.reach
        let first = max(window.start - reach, 0)
        var space = buffer.mutableSpan
        let filled = try file.read(into: &space, at: first)
        let wanted = min(window.end + reach, size) - first
        let count = min(filled, wanted)
        if count < wanted { wasShort.store(true, ordering: .relaxed) }
        var found = Found()
        var scope = scanner.makeScope()
        scope.next = first + count < size ? window.end - reach - first : nil
        var open: [EmbeddedStream] = []
        let hits = scanner.scan(window: buffer.span.extracting(0..<count), scope) {
            open.append($0)
        }
        for var hit in hits.inOrder {
            hit.range = hit.range.lowerBound + first..<hit.range.upperBound + first
            guard hit.range.upperBound > window.start else { continue }
            // The next window contains hits that begin later completely.
            let isNext = hit.range.upperBound > window.end
            if isNext, window.end < size, hit.range.lowerBound >= window.end - reach { continue }
            var place = LeakPlace()
            place.offset = hit.range.lowerBound
            found.hits.append((hit, place))
        }
        if !open.isEmpty {
            found.hits += try scan(open, at: first, upTo: first + count, scope, scanner)
            found.hits.sort { ($0.place.offset ?? 0) < ($1.place.offset ?? 0) }
        }
        found.metLimit = scanner.takeMetLimit()
        return found
    }

    /// Scans compressed streams that begin in a window, and reads on in the file for that.
    ///
    /// - Parameters:
    ///   - streams: The streams.
    ///   - first: The position of the window.
    ///   - end: The position up to which the streams are decoded.
    ///   - scope: The scope of the window.
    ///   - scanner: The scanner of the window.
    /// - Returns: The hits.
    /// - Throws: `FileError` if the file cannot be read.
    private func scan(
        _ streams: [EmbeddedStream],
        at first: Int,
        upTo end: Int,
        _ scope: UnitScanner.Scope,
        _ scanner: UnitScanner
    ) throws(FileError) -> [StreamHit] {
        var hits: [StreamHit] = []
        var continued: [ContinuedStream] = []
        for stream in streams {
            var place = LeakPlace()
            place.offset = first + stream.range.lowerBound
            let next = ContinuedStream(stream, scope, scanner) { hits.append(($0, place)) }
            if let next { continued.append(next) }
        }
        var position = end
        var buffer = [UInt8](repeating: 0, count: Self.chunk)
        while !continued.isEmpty, position < size {
            var space = buffer.mutableSpan
            let count = try file.read(into: &space, at: position)
            if count == 0 { break }
            continued.append(buffer.span.extracting(0..<count))
            position += count
        }
        for stream in continued { stream.finish() }
        return hits
    }
}
