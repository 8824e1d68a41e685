// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplinePlugin
import TaplineStore
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand

/// Stores that commands change.
struct ChangedStores {
    /// A value that no test text contains by chance.
    static let secret = "Tq7-vZ2+kL9/xB4"

    let folder: TemporaryFolder
    let database: String
    let recording: String

    /// Writes exchanges to a database and to a recording.
    init(_ exchanges: [Exchange], sqlite options: String = "") async throws {
        let stored = try await StoredTraffic(exchanges, sqlite: options)
        (folder, database) = (stored.folder, stored.database)
        recording = folder("traffic.ndjson.gz")
        let bytes = try folder.bytes("traffic.ndjson")
        try folder.write(try ContentCoding.gzip.encode(bytes.span), to: "traffic.ndjson.gz")
        try FileSystem.remove(stored.recording)
    }

    func exchanges(_ path: String) throws -> [Exchange] {
        try Store(path).exchanges(order: .oldestFirst, limit: 1000).exchanges.map(\.exchange)
    }

    /// The names of the files that contain a text, decompressed if they are gzip.
    func files(containing text: String) throws -> [String] {
        let part = Array(text.utf8)
        var found: [String] = []
        for path in try Self.paths(in: folder.path) {
            var bytes = try TestFiles.bytes(of: path)
            if bytes.starts(with: [0x1F, 0x8B]) {
                bytes = try ContentCoding.gzip.decode(bytes.span)
            }
            if bytes.span.contains(part.span, ignoringCase: false) {
                found.append(FileSystem.name(of: path))
            }
        }
        return found.sorted()
    }

    /// The names of the files next to the stores, without those that readers of SQLite make.
    func names() throws -> [String] {
        try FileSystem.names(in: folder.path).sorted()
            .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    }

    private static func paths(in folder: String) throws -> [String] {
        var paths: [String] = []
        for name in try FileSystem.names(in: folder) {
            let path = "\(folder)/\(name)"
            let isFolder = try FileSystem.status(of: path)?.kind == .folder
            paths += isFolder ? try Self.paths(in: path) : [path]
        }
        return paths
    }
}

extension Exchange {
    /// The parts that every format keeps, to be compared.
    var compared: String {
        let body = response.map { "\($0.status) \($0.body.bytes)" } ?? ""
        let fields = request.fields.indices.map { position in
            String(decoding: Array(copying: request.fields.value(at: position)), as: UTF8.self)
        }
        return "\(id) \(started) \(request.target) \(fields) \(body) \(tags)"
    }
}
