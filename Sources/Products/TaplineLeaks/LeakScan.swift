// SPDX-License-Identifier: MIT

internal import TaplineModel
package import TaplinePlugin
internal import TaplineSystem

/// Searches files of any kind for given values and for secrets that detectors recognise.
///
/// **Shape.** Events are reported during the scan, in the order of the files. Data that cannot be
/// scanned is always reported, never skipped silently.
///
/// **Isolation.** Used by one thread at a time.
package final class LeakScan {
    private let scanners: UnitScanners
    private let scanner: UnitScanner
    private let report: (LeakEvent) -> Void
    /// The totals so far.
    package private(set) var totals = LeakTotals()
    /// The number of bytes that are read from a file at once.
    private static let chunk = 1 << 18
    /// The maximum depth of nested folders.
    private static let maxFolders = 256

    /// Makes a scan that has not begun.
    ///
    /// - Parameters:
    ///   - values: The values that must not occur.
    ///   - detectors: The detectors that find secrets by their form; `nil` to search for values
    ///     only.
    ///   - report: Receives the events.
    /// - Throws: Any error from preparing the detectors.
    package convenience init(
        for values: [LeakValue],
        detectors: (any DetectorSet)?,
        report: @escaping (LeakEvent) -> Void
    ) throws {
        try self.init(UnitScanners(ValueIndex(values), detectors), report: report)
    }

    /// Makes a scan with scanners of units, which may have other limits.
    init(_ scanners: UnitScanners, report: @escaping (LeakEvent) -> Void) throws {
        self.scanners = scanners
        scanner = try scanners.make()
        self.report = report
    }

    /// Scans a file, a folder with everything in it, or standard input (`-`).
    ///
    /// In a folder, links and anything that is not a regular file are skipped.
    package func scan(_ path: String) {
        guard path != "-" else { return scanStream(File.standardInput, named: "standard input") }
        do {
            guard let status = try FileSystem.status(of: path) else {
                return unread(path, "there is no such file")
            }
            if status.kind == .folder {
                let before = totals
                scanFolder(path, depth: 0)
                if totals.files == before.files, totals.unread == before.unread {
                    unread(path, "the folder contains no files")
                }
            } else {
                try scanFile(path)
                if status.kind == .regular { scanCompanions(of: path) }
            }
        } catch {
            unread(path, error.reason)
        }
    }

    /// Scans bytes like the content of a file.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - name: The name of the file.
    package func scan(_ bytes: Span<UInt8>, named name: String) {
        scanStream(named: name) { stream, _ in
            stream.append(bytes)
            stream.finish()
        }
    }

    // MARK: Folders

    private func scanFolder(_ folder: String, depth: Int) {
        guard depth < Self.maxFolders else { return unread(folder, "nested folders are too deep") }
        do {
            for name in try FileSystem.names(in: folder).sorted() {
                let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
                scanEntry(path, depth: depth)
            }
        } catch {
            unread(folder, error.reason)
        }
    }

    private func scanEntry(_ path: String, depth: Int) {
        do {
            // An entry that was removed since the folder was listed does not count.
            guard let status = try FileSystem.status(of: path, followingLinks: false) else {
                return
            }
            switch status.kind {
            case .folder: scanFolder(path, depth: depth + 1)
            case .regular: try scanFile(path)
            case .link: skipped(path, "a link")
            case .pipe, .device, .other: skipped(path, "not a regular file")
            }
        } catch {
            unread(path, error.reason)
        }
    }

    // MARK: Files

    private func scanFile(_ path: String) throws(FileError) {
        let file = try File(path, for: .read)
        switch try WindowScan.kind(of: file, named: path) {
        case .database: scan(try WindowScan(file), of: path, isDatabase: true)
        case .binary: scan(try WindowScan(file), of: path, isDatabase: false)
        default: scanStream(file, named: path, path: path)
        }
    }

    /// Scans a large file without lines on several threads.
    private func scan(_ windows: WindowScan, of path: String, isDatabase: Bool) {
        totals.files += 1
        let shown = scanName(path)
        totals.bytes += windows.size
        var metLimit = attempt(shown) { try windows.run(scanners) { leak($0, in: shown, []) } }
        if attempt(shown, { try windows.missesBytes(isDatabase: isDatabase) }) {
            unread(shown, "changed while it was read")
        }
        if isDatabase, attempt(SpooledDatabase(path: path), shown) { metLimit = true }
        if metLimit { unread(shown, UnitScanner.limitReason) }
    }

    private func attempt(_ database: SpooledDatabase, _ shown: String) -> Bool {
        attempt(shown) { try database.scan(scanners) { leak($0, in: shown, []) } }
    }

    /// Runs a scan, and reports its error.
    ///
    /// - Returns: Whether a part was not scanned because of a limit.
    private func attempt(_ shown: String, _ scan: () throws -> Bool) -> Bool {
        do {
            return try scan()
        } catch let error as FileError {
            unread(shown, error.reason)
        } catch {
            unread(shown, "\(error)")
        }
        return false
    }

    /// Scans what is next to a database that the user named: files that may contain deleted rows, a
    /// full-text index, and the folder of large bodies.
    private func scanCompanions(of path: String) {
        for suffix in ["-wal", "-journal", "-shm", "-index", "-bodies"] {
            do {
                guard let status = try FileSystem.status(of: path + suffix) else { continue }
                if suffix == "-bodies" {
                    if status.kind == .folder { scanFolder(path + suffix, depth: 0) }
                } else {
                    try scanFile(path + suffix)
                }
            } catch {
                unread(path + suffix, error.reason)
            }
        }
    }

    private func scanStream(_ file: borrowing File, named name: String, path: String? = nil) {
        scanStream(named: name, path: path) { stream, shown in read(file, shown, into: stream) }
    }

    /// Scans the bytes that are fed to the stream.
    private func scanStream(
        named name: String,
        path: String? = nil,
        feed: (StreamScan, _ shownName: String) -> Void
    ) {
        totals.files += 1
        let shown = scanName(name)
        var databases: [SpooledDatabase] = []
        let stream = StreamScan(
            name: FileSystem.name(of: name),
            scanner,
            StreamScan.Report(
                hit: { [self] hit, codings in leak(hit, in: shown, codings) },
                unread: { [self] in unread(shown, $0) },
                database: { [self] stream in
                    do {
                        databases.append(try SpooledDatabase(stream, path))
                    } catch {
                        unread(shown, "\(error)")
                    }
                }
            )
        )
        feed(stream, shown)
        totals.bytes += stream.byteCount
        for database in databases {
            // Its bytes may be reported already.
            if attempt(database, shown), !stream.hasMetLimit {
                unread(shown, UnitScanner.limitReason)
            }
        }
    }

    private func read(_ file: borrowing File, _ name: String, into stream: StreamScan) {
        var buffer = [UInt8](repeating: 0, count: Self.chunk)
        do throws(FileError) {
            while true {
                var space = buffer.mutableSpan
                let count = try file.read(into: &space)
                if count == 0 { break }
                stream.append(buffer.span.extracting(0..<count))
            }
        } catch {
            unread(name, error.reason)
        }
        stream.finish()
    }

    // MARK: Reports

    /// Scans a file's name, which sinks may derive from traffic, and returns it with hits masked.
    private func scanName(_ name: String) -> String {
        let bytes = Array(name.utf8)
        let hits = scanner.scan(bytes.span).inOrder
        guard !hits.isEmpty else { return name }
        var shown: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isHidden = hits.contains { $0.range.contains(index) }
            shown.append(isHidden ? UInt8(ascii: "*") : byte)
        }
        let text = String(decoding: shown, as: UTF8.self)
        for hit in hits {
            var place = LeakPlace()
            place.path = "file name"
            leak((hit, place), in: text, [])
        }
        return text
    }

    private func leak(_ found: StreamHit, in file: String, _ codings: [String]) {
        totals.leaks += 1
        report(
            .leak(
                Leak(
                    file: file,
                    place: found.place,
                    kind: scanner.kind(of: found.hit),
                    codings: codings + found.hit.codings
                )
            )
        )
    }

    private func unread(_ path: String, _ reason: String) {
        totals.unread += 1
        report(.unread(file: path, reason: reason))
    }

    private func skipped(_ path: String, _ reason: String) {
        totals.skipped += 1
        report(.skipped(file: path, reason: reason))
    }
}
