// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineCommandLine
import TaplineJSON
import TaplineModel
import TaplineSQL
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand

private let secret = ChangedStores.secret

@Suite("tapline erase")
struct EraseCommandTests {
    private func base64(_ text: String) -> String {
        var output: [UInt8] = []
        Base64.encode(text.utf8.span, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Forty exchanges; six of them have the secret in some form.
    private func exchanges() throws -> [Exchange] {
        var exchanges = Exchange.examples(40)
        let percent = secret.utf8.map { "%" + String($0, radix: 16) }.joined()
        let filler = String(repeating: "filler ", count: 60)
        exchanges[3].request.target = ByteString("/items?key=\(percent)&page=2")
        for offset in 0..<3 {
            let text = String(repeating: "a", count: offset) + secret + " and more"
            exchanges[10 + offset].request.fields.append(
                name: "X-Data".utf8.span,
                value: base64(text).utf8.span
            )
        }
        let gzip = try ContentCoding.gzip.encode((filler + secret + filler).utf8.span)
        exchanges[20].response?.body = Body(bytes: gzip, size: gzip.count, coding: "gzip")
        let large = String(repeating: filler, count: 20) + "\"\(secret)\""
        exchanges[30].response?.body = Body(Array(large.utf8))
        return exchanges
    }

    private let changed = [3, 10, 11, 12, 20, 30]

    @Test("counts, erases in all forms, and finds nothing afterwards")
    func values() async throws {
        let exchanges = try exchanges()
        let stores = try await ChangedStores(
            exchanges,
            sqlite: ", compress: true, inline_body_max: 1KiB"
        )
        let values = try stores.folder.write("\(secret)\n", to: "values.txt")
        for path in [stores.database, stores.recording] {
            let count = await tapline("erase", path, "--value-file", values)
            #expect(count.code == .success, "\(count.errors)")
            #expect(!count.output.contains(secret))
            #expect(!count.errors.contains(secret))
            #expect(count.errors.contains("nothing was changed; '--yes' erases this"))
            #expect(await tapline("leaks", path, "--value-file", values).code == .leaks)
            let erased = await tapline("erase", path, "--value-file", values, "--yes")
            #expect(erased.code == .success, "\(erased.errors)")
            #expect(erased.output == count.output)
            #expect(erased.errors.contains("erased; nothing found in"))
            let leaks = await tapline(
                "leaks",
                path,
                "--value-file",
                values,
                "--detectors",
                "off"
            )
            #expect(leaks.code == .success, "\(leaks.output)\(leaks.errors)")
            let found = try stores.exchanges(path)
            for number in 0..<40 where !changed.contains(number) {
                #expect(found[number].compared == exchanges[number].compared)
            }
            let coded = try #require(found[20].response).body.bytes
            let gzip = try ContentCoding.gzip.decode(coded.span)
            #expect(String(decoding: gzip, as: UTF8.self).contains("filler [erased]filler"))
            #expect("\(found[3].request.target)".hasSuffix("&page=2"))
        }
        #expect(try stores.files(containing: secret) == ["values.txt"])
    }

    @Test("says what to do with a truncated recording, and the advice works")
    func cutOff() async throws {
        let stores = try await ChangedStores(try exchanges())
        let whole = try TestFiles.bytes(of: stores.recording)
        let cut = try stores.folder.write(Array(whole.dropLast(9)), to: "cut.ndjson.gz")
        let values = try stores.folder.write("\(secret)\n", to: "values.txt")
        let words = ["--value-file", values, "--yes"]
        let refused = await tapline(words: ["erase", cut] + words)
        #expect(refused.code == .failure)
        #expect(refused.errors.contains("cut off"), "\(refused.errors)")
        #expect(refused.errors.contains("'tapline convert' copies what can be read of it"))
        let copy = stores.folder("copy.ndjson.gz")
        _ = await tapline("convert", cut, copy)
        let erased = await tapline(words: ["erase", copy] + words)
        #expect(erased.code == .success, "\(erased.errors)")
        #expect(try stores.exchanges(copy).count >= 39)
    }

    @Test("warns if names become equal, and names the places")
    func equalNames() async throws {
        var exchanges = Exchange.examples(2)
        exchanges[0].tags = ["first-name": "1", "other-name": "2"]
        let stores = try await ChangedStores(exchanges)
        let values = try stores.folder.write("first-name\nother-name\n", to: "values.txt")
        for (path, place) in [(stores.recording, "lines"), (stores.database, "exchanges.tags")] {
            let outcome = await tapline("erase", path, "--value-file", values, "--yes")
            #expect(outcome.code == .success, "\(outcome.errors)")
            #expect(outcome.errors.contains("names become equal in \(place) (1); of tags"))
        }
    }

    @Test("removes exchanges, also from several stores")
    func filter() async throws {
        let exchanges = (0..<20).map { Exchange.example($0, status: $0 % 5 == 0 ? 500 : 200) }
        let stores = try await ChangedStores(exchanges)
        let words = ["erase", stores.database, stores.recording, "status >= 500"]
        let count = await tapline(words: words)
        #expect(count.code == .success)
        #expect(
            count.output
                == "\(stores.database): 4 exchanges\n\(stores.recording): 4 exchanges\n"
        )
        #expect(try stores.exchanges(stores.database).count == 20)
        let erased = await tapline(words: words + ["--yes"])
        #expect(erased.code == .success, "\(erased.errors)")
        for path in [stores.database, stores.recording] {
            let left = exchanges.filter { $0.response?.status != 500 }
            #expect(try stores.exchanges(path).map(\.compared) == left.map(\.compared))
        }
    }

    @Test("goes on after a store that it cannot change, and fails")
    func others() async throws {
        let folder = try TemporaryFolder()
        let line = #"{"v":1,"request":{"method":"GET","url":"http://a.test/?\#(secret)"}}"#
        _ = try folder.write(#"{"log":{"entries":[]}}"#, to: "a.har")
        let last = try folder.write(line + "\n", to: "b.ndjson")
        // Editors of Windows write a byte order mark.
        let values = try folder.write("\u{FEFF}\(secret)\n", to: "values.txt")
        let paths = [folder("a.har"), last]
        let outcome = await tapline(
            words: ["erase"] + paths + ["--value-file", values, "--yes"]
        )
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("a.har"))
        #expect(try !folder.read("b.ndjson").contains(secret))
    }

    @Test("needs something to erase, and files that it can change")
    func usage() async throws {
        let stores = try await ChangedStores(Exchange.examples(2))
        let values = try stores.folder.write("\(secret)\n", to: "values.txt")
        let path = stores.database
        for (words, message) in [
            ([path], "there is nothing to erase"),
            ([path, "status == 200", "--value-file", values], "a filter and values are given"),
            (["-", "--value-file", values], "'-' cannot be changed"),
            ([path, "--value-env", "NOT_SET"], "'NOT_SET' is not set"),
            ([path, "status ==="], "tapline: error: filter"),
        ] {
            let outcome = await tapline(words: ["erase"] + words)
            #expect(outcome.code == .usage, "\(words): \(outcome.errors)")
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
        let open = try SQLiteConnection(path: path)
        _ = try open.integer("SELECT count(*) FROM exchanges")
        let refused = await tapline("erase", path, "status == 200", "--yes")
        #expect(refused.code == .failure)
        #expect(refused.errors.contains("is open in another process"))
        try open.close()
        #expect(try stores.exchanges(path).count == 2)
    }
}
