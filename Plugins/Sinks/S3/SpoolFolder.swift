// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineCodings
internal import TaplineModel
internal import TaplineSystem

/// A file of records that waits until it is stored.
struct SpooledFile: Equatable {
    let path: String

    var name: String { FileSystem.name(of: path) }

    /// Where the id of its upload is kept, so that another run can continue it.
    var uploadPath: String { path + SpoolFolder.upload }

    /// The key of its object: the name begins with the date, which becomes folders.
    func key(_ prefix: String) -> String {
        let digits = Array(name.utf8.prefix(8))
        guard digits.count == 8, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return prefix + name
        }
        let text = String(decoding: digits, as: UTF8.self)
        return "\(prefix)\(text.prefix(4))/\(text.dropFirst(4).prefix(2))/\(text.suffix(2))/\(name)"
    }
}

/// Makes the names in a folder durable; tests replace it.
typealias FolderSync = @Sendable (String) throws -> Void

/// The folder of the files that are being written or wait until they are stored.
///
/// ```
/// 20261127T101500Z-ID-RUN-1.ndjson.open      is written
/// 20261127T101500Z-ID-RUN-1.ndjson           is finished
/// 20261127T101500Z-ID-RUN-1.ndjson.gz        is finished and compressed
/// 20261127T101500Z-ID-RUN-1.ndjson.gz.upload the id of its upload in parts
/// refused/                                   files that the store has refused
/// ```
/// ID is that of the first exchange. Other files may begin with it too, since a source may get the
/// same exchange again, also in another process. RUN and the number make the names unique.
///
/// **Isolation**: any thread; one begins and finishes files, another one compresses them.
final class SpoolFolder: Sendable {
    static let open = ".open"
    static let upload = ".upload"
    static let temporary = ".tmp"
    private static let refused = "refused"
    private static let lines = ".ndjson"
    private static let chunk = 256 * 1024

    let path: String
    private let coding: ContentCoding?
    private let syncFolder: FolderSync
    private let lock: File
    /// Random, so that two runs never give the same name to files.
    private let run = String(UInt64.random(in: 0 ... .max), radix: 16)
    /// How many names this run has given.
    private let count = Mutex(0)

    /// Locks the folder, which is created if it does not exist.
    ///
    /// **Throws**: `FileError`, also if another process uses it.
    init(
        _ path: String,
        _ coding: ContentCoding?,
        syncFolder: @escaping FolderSync = FileSystem.syncFolder
    ) throws {
        self.path = path
        self.coding = coding
        self.syncFolder = syncFolder
        if try FileSystem.status(of: path) == nil { try FileSystem.makeFolder(path) }
        lock = try File("\(path)/lock", for: .append)
        guard try lock.lock() else {
            throw S3SinkError("the folder '\(path)' is used by another process")
        }
    }

    /// Finishes what an earlier run has left, and returns the uploads whose files are gone.
    func recover() throws -> [SpooledFile] {
        var orphans: [SpooledFile] = []
        for name in try FileSystem.names(in: path).sorted() {
            let file = "\(path)/\(name)"
            if name.hasSuffix(Self.temporary) {
                try FileSystem.remove(file)
            } else if name.hasSuffix(Self.open) {
                let plain = try unused(String(file.dropLast(Self.open.count)))
                if try cut(file) > 0 {
                    try FileSystem.move(file, to: plain)
                    try sync()
                } else {
                    try FileSystem.remove(file)
                }
            } else if name.hasSuffix(Self.upload) {
                let data = String(file.dropLast(Self.upload.count))
                guard try FileSystem.status(of: data) == nil else { continue }
                orphans.append(SpooledFile(path: data))
            } else if name.hasSuffix(".gz") {
                // The run ended after the file was compressed, and before the other was removed.
                let plain = String(file.dropLast(3))
                if try FileSystem.status(of: plain) != nil { try FileSystem.remove(plain) }
            }
        }
        return orphans
    }

    /// The finished files, the oldest first.
    func finished() throws -> [SpooledFile] {
        let names = try FileSystem.names(in: path).sorted()
        let compressed = Set(names.filter { $0.hasSuffix(".ndjson.gz") })
        return names.filter {
            compressed.contains($0) || ($0.hasSuffix(".ndjson") && !compressed.contains($0 + ".gz"))
        }
        .map { SpooledFile(path: "\(path)/\($0)") }
    }

    /// Begins a file whose first record is that of an exchange.
    func begin(_ id: ExchangeID, at time: Timestamp) throws -> SpoolWriter {
        let stem = "\(path)/\(S3Signer.stamp(time))-\(id)-\(nextSuffix())"
        let file = "\(stem).ndjson\(Self.open)"
        let writer = try SpoolWriter(file, at: time)
        do {
            // Otherwise the file itself may be missing after a power failure.
            try sync()
        } catch {
            try? FileSystem.remove(file)
            throw error
        }
        return writer
    }

    /// Ends a file whose records are durable: it gets its name, which `sync` makes durable.
    func rename(_ file: SpoolWriter) throws {
        let plain = try unused(String(file.path.dropLast(Self.open.count)))
        try FileSystem.move(file.path, to: plain)
    }

    /// Makes the names of files durable.
    func sync() throws { try syncFolder(path) }

    /// The folder of the files that the store has refused.
    var refusedPath: String { "\(path)/\(Self.refused)" }

    /// Moves a file to those that the store has refused; returns its path.
    ///
    /// The move may be undone by a power failure if the folders cannot be synced. The next run then
    /// tries to store the file again.
    func setAside(_ file: SpooledFile) throws -> String {
        try FileSystem.makeFolder(refusedPath)
        let target = "\(refusedPath)/\(file.name)"
        try FileSystem.move(file.path, to: target)
        try? syncFolder(refusedPath)
        try? sync()
        return target
    }

    /// The end of a name that no other file has.
    private func nextSuffix() -> String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return "\(run)-\(number)"
    }

    /// Returns a path, or another one if there is a finished file of that name, which a move would
    /// replace.
    private func unused(_ plain: String) throws -> String {
        let isFree =
            try FileSystem.status(of: plain) == nil
            && FileSystem.status(of: plain + ".gz") == nil
        if isFree { return plain }
        let stem = plain.hasSuffix(Self.lines) ? String(plain.dropLast(Self.lines.count)) : plain
        return "\(stem)-\(nextSuffix())\(Self.lines)"
    }

    /// Allows another process, or another run, to use the folder.
    func unlock() { lock.unlock() }

    /// Returns whether a file is to be replaced by a compressed one.
    func compresses(_ file: SpooledFile) -> Bool {
        coding != nil && file.path.hasSuffix(Self.lines)
    }

    /// Replaces a file by a compressed one, and returns that.
    ///
    /// The compressed file gets its name once it is complete and on disk. The other one is removed once
    /// that name is on disk, too.
    func compress(_ file: SpooledFile) throws -> SpooledFile {
        guard let coding else { return file }
        let target = file.path + ".gz"
        do {
            try compress(file.path, to: target + Self.temporary, coding)
            try FileSystem.move(target + Self.temporary, to: target)
            try sync()
        } catch {
            // The disk may be full.
            try? FileSystem.remove(target + Self.temporary)
            try? FileSystem.remove(target)
            throw error
        }
        try FileSystem.remove(file.path)
        return SpooledFile(path: target)
    }

    private func compress(_ plain: String, to target: String, _ coding: ContentCoding) throws {
        let source = try File(plain, for: .read)
        let output = try File(target, for: .replace)
        let encoder = try ContentEncoder(coding)
        var (input, coded): ([UInt8], [UInt8]) = ([], [])
        while try source.read(appendingTo: &input, atMost: Self.chunk) > 0 {
            try encoder.encode(input.span, appendingTo: &coded)
            try output.write(coded.span)
            input.removeAll(keepingCapacity: true)
            coded.removeAll(keepingCapacity: true)
        }
        try encoder.finish(appendingTo: &coded)
        try output.write(coded.span)
        try output.syncData()
    }

    /// Removes an unfinished last line; returns the size after that.
    private func cut(_ name: String) throws -> Int {
        let file = try File(name, for: .append)
        var end = try file.status().size
        var chunk = [UInt8](repeating: 0, count: Self.chunk)
        while end > 0 {
            let start = max(0, end - chunk.count)
            var space = chunk.mutableSpan
            let count = min(try file.read(into: &space, at: start), end - start)
            if let line = chunk[..<count].lastIndex(of: 0x0A) {
                end = start + line + 1
                break
            }
            end = start
        }
        try file.truncate(to: end)
        return end
    }
}

/// A file that records are appended to.
final class SpoolWriter {
    let path: String
    let started: Timestamp
    private let file: File
    private(set) var size = 0

    init(_ path: String, at time: Timestamp) throws {
        self.path = path
        started = time
        file = try File(path, for: .create)
    }

    /// Appends lines completely or not at all.
    func append(_ lines: Span<UInt8>) throws {
        do {
            try file.write(lines)
            size += lines.count
        } catch {
            try file.truncate(to: size)
            try? file.seek(to: size)
            throw error
        }
    }

    func sync() throws { try file.syncData() }

    /// How old it is; 0 if the clock was set back.
    func age(at time: Timestamp) -> Microseconds {
        Microseconds(max(time.microseconds.subtractingClamped(started.microseconds), 0))
    }
}

/// An error of the sink, without parts of the traffic.
struct S3SinkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
