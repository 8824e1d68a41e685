// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineConfig
import TaplineModel
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("The output of tapline query")
struct QueryFormatTests {
    let folder: TemporaryFolder
    let database: String
    let recording: String

    /// The same twelve exchanges in a database and in a recording; each takes longer than the one
    /// before, except that the fourth has no time.
    init() async throws {
        let exchanges = (0..<12).map { number in
            var exchange = Exchange.example(number, status: number % 5 == 0 ? 500 : 200)
            exchange.timing.total = number == 3 ? nil : Microseconds(Int64(number + 1) * 1500)
            if number == 4 { exchange.request.fields.append(name: "X-Team", value: "=1+2, \"a\"") }
            return exchange
        }
        let stored = try await StoredTraffic(exchanges)
        (folder, database, recording) = (stored.folder, stored.database, stored.recording)
    }

    /// The output, which is the same for the database and the recording.
    private func output(_ words: String...) async -> String {
        var outputs: [String] = []
        for store in [database, recording] {
            let outcome = await tapline(words: ["query", store] + words)
            #expect(outcome.code == .success, "\(outcome.errors)")
            outputs.append(outcome.output)
        }
        #expect(outputs[0] == outputs[1])
        return outputs[0]
    }

    private func lines(_ output: String) -> [String] {
        output.split(whereSeparator: \.isNewline).map(String.init)
    }

    // MARK: Order

    @Test("is sorted by a field, in both directions, page after page")
    func sorted() async {
        let slowest = lines(await output("--sort", "-duration", "--format=ids", "--limit=3"))
        #expect(slowest == ids([11, 10, 9]))
        let next = lines(
            await output("--sort=-duration", "--format=ids", "--after", slowest[2], "--limit=9")
        )
        #expect(next == ids([8, 7, 6, 5, 4, 2, 1, 0, 3]))
        let fastest = lines(await output("--sort", "duration", "--format=ids"))
        #expect(fastest == ids([0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 3]))
        let reversed = lines(await output("--sort=duration", "--reverse", "--format=ids"))
        #expect(reversed == ids([11, 10, 9, 8, 7, 6, 5, 4, 2, 1, 0, 3]))
        let both = lines(await output("--sort=-status", "--format=ids", "status >= 500"))
        #expect(both == ids([10, 5, 0]))
    }

    // MARK: Formats

    @Test("has columns that fit their fields")
    func table() async {
        let found = lines(
            await output("--columns", "method, status,duration,path", "--limit=2", "--oldest")
        )
        #expect(
            found == [
                "method    status  duration  path",
                "GET          500    1.5 ms  /items/0", "GET          200    3.0 ms  /items/1",
            ]
        )
        let absent = lines(await output("--columns=duration,id", "not duration exists"))
        #expect(absent.count == 2)
        #expect(absent[1] == "       -  \(ids([3])[0])")
    }

    @Test("is CSV without formulas")
    func csv() async {
        let found = lines(
            await output(
                "--format=csv",
                "--columns",
                #"path,duration,request.header["x-team"]"#,
                "--oldest",
                "--limit=5"
            )
        )
        #expect(found[0] == #"path,duration_ms,"request.header[""x-team""]""#)
        #expect(found[1] == "/items/0,1.500,")
        #expect(found[4] == "/items/3,,")
        #expect(found[5] == #"/items/4,7.500,"'=1+2, ""a""""#)
        let usual = lines(await output("--format=csv", "status == 404"))
        #expect(usual.count == 1)
        #expect(usual[0].hasPrefix("id,started,duration_ms,state,method,url,status,"))
    }

    @Test("is one JSON array, or one object on each line")
    func json() async {
        for store in [database, recording] {
            let records = await tapline("query", store, "--format=ndjson", "--limit=3").output
            let all = await tapline("query", store, "--format=json", "--limit=3").output
            #expect(lines(records).count == 3)
            #expect(all == "[\n\(lines(records).joined(separator: ",\n"))\n]\n")
        }
        #expect(await output("--format=json", "status == 404") == "[]\n")
        #expect(
            await output("--format=json", "--columns=status,path", "--limit=2") == """
                [
                {"status":200,"path":"/items/11"},
                {"status":500,"path":"/items/10"}
                ]

                """
        )
        #expect(
            await output("--format=ndjson", "--columns=duration,port", "--oldest", "--limit=1")
                == "{\"duration_ms\":1.5,\"port\":80}\n"
        )
    }

    @Test("is HAR that can be queried again, also without exchanges")
    func har() async throws {
        for store in [database, recording] {
            let archive = await tapline("query", store, "--format=har", "--oldest")
            #expect(archive.code == .success)
            try folder.write(archive.output, to: "copy.har")
            let again = await tapline("query", folder("copy.har"), "--format=ids", "--oldest")
            #expect(lines(again.output) == ids(Array(0..<12)))
        }
        try folder.write(await output("--format=har", "status == 404"), to: "empty.har")
        let empty = await tapline("query", folder("empty.har"), "--count")
        #expect(empty.output == "0\n", "\(empty.errors)")
    }

    @Test("is URLs, one on each line")
    func urls() async {
        let found = lines(await output("--format=urls", "--oldest", "--limit=2"))
        #expect(found == ["http://shop.test/items/0", "http://shop.test/items/1"])
    }

    @Test("fits a terminal")
    func terminal() async {
        for width in [40, 60, 100] {
            let text = await taplineOnTerminal(
                "query",
                database,
                "--columns=method,status,url,server",
                "--no-pager",
                width: width,
                environment: ["NO_COLOR": "1"]
            )
            #expect(lines(text).count == 13)
            #expect(lines(text).allSatisfy { $0.count <= width }, "\(text)")
        }
    }

    // MARK: Explanations and wrong arguments

    @Test("explains what an index, a scan and memory do")
    func explained() async {
        let outcome = await tapline(
            "query",
            database,
            #"host == "shop.test" and path ~ "7$" and request.header["x"] == "planted""#,
            "--explain"
        )
        #expect(outcome.code == .success)
        #expect(lines(outcome.output).first == database)
        #expect(outcome.output.contains("exchanges_by_host"), "\(outcome.output)")
        #expect(outcome.output.contains("'shop.test'"))
        #expect(outcome.output.contains(#"path ~ "7$""#))
        #expect(!outcome.output.contains("planted"))
        let count = await tapline("query", recording, "--count", "--explain")
        #expect(count.output.contains("the whole recording"))
    }

    @Test(
        "rejects options that contradict each other",
        arguments: [
            ("--sort=sttus", "wrong value of '--sort': unknown field 'sttus'"),
            ("--sort=status,path", "wrong value of '--sort'; found 2 fields, expected one"),
            ("--reverse", "'--reverse' needs '--sort'"),
            ("--columns=any", "wrong value of '--columns': 'any' is no value of an exchange"),
            ("--sort=status --oldest", "'--sort' determines the order and excludes '--oldest'"),
            ("--follow --sort=status", "'--follow' shows exchanges as they are written"),
            ("--follow --format=har", "'--follow' has no end, which '--format har' needs"),
            ("--columns=status --format=urls", "'--format urls' has no columns to choose"),
            ("--count --follow", "'--count' counts all matches and excludes '--follow'"),
        ]
    )
    func wrong(options: String, message: String) async {
        let words = ["query", database] + options.split(separator: " ").map(String.init)
        let outcome = await tapline(words: words)
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
}
