// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineLeaks
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// A file with the recordings of a test.
struct Fixture: Sendable {
    private static let chunkSize = 256 << 10
    /// The program version in a HAR file; it is constant, so that a new version changes no fixture.
    private static let creator = "1"

    let path: String
    let format: RecordedOptions.Format
    /// The query items that a replay ignores.
    private let ignored: Set<String>

    /// Creates the fixture with a name in the folder of a source file.
    init(_ name: String, besides source: String, _ options: RecordedOptions) {
        let folder =
            options.folder.hasPrefix("/")
            ? options.folder : "\(FileSystem.folder(of: source))/\(options.folder)"
        path = "\(folder)/\(name).\(options.format.rawValue)"
        format = options.format
        ignored = options.matching.ignoredQueryItems
    }

    /// Whether the file exists.
    var exists: Bool { (try? File(path, for: .read)) != nil }

    /// Reads the recordings.
    ///
    /// **Throws**: `RecordedError`, with the place of the mistake.
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
            throw RecordedError("\(error)\n\(CassettePlayer.help)")
        }
        return exchanges
    }

    /// Replaces the recordings; other programs see the old file or the new one.
    ///
    /// If the contents are equal, the existing file is kept, byte for byte.
    ///
    /// - Parameters:
    ///   - exchanges: The recordings.
    ///   - secrets: Values that the file must not contain in any encoding.
    /// - Throws: `RecordedError` if it cannot be written, or if a secret is left in it.
    func write(
        _ exchanges: [Exchange],
        without secrets: Set<[UInt8]> = []
    ) throws(RecordedError) {
        let former = (try? read()) ?? []
        let merged = RecordedMerge.merge(
            exchanges.map(\.timeless),
            into: former,
            ignoringQueryItems: ignored
        )
        let bytes = text(merged)
        try check(bytes, for: secrets)
        let folder = FileSystem.folder(of: path)
        let temporary = "\(path).\(UInt64.random(in: 0 ... .max))"
        do {
            try Fixture.makeFolders(folder)
            do {
                let file = try File(temporary, for: .createShared)
                try file.write(bytes.span)
            }
            try FileSystem.move(temporary, to: path)
        } catch {
            try? FileSystem.remove(temporary)
            throw RecordedError("the fixture cannot be written: \(error)")
        }
    }

    /// Creates a folder and its missing parents, with the permissions of other source files.
    private static func makeFolders(_ path: String) throws(FileError) {
        if (try? FileSystem.names(in: path)) != nil { return }
        let parent = FileSystem.folder(of: path)
        if parent != path { try makeFolders(parent) }
        try FileSystem.makeSharedFolder(path)
    }

    private func text(_ exchanges: [Exchange]) -> [UInt8] {
        switch format {
        case .ndjson:
            var writer = NDJSONWriter()
            for exchange in exchanges { exchange.sealed.map { writer.write($0) } }
            return Array(copying: writer.bytes)
        case .har:
            var writer = HARWriter()
            writer.begin(version: Fixture.creator)
            for exchange in exchanges { exchange.sealed.map { writer.write($0) } }
            writer.end()
            return Array(copying: writer.bytes)
        }
    }

    /// Searches the bytes of the file for secrets.
    ///
    /// **Throws**: `RecordedError` with the places of the secrets found.
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
                "the fixture is not written: a value that is masked elsewhere in it could not be "
                    + "removed from\(places.prefix(10).joined())\n"
                    + "name the place in 'stages', or 'allow' the value there if it is not a secret"
            )
        }
    }
}
