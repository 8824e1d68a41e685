// SPDX-License-Identifier: MIT

internal import TaplineFiles
internal import TaplineFormats
internal import TaplineLeaks
internal import TaplineModel
internal import TaplinePlugin

/// A file with the recordings of a test.
struct Fixture: Sendable {
    private static let chunkSize = 256 << 10
    /// The version of the program in a HAR file; the same for all, so that a new one changes nothing.
    private static let creator = "1"

    let path: String
    let format: RecordedOptions.Format

    /// The fixture of a name beside a source file.
    init(_ name: String, besides source: String, _ options: RecordedOptions) {
        let folder =
            options.folder.hasPrefix("/")
            ? options.folder : "\(FileSystem.folder(of: source))/\(options.folder)"
        path = "\(folder)/\(name).\(options.format.rawValue)"
        format = options.format
    }

    /// Whether the file is there.
    var exists: Bool { (try? File(path, for: .read)) != nil }

    /// Reads the recordings.
    ///
    /// **Throws**: `RecordedError`, with the place of what is wrong.
    func read() throws(RecordedError) -> [Exchange] {
        var exchanges: [Exchange] = []
        do {
            let file = try File(path, for: .read)
            var reader = RecordingReader(file: path)
            var chunk: [UInt8] = []
            while true {
                chunk.removeAll(keepingCapacity: true)
                guard try file.read(appendingTo: &chunk, atMost: Fixture.chunkSize) > 0 else {
                    break
                }
                try reader.read(chunk.span) { exchanges.append(try $0.get()) }
            }
            try reader.finish { exchanges.append(try $0.get()) }
            guard reader.format != nil else { throw RecordedError("\(path):1: the file is empty") }
        } catch {
            throw RecordedError("\(error)\n\(RecordedPool.help)")
        }
        return exchanges
    }

    /// Writes the recordings in the place of what is there; other programs see the old file or the
    /// new one.
    ///
    /// Where what is there says the same, it stays as it is, byte for byte.
    ///
    /// - Parameters:
    ///   - exchanges: The recordings.
    ///   - secrets: What must not stand in it, in whatever form.
    /// - Throws: `RecordedError` where it cannot be written, or where a secret is left in it.
    func write(
        _ exchanges: [Exchange],
        without secrets: Set<[UInt8]> = []
    ) throws(RecordedError) {
        let former = (try? read()) ?? []
        let merged = RecordedMerge.merge(exchanges.map(\.timeless), into: former)
        let bytes = text(merged)
        try check(bytes, for: secrets)
        let folder = FileSystem.folder(of: path)
        let temporary = "\(path).\(UInt64.random(in: 0 ... .max))"
        do {
            try Fixture.makeFolders(folder)
            do {
                let file = try File(temporary, for: .create)
                try file.write(bytes.span)
            }
            try FileSystem.move(temporary, to: path)
        } catch {
            try? FileSystem.remove(temporary)
            throw RecordedError("the fixture cannot be written: \(error)")
        }
    }

    private static func makeFolders(_ path: String) throws(FileError) {
        if (try? FileSystem.names(in: path)) != nil { return }
        let parent = FileSystem.folder(of: path)
        if parent != path { try makeFolders(parent) }
        try FileSystem.makeFolder(path)
    }

    private func text(_ exchanges: [Exchange]) -> [UInt8] {
        switch format {
        // Of no lines nobody knows whether some were cut off; readers tell formats by what is there.
        case .ndjson where !exchanges.isEmpty:
            var writer = NDJSONWriter()
            for exchange in exchanges { exchange.sealed.map { writer.write($0) } }
            return Array(copying: writer.bytes)
        case .har, .ndjson:
            var writer = HARWriter()
            writer.begin(version: Fixture.creator)
            for exchange in exchanges { exchange.sealed.map { writer.write($0) } }
            writer.end()
            return Array(copying: writer.bytes)
        }
    }

    /// Looks for secrets in what is about to be written.
    ///
    /// **Throws**: `RecordedError` with the places of those that are there.
    private func check(_ bytes: [UInt8], for secrets: Set<[UInt8]>) throws(RecordedError) {
        var places: [String] = []
        let values = secrets.compactMap { LeakValue($0, name: "a masked value") }
        do {
            let scan = try LeakScan(for: values, detectors: nil) { event in
                guard case .leak(let leak) = event else { return }
                let line = leak.place.line.map { "line \($0): " } ?? ""
                let codings = leak.codings.map { ", in \($0)" }.joined()
                places.append("\n  \(line)\(leak.place.path ?? "")\(codings)")
            }
            scan.scan(bytes.span, named: path)
        } catch {
            places.append("\n  it cannot be searched: \(error)")
        }
        guard places.isEmpty else {
            throw RecordedError(
                "the fixture is not written: what is masked elsewhere in it could not be taken out "
                    + "of\(places.prefix(10).joined())\nname the place in 'stages', or 'allow' the "
                    + "value there where it is no secret"
            )
        }
    }
}
