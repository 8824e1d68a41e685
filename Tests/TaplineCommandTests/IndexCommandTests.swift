// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("tapline index")
struct IndexCommandTests {
    private let stored: StoredTraffic
    private var database: String { stored.database }

    init() async throws {
        var exchanges = Exchange.examples(30)
        exchanges[7].request.target = "/needle?x=1"
        stored = try await StoredTraffic(exchanges)
    }

    private func index(_ words: String...) async -> Outcome {
        await tapline(words: ["index", database] + words)
    }

    private func query(_ words: String...) async -> Outcome {
        await tapline(words: ["query", database, #"any contains "needle""#] + words)
    }

    @Test("builds, shows and removes an index that queries use")
    func whole() async throws {
        let plain = await query("--format=urls")
        #expect(plain.output.hasSuffix("/needle?x=1\n"))
        var outcome = await index()
        #expect(outcome.code == .success && outcome.output == "\(database): there is no index\n")
        #expect(await !query("--explain").output.contains("full text"))

        outcome = await index("--bodies")
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("\(database): index of trigrams, "))
        #expect(outcome.output.hasSuffix(" in \(database)-index, covers all exchanges\n"))
        #expect(await index().output == outcome.output)
        let explained = await query("--explain").output
        let use = "full text (trigrams): 1 of its rows may match; 0 are newer"
        #expect(explained.contains(use), "\(explained)")
        #expect(await query("--format=urls").output == plain.output)
        #expect(await query("--count").output == "1\n")
        let filter = #"any contains "needle""#
        let stats = await tapline("stats", database, filter, "--by=path", "--format=csv")
        #expect(stats.output.contains("/needle,1,"), "\(stats.output)")

        outcome = await index("--bodies", "--words")
        #expect(outcome.output.contains("index of words, "))
        #expect(await query("--format=urls").output == plain.output)
        outcome = await index("--drop")
        #expect(outcome.output == "\(database): the index was removed\n")
        #expect(await index("--drop").output == "\(database): there is no index\n")
        #expect(await query("--format=urls").output == plain.output)
    }

    @Test(
        "rejects what it cannot do",
        arguments: [
            (["--words"], "'--words' needs '--bodies'", ExitCode.usage),
            (["--bodies", "--words", "--trigrams"], "exclude each other", .usage),
            (["--drop", "--bodies"], "'--drop' and '--bodies' exclude each other", .usage),
        ]
    )
    func usage(words: [String], message: String, code: ExitCode) async {
        let outcome = await tapline(words: ["index", database] + words)
        #expect(outcome.code == code)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("reports stores that have no index")
    func others() async {
        let recording = await tapline("index", stored.recording, "--bodies")
        #expect(recording.code == .failure)
        #expect(recording.errors.contains("is not a database of the sink 'sqlite'"))
        let missing = await tapline("index", stored.folder("none.db"), "--bodies")
        #expect(missing.code == .failure)
        #expect(missing.errors.contains("there is no file"))
    }
}
