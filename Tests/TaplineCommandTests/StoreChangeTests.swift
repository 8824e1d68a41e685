// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineModel
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("tapline store prune, merge and split")
struct StoreChangeTests {
    @Test("prunes databases by number and age")
    func prune() async throws {
        let stores = try await ChangedStores(Exchange.examples(30))
        let dry = await tapline("store", "prune", stores.database, "--count", "10")
        #expect(dry.code == .success, "\(dry.errors)")
        #expect(dry.errors.contains("20 exchanges would be removed, 10 left\n"))
        #expect(dry.errors.contains("nothing was changed; '--yes' removes these exchanges"))
        #expect(try stores.exchanges(stores.database).count == 30)
        let none = await tapline("store", "prune", stores.database, "--count", "30")
        #expect(none.errors == "\(stores.database): 0 exchanges would be removed, 30 left\n")
        let small = await tapline("store", "prune", stores.database, "--bytes", "1KiB")
        #expect(small.errors.contains("about 30 exchanges would be removed, about 0 left"))
        let outcome = await tapline("store", "prune", stores.database, "--count", "10", "--yes")
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.errors.contains("20 exchanges removed, 10 left"))
        #expect(try stores.exchanges(stores.database).map(\.id) == ids(20..<30))
        #expect(await tapline("store", "prune", stores.database).code == .usage)
        #expect(await tapline("store", "prune", stores.database, "--bytes", "1").code == .usage)
        #expect(await tapline("store", "prune", stores.recording, "--count", "1").code == .failure)
        #expect(await tapline("store", "prune", stores.database, "--out", "x").code == .usage)
        let missing = await tapline("store", "prune", stores.folder("none.db"), "--count", "1")
        #expect(missing.code == .usage)
        #expect(missing.errors.contains("there is no store"))
        #expect(await tapline("store", "grow", stores.database).code == .usage)
    }

    private func ids(_ numbers: Range<Int>) -> [ExchangeID] {
        numbers.map { Exchange.example($0).id }
    }

    @Test("merges stores of any kind, and keeps duplicates once")
    func merge() async throws {
        let first = try await ChangedStores(Exchange.examples(20))
        let second = try await ChangedStores((10..<40).map { Exchange.example($0) })
        for (number, name) in ["all.db", "all.ndjson.zst"].enumerated() {
            let output = first.folder(name)
            let inputs = number == 0 ? [second.database] : [second.recording, second.database]
            let outcome = await tapline(
                words: ["store", "merge", first.database] + inputs + ["--out", output]
            )
            #expect(outcome.code == .success, "\(outcome.errors)")
            #expect(outcome.errors.contains("40 exchanges written to \(output)"))
            #expect(outcome.errors.contains("\(number == 0 ? 10 : 40) duplicates by id left out"))
            let found = try first.exchanges(output).map(\.compared)
            #expect(found == Exchange.examples(40).map(\.compared))
        }
        let again = await tapline(
            "store",
            "merge",
            first.database,
            "--out",
            first.folder("all.db")
        )
        #expect(again.code == .usage)
    }

    @Test("merges notes, tags and saved filters of all copies")
    func annotations() async throws {
        let first = try await ChangedStores(Exchange.examples(4))
        let second = try await ChangedStores(Exchange.examples(4))
        for (path, note) in [(first.database, "one"), (second.database, "two")] {
            #expect(await tapline("note", path, "path == \"/items/2\"", note).code == .success)
            let save = await tapline("query", path, "--save", note, "status == 200")
            #expect(save.code == .success, "\(save.errors)")
        }
        #expect(await tapline("tag", second.database, "first", "reviewed=b").code == .success)
        let output = first.folder("all.db")
        let outcome = await tapline(
            "store",
            "merge",
            first.database,
            second.database,
            "--out",
            output
        )
        #expect(outcome.code == .success, "\(outcome.errors)")
        let found = try first.exchanges(output)
        #expect(found.count == 4)
        #expect(found[2].extra?.notes.map(\.text) == ["one", "two"])
        #expect(found[0].tags["reviewed"] == "b")
        #expect(await tapline("query", output, "@two", "--count").output == "4\n")
    }

    @Test("keeps one star, one colour and one value of a tag, and reports the others")
    func conflicts() async throws {
        let first = try await ChangedStores(Exchange.examples(4))
        var later = Exchange.examples(4)
        for number in later.indices {
            let start = later[number].started.microseconds
            later[number].started = Timestamp(microseconds: start + 60_000_000)
        }
        for copies in [Exchange.examples(4), later] {
            let second = try await ChangedStores(copies)
            let stores = [first.database, second.database]
            for (path, words) in zip(stores, [["red", "a"], ["blue", "b"]]) {
                let filter = "path == \"/items/1\""
                for mark in ["star", words[0]] {
                    #expect(await tapline("mark", path, filter, mark).code == .success)
                }
                let tag = await tapline("tag", path, "path == \"/items/2\"", "team=\(words[1])")
                #expect(tag.code == .success, "\(tag.errors)")
                let same = await tapline("tag", path, "path == \"/items/3\"", "team=c")
                #expect(same.code == .success, "\(same.errors)")
            }
            let output = second.folder("all.db")
            let outcome = await tapline(words: ["store", "merge"] + stores + ["--out", output])
            #expect(outcome.code == .success, "\(outcome.errors)")
            #expect(
                outcome.errors.contains(
                    "the colours or tags of 2 exchanges differ between copies; those of the first"
                ),
                "\(outcome.errors)"
            )
            let found = try first.exchanges(output)
            #expect(found[1].extra?.notes.map(\.mark) == ["star", "red"])
            #expect(found[2].tags["team"] == "a")
            #expect(found[3].tags["team"] == "c")
        }
    }

    @Test("merges notes and tags of copies that began at another time")
    func lateAnnotations() async throws {
        let first = try await ChangedStores(Exchange.examples(4))
        var later = Exchange.example(1)
        later.started = Timestamp(microseconds: later.started.microseconds + 60_000_000)
        later.tags["reviewed"] = "b"
        let second = try await ChangedStores([later])
        let inputs = [first.database, second.database]
        for (path, note) in zip(inputs, ["one", "two"]) {
            #expect(await tapline("note", path, "path == \"/items/1\"", note).code == .success)
        }
        let output = first.folder("all.db")
        let outcome = await tapline(words: ["store", "merge"] + inputs + ["--out", output])
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.errors.contains("1 duplicate by id left out"))
        let found = try first.exchanges(output)
        #expect(found.count == 4)
        #expect(found[1].extra?.notes.map(\.text) == ["one", "two"])
        #expect(found[1].tags["reviewed"] == "b")
        let recording = first.folder("all.ndjson")
        let other = await tapline(words: ["store", "merge"] + inputs + ["--out", recording])
        #expect(other.code == .success, "\(other.errors)")
        #expect(other.errors.contains("the notes and tags of 1 duplicate that began at another"))
    }

    @Test("splits a database into databases with its saved filters")
    func splitFilters() async throws {
        let stores = try await ChangedStores(Exchange.examples(3))
        let save = await tapline("query", stores.database, "--save", "all", "status == 200")
        #expect(save.code == .success, "\(save.errors)")
        let folder = stores.folder("days")
        let words = ["store", "split", stores.database, "--every", "1d", "--out", folder]
        let outcome = await tapline(words: words)
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(await tapline("query", folder, "@all", "--count").output == "3\n")
    }

    @Test("splits a store by the start of its exchanges")
    func split() async throws {
        let day: Int64 = 86_400_000_000
        let exchanges = (0..<60).map { number in
            var exchange = Exchange.example(number)
            // Twenty days, in an order that goes back and forth.
            let moment = exchange.started.microseconds + Int64(number * 7 % 20) * day
            exchange.started = Timestamp(microseconds: moment)
            return exchange
        }
        let stores = try await ChangedStores(exchanges)
        for (path, suffix) in [(stores.database, ".db"), (stores.recording, ".ndjson.gz")] {
            let folder = stores.folder("days\(suffix)")
            let outcome = await tapline("store", "split", path, "--every", "1d", "--out", folder)
            #expect(outcome.code == .success, "\(outcome.errors)")
            let names = try FileSystem.names(in: folder).sorted()
            #expect(names.count == 20)
            #expect(names.allSatisfy { $0.hasPrefix("traffic-2026-") && $0.hasSuffix(suffix) })
            var found: [Exchange] = []
            for name in names {
                let part = try stores.exchanges("\(folder)/\(name)")
                #expect(part.count == 3)
                #expect(Set(part.map { $0.started.microseconds / day }).count == 1)
                found += part
            }
            let sorted = found.sorted { $0.id < $1.id }
            #expect(sorted.map(\.compared) == exchanges.map(\.compared))
        }
        let hours = await tapline("store", "split", stores.database, "--every", "1h")
        #expect(hours.code == .success)
        #expect(hours.errors.contains("Z.db"))
        #expect(await tapline("store", "split", stores.database).code == .usage)
    }
}
