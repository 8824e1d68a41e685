// SPDX-License-Identifier: MIT

import Synchronization
import TaplineCodings
import TaplineCrypto
import TaplineModel
import TaplinePlugin
import TaplineSQL
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineStore

private let secret = PlainEraser.secret

@Suite("Erasing values in a database")
struct ValueErasureTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    /// A body that is stored in the table, or in a file with `inlineBodyMax` 1000.
    private func body(_ size: Int) -> String {
        "{\"token\":\"\(secret)\",\"filler\":\"" + String(repeating: "x", count: size) + "\"}"
    }

    /// Exchanges with the secret everywhere; those with odd numbers have none.
    private func exchanges() throws -> [Exchange] {
        var exchanges = (0..<6).map { Exchange.example($0, body: "{\"n\":\($0)}") }
        exchanges[0].request.target = ByteString("/\(secret)/items?key=\(secret)")
        exchanges[0].request.authority = ByteString("\(secret).test")
        exchanges[0].request.fields.append(
            name: "Authorization".utf8.span,
            value: "Bearer \(secret)".utf8.span
        )
        exchanges[0].tags = ["key": secret, "team": "checkout"]
        exchanges[0].error = ExchangeError(code: "reset", message: "no \(secret)")
        exchanges[0].messages = [StreamMessage(direction: .up, bytes: Array("m \(secret)".utf8))]
        exchanges[0].response?.body = Body(Array(body(300).utf8))
        // The same body again, so that it is shared; a small one; and one in a file.
        exchanges[2].response?.body = Body(Array(body(300).utf8))
        exchanges[2].request.body = Body(Array("k=\(secret)".utf8))
        exchanges[4].response?.body = Body(Array(body(5000).utf8))
        exchanges[1].response?.body = Body(Array(String(repeating: "y", count: 4000).utf8))
        exchanges[3].response?.body = Body(Array(String(repeating: "z", count: 300).utf8))
        let coded = try ContentCoding.brotli.encode(Array(body(200).utf8).span)
        exchanges[4].request.body = Body(bytes: coded, size: coded.count, coding: "br")
        return exchanges
    }

    private func write(_ exchanges: [Exchange], compress: Bool = false) throws {
        try Written.databaseWithFiles(exchanges, at: path, compress: compress)
    }

    private func stored() throws -> [Exchange] {
        try Store(path).exchanges(order: .oldestFirst, limit: 100).exchanges.map(\.exchange)
    }

    private func erase(_ eraser: PlainEraser = PlainEraser()) throws -> ErasureReport {
        try StoreErasure(path, .values { eraser }).run()
    }

    @Test("leaves none in any file, and other exchanges as they are", arguments: [false, true])
    func everywhere(compress: Bool) throws {
        let exchanges = try exchanges()
        try write(exchanges, compress: compress)
        let report = try erase()
        #expect(try RawFiles.containing(secret, in: folder.path) == [])
        #expect(report.problems == 0)
        let places = report.places.map(\.place)
        for place in [
            "bodies.content", "body files", "exchanges.error_message", "exchanges.extra",
            "exchanges.fields", "exchanges.request_body", "exchanges.tags", "exchanges.target",
            "hosts.authority", "hosts.host", "paths.template",
        ] {
            #expect(places.contains(place), "\(place)")
        }
        let found = try stored()
        for number in [1, 3, 5] { #expect(found[number] == exchanges[number]) }
        #expect(found[0].request.target == "/[erased]/items?key=[erased]")
        #expect(found[0].tags == ["key": "[erased]", "team": "checkout"])
        #expect(found[0].messages.first?.bytes == Array("m [erased]".utf8))
        let clean = Array(body(300).replacing(secret, with: "[erased]").utf8)
        #expect(found[0].response?.body.bytes == clean)
        #expect(found[2].response?.body.bytes == clean)
        #expect(found[2].request.body.bytes == Array("k=[erased]".utf8))
        let large = Array(body(5000).replacing(secret, with: "[erased]").utf8)
        #expect(found[4].response?.body.bytes == large)
        let coded = found[4].request.body.bytes
        let decoded = try ContentCoding.brotli.decode(coded.span)
        #expect(decoded == Array(body(200).replacing(secret, with: "[erased]").utf8))
        #expect(found[4].request.body.coding == "br")
    }

    @Test("keeps shared bodies shared, and hashes and files consistent")
    func consistency() throws {
        try write(try exchanges())
        _ = try erase()
        let database = try SQLiteConnection(path: path)
        let users = try database.prepare(
            "SELECT count(DISTINCT response_body) FROM exchanges WHERE seq IN (1, 3)"
        )
        #expect(try users.step())
        #expect(users.integer(0) == 1)
        let bodies = try database.prepare("SELECT hash, size, content FROM bodies")
        var files = 0
        while try bodies.step() {
            let hash = bodies.withBlob(0) { Digest($0) }
            let digest = try #require(hash)
            let content =
                bodies.isNull(2)
                ? try TestFiles.bytes(of: "\(path)-bodies/\(digest.hex.prefix(2))/\(digest.hex)")
                : bodies.blob(2)
            if bodies.isNull(2) { files += 1 }
            #expect(content.count == Int(bodies.integer(1)))
            #expect(SHA256.hash(content.span) == digest)
        }
        let stored = try RawFiles.all(in: path + "-bodies")
        #expect(stored.count == files)
        #expect(try database.text("PRAGMA integrity_check") == "ok")
        // The sink still finds the bodies, and stores none twice.
        var again = Exchange.example(9)
        again.response?.body = Body(Array(body(5000).replacing(secret, with: "[erased]").utf8))
        try write([again])
        #expect(try RawFiles.all(in: path + "-bodies").count == files)
    }

    @Test("updates the index of bodies, which the sink searches")
    func index() throws {
        try Written.databaseWithFiles(try exchanges(), at: path, mergesAtOnce: true)
        let database = try SQLiteConnection(path: path)
        let count = try database.integer("SELECT count(*) FROM body_index")
        try database.close()
        _ = try erase()
        let after = try SQLiteConnection(path: path)
        #expect(try after.integer("SELECT count(*) FROM body_index") == count)
        let keys = try after.prepare(
            "SELECT key, hash FROM body_index JOIN bodies ON bodies.id = body_index.body"
        )
        while try keys.step() {
            let hash = keys.withBlob(1) { Digest($0) }
            let digest = try #require(hash)
            #expect(keys.integer(0) == Int64(bitPattern: digest.word0))
        }
    }

    @Test("lets exchanges of names that become equal share one row")
    func names() throws {
        var exchanges = Exchange.examples(4)
        for (number, name) in ["aaaa1", "bbbb2", "aaaa1", "cccc3"].enumerated() {
            exchanges[number].request.authority = ByteString("\(name).test")
            exchanges[number].request.target = ByteString("/\(name)/x")
        }
        try write(exchanges)
        _ = try erase(PlainEraser(["aaaa1", "bbbb2"]))
        let found = try stored()
        #expect(found[..<3].allSatisfy { $0.request.authority == "[erased].test" })
        #expect(found[3] == exchanges[3])
        let database = try SQLiteConnection(path: path)
        #expect(try database.integer("SELECT count(*) FROM hosts") == 2)
        #expect(try database.integer("SELECT count(*) FROM paths") == 2)
    }

    @Test("changes keys and other columns of a row at once")
    func keys() throws {
        try write(try exchanges())
        let database = try SQLiteConnection(path: path)
        try database.execute(
            """
            CREATE TABLE pairs (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
            INSERT INTO pairs VALUES ('\(secret)', 'of \(secret)'), ('other', '1');
            """
        )
        try database.close()
        _ = try erase()
        #expect(try RawFiles.containing(secret, in: folder.path) == [])
        let after = try SQLiteConnection(path: path)
        let value = try after.text("SELECT value FROM pairs WHERE name = '[erased]'")
        #expect(value == "of [erased]")
        #expect(try after.integer("SELECT count(*) FROM pairs") == 2)
    }

    @Test("counts the same without changing anything")
    func preview() throws {
        try write(try exchanges())
        let before = try RawFiles.all(in: folder.path)
        let preview = try StoreErasure(path, .values { PlainEraser() }).preview()
        #expect(try RawFiles.all(in: folder.path)[path] == before[path])
        let report = try erase()
        #expect(preview.places.map(\.place) == report.places.map(\.place))
        #expect(preview.places.map(\.count) == report.places.map(\.count))
        #expect(try StoreErasure(path, .values { PlainEraser() }).preview().isEmpty)
    }

    @Test("is refused while another connection has the database open")
    func open() throws {
        let exchanges = try exchanges()
        let sink = try Written.open(path)
        _ = try sink.write(try exchanges.map(Written.seal))
        let error = #expect(throws: StoreError.self) { try erase() }
        #expect(error?.code == .locked)
        #expect(try stored() == exchanges)
        try sink.close()
        _ = try erase()
        #expect(try RawFiles.containing(secret, in: folder.path) == [])
    }

    @Test("is undone by a power failure in the middle of it")
    func powerFailure() throws {
        let exchanges = try exchanges()
        try write(exchanges)
        let crashed = try TemporaryFolder()
        let matches = Atomic<Int>(0)
        let (source, target) = (folder.path, crashed.path)
        let eraser = PlainEraser(onMatch: {
            let count = matches.add(1, ordering: .relaxed).newValue
            // After rows were changed, and before the end of the transaction.
            guard count == 9, let files = try? RawFiles.all(in: source) else { return }
            for (path, bytes) in files {
                let copy = target + path.dropFirst(source.count)
                let folder = FileSystem.folder(of: copy)
                try? FileSystem.makeFolder(FileSystem.folder(of: folder))
                try? FileSystem.makeFolder(folder)
                try? File(copy, for: .replace).write(bytes.span)
            }
        })
        _ = try erase(eraser)
        #expect(matches.load(ordering: .relaxed) >= 9)
        let left = try Store(crashed("traffic.db"))
        let found = try left.exchanges(order: .oldestFirst, limit: 100).exchanges.map(\.exchange)
        #expect(found == exchanges)
        #expect(left.problems == 0)
    }

    @Test("empties the log, and finds what only free pages have after a vacuum")
    func freePages() throws {
        try write(try exchanges())
        let database = try SQLiteConnection(path: path)
        try database.setPragma("secure_delete", 0)
        try database.execute("DELETE FROM exchanges; DELETE FROM bodies; DELETE FROM hosts")
        try database.execute(
            """
            DELETE FROM paths;
            CREATE TABLE large AS SELECT '\(secret)' || hex(zeroblob(50000)) AS text;
            DROP TABLE large;
            """
        )
        try database.close()
        let erasure = try StoreErasure(path, .values { PlainEraser() })
        let report = try erasure.run()
        #expect(report.isEmpty)
        #expect(report.freePages > 0)
        // The files of bodies without a row are gone.
        #expect(try RawFiles.containing(secret, in: folder.path) == [path])
        try erasure.vacuum()
        #expect(try RawFiles.containing(secret, in: folder.path) == [])
        #expect(try FileSystem.status(of: path + "-wal")?.size ?? 0 == 0)
    }

    @Test("builds full-text indexes of tables again, with their triggers")
    func searchIndex() throws {
        try write(try exchanges())
        let database = try SQLiteConnection(path: path)
        try database.execute(
            """
            CREATE VIRTUAL TABLE words USING fts5(fields, content='exchanges', content_rowid='seq');
            INSERT INTO words (words) VALUES ('rebuild');
            CREATE TRIGGER words_added AFTER INSERT ON exchanges BEGIN
              INSERT INTO words (rowid, fields) VALUES (new.seq, new.fields);
            END;
            CREATE TABLE words_of_others (text TEXT);
            INSERT INTO words_of_others VALUES ('\(secret)');
            """
        )
        try database.close()
        let report = try erase()
        #expect(report.droppedIndexes == [])
        #expect(try RawFiles.containing(secret, in: folder.path) == [])
        let after = try SQLiteConnection(path: path)
        let triggers = "SELECT count(*) FROM sqlite_schema WHERE name = 'words_added'"
        #expect(try after.integer(triggers) == 1)
        #expect(try after.integer("SELECT count(*) FROM words WHERE words MATCH 'erased'") == 1)
        #expect(try after.integer("SELECT count(*) FROM words WHERE words MATCH 'host'") == 6)
    }
}
