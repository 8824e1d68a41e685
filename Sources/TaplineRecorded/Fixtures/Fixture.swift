// SPDX-License-Identifier: MIT

internal import TaplineFiles
internal import TaplineFormats
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
        } catch {
            throw RecordedError("\(error)\n\(RecordedPool.help)")
        }
        return exchanges
    }

    /// Writes the recordings in the place of what is there; other programs see the old file or the
    /// new one.
    ///
    /// Where what is there says the same, it stays as it is, byte for byte.
    func write(_ exchanges: [Exchange]) throws(RecordedError) {
        let former = (try? read()) ?? []
        let merged = RecordedMerge.merge(exchanges.map(\.timeless), into: former)
        let folder = FileSystem.folder(of: path)
        let temporary = "\(path).\(UInt64.random(in: 0 ... .max))"
        do {
            try Fixture.makeFolders(folder)
            do {
                let file = try File(temporary, for: .create)
                try write(merged, to: file)
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

    private func write(_ exchanges: [Exchange], to file: borrowing File) throws(FileError) {
        switch format {
        case .har:
            var writer = HARWriter()
            writer.begin(version: Fixture.creator)
            for exchange in exchanges { exchange.sealed.map { writer.write($0) } }
            writer.end()
            try file.write(writer.bytes)
        case .ndjson:
            var writer = NDJSONWriter()
            for exchange in exchanges { exchange.sealed.map { writer.write($0) } }
            try file.write(writer.bytes)
        }
    }
}
