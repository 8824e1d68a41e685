// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineModel
import TaplineSQL
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand

private let secret = ChangedStores.secret

@Suite("tapline reprocess")
struct ReprocessCommandTests {
    /// Exchanges with a secret in a field and in a body in a file.
    private func exchanges() -> [Exchange] {
        var exchanges = Exchange.examples(12)
        exchanges[2].request.fields.append(
            name: "Authorization".utf8.span,
            value: "Bearer \(secret)".utf8.span
        )
        let filler = String(repeating: "y", count: 3000)
        let large = "{\"password\":\"\(secret)\",\"x\":\"\(filler)\"}"
        exchanges[4].response?.body = Body(Array(large.utf8))
        exchanges[6].tags["team"] = "old"
        return exchanges
    }

    private let config = """
        version: 1
        sources: [{ replay: { path: none.ndjson } }]
        stages:
          - lua:
              code: |
                function record(ex)
                  if ex.request.path == "/items/9" then return drop("not wanted") end
                  if ex.tags.team then ex.tags.team = "new" else ex.tags.seen = "yes" end
                end
          - redact: { preset: standard }
        sinks: [stdout]
        """

    private let failing = """
        version: 1
        sources: [{ replay: { path: none.ndjson } }]
        stages:
          - lua:
              code: |
                function record(ex)
                  if ex.request.path == "/items/5" then error("no") end
                  ex.tags.seen = "yes"
                end
        sinks: [stdout]
        """

    @Test("writes a new store with the same ids, and says what changed")
    func output() async throws {
        let stores = try await ChangedStores(exchanges(), sqlite: ", inline_body_max: 1KiB")
        let file = try stores.folder.write(config, to: "new.yaml")
        for (input, name) in [
            (stores.database, "safe.db"), (stores.recording, "safe.db2.sqlite"),
            (stores.database, "safe.ndjson.gz"),
        ] {
            let output = stores.folder(name)
            let outcome = await tapline("reprocess", input, "--config", file, "--out", output)
            #expect(outcome.code == .success, "\(outcome.errors)")
            #expect(outcome.errors.contains("11 exchanges written to \(output)"))
            #expect(outcome.errors.contains("1 exchange dropped by 'lua'"))
            #expect(outcome.errors.contains("  redact"))
            #expect(!outcome.errors.contains(secret))
            let found = try stores.exchanges(output)
            let ids = (0..<12).filter { $0 != 9 }.map { Exchange.example($0).id }
            #expect(found.map(\.id) == ids)
            #expect(found[6].tags["team"] == "new")
            #expect(found[5].tags["seen"] == "yes")
            #expect(try !stores.files(containing: secret).contains(name))
        }
        let again = await tapline(
            "reprocess",
            stores.database,
            "--config",
            file,
            "--out",
            stores.folder("safe.db")
        )
        #expect(again.code == .usage)
        #expect(try stores.files(containing: secret).contains("traffic.db"))
    }

    @Test("changes a database in place, and leaves nothing of the former content")
    func inPlace() async throws {
        let stores = try await ChangedStores(exchanges(), sqlite: ", inline_body_max: 1KiB")
        try FileSystem.remove(stores.recording)
        let file = try stores.folder.write(config, to: "new.yaml")
        let note = await tapline("note", stores.database, "path == \"/items/7\"", "look here")
        #expect(note.code == .success, "\(note.errors)")
        let words = ["reprocess", stores.database, "--config", file, "--in-place"]
        let outcome = await tapline(words: words)
        #expect(outcome.code == .success, "\(outcome.errors)")
        let found = try stores.exchanges(stores.database)
        #expect(found.count == 11)
        #expect(found[6].tags["team"] == "new")
        #expect(found[7].extra?.notes.map(\.text) == ["look here"])
        #expect(try stores.files(containing: secret) == [])
        #expect(try stores.names() == ["new.yaml", "traffic.db", "traffic.db-bodies"])
        let kept = await tapline(words: words + ["--keep-backup"])
        #expect(kept.code == .success, "\(kept.errors)")
        let former = try stores.exchanges(stores.folder("traffic.db.backup"))
        #expect(former.map(\.compared) == found.map(\.compared))
    }

    @Test("leaves a database as it is if a stage fails, and counts failures otherwise")
    func failures() async throws {
        let stores = try await ChangedStores(exchanges())
        let file = try stores.folder.write(failing, to: "new.yaml")
        let before = try stores.exchanges(stores.database)
        let inPlace = await tapline(
            "reprocess",
            stores.database,
            "--config",
            file,
            "--in-place"
        )
        #expect(inPlace.code == .failure)
        #expect(inPlace.errors.contains("was not changed; a stage failed for 1 exchange"))
        #expect(try stores.exchanges(stores.database) == before)
        #expect(try stores.names() == ["new.yaml", "traffic.db", "traffic.ndjson.gz"])
        let output = stores.folder("new.db")
        let outcome = await tapline(
            "reprocess",
            stores.database,
            "--config",
            file,
            "--out",
            output
        )
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("1 exchange left out"))
        #expect(try stores.exchanges(output).count == 11)
    }

    @Test("removes the backup if the database could not be changed")
    func refusedChange() async throws {
        let stores = try await ChangedStores(exchanges(), sqlite: ", inline_body_max: 1KiB")
        let file = try stores.folder.write(config, to: "new.yaml")
        let before = try stores.exchanges(stores.database)
        let database = try SQLiteConnection(path: stores.database)
        try database.execute(
            """
            CREATE TRIGGER refused BEFORE DELETE ON exchanges BEGIN
              SELECT RAISE(ABORT, 'not here');
            END
            """
        )
        try database.close()
        let words = ["reprocess", stores.database, "--config", file, "--in-place"]
        let outcome = await tapline(words: words)
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("not here"), "\(outcome.errors)")
        #expect(outcome.errors.contains("the exchanges of '\(stores.database)' were not changed"))
        #expect(try stores.exchanges(stores.database) == before)
        #expect(try !stores.names().contains { $0.contains("backup") || $0.contains("tmp") })
        let after = try SQLiteConnection(path: stores.database)
        try after.execute("DROP TRIGGER refused")
        try after.close()
        let again = await tapline(words: words)
        #expect(again.code == .success, "\(again.errors)")
    }

    @Test("does not process anything if there is a backup already")
    func backup() async throws {
        let stores = try await ChangedStores(exchanges())
        let file = try stores.folder.write(failing, to: "new.yaml")
        try stores.folder.write("former", to: "traffic.db.backup")
        let outcome = await tapline(
            "reprocess",
            stores.database,
            "--config",
            file,
            "--in-place"
        )
        #expect(outcome.code == .failure)
        let backup = stores.folder("traffic.db.backup")
        #expect(outcome.errors.contains("'\(backup)' of an earlier change exists already; move or"))
        // The stage, which fails, has not run.
        #expect(!outcome.errors.contains("a stage failed"))
        #expect(try stores.folder.read("traffic.db.backup") == "former")
    }

    @Test("needs a pipeline whose stages act on records")
    func usage() async throws {
        let stores = try await ChangedStores(Exchange.examples(1))
        let path = stores.database
        let broken = try stores.folder.write("version: 1\nstages: [redct]\n", to: "broken.yaml")
        let wire = try stores.folder.write(
            """
            version: 1
            sources: [{ replay: { path: a.har } }]
            stages: [{ lua: { code: "function request(ex) end" } }]
            sinks: [stdout]
            """,
            to: "wire.yaml"
        )
        #expect(await tapline("reprocess", path).code == .usage)
        #expect(await tapline("reprocess", path, "--config", broken).code == .usage)
        let wrong = await tapline("reprocess", path, "--config", broken, "--in-place")
        #expect(wrong.code == .configuration)
        #expect(wrong.errors.contains("redct"))
        let none = await tapline("reprocess", path, "--config", wire, "--in-place")
        #expect(none.code == .usage)
        #expect(none.errors.contains("no stage of"))
    }
}
