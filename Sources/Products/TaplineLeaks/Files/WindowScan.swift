// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSystem

/// Scans the bytes of a large file without lines on several threads, in the windows of `TextScan`.
///
/// **Limits.** Each thread holds a window in memory.
final class WindowScan: Sendable {
    /// Smaller files are scanned by one thread.
    private static let minBytes = 8 << 20

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
    ///   - windowBytes: The size of a window, without what it shares with others; an even number, so
    ///     that no character in UTF-16 is divided.
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
        let count = min(filled, min(window.end + reach, size) - first)
        var found = Found()
        for var hit in scanner.scan(buffer.span.extracting(0..<count)).inOrder {
            hit.range = hit.range.lowerBound + first..<hit.range.upperBound + first
            guard hit.range.upperBound > window.start else { continue }
            // The next window contains hits that begin later completely.
            let isNext = hit.range.upperBound > window.end
            if isNext, window.end < size, hit.range.lowerBound >= window.end - reach { continue }
            var place = LeakPlace()
            place.offset = hit.range.lowerBound
            found.hits.append((hit, place))
        }
        found.metLimit = scanner.takeMetLimit()
        return found
    }
}
