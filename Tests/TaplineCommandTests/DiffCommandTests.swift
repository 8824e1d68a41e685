// SPDX-License-Identifier: MIT

import TaplineDetectors
import TaplineJSON
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("tapline diff")
struct DiffCommandTests {
    let folder: TemporaryFolder
    /// The recording to compare with, as database and as NDJSON.
    let recorded: (database: String, recording: String)
    /// Another run of the same program.
    let same: String
    /// A run of a program with three faults.
    let broken: String

    init() async throws {
        let stored = try await StoredTraffic(Self.exchanges(run: 1))
        folder = stored.folder
        recorded = (stored.database, stored.recording)
        same = folder("same.db")
        broken = folder("broken.db")
        try await StoredTraffic.write(Self.exchanges(run: 2), toDatabase: same)
        var exchanges = Self.exchanges(run: 3)
        exchanges[2].response = Response(status: 500)
        exchanges[4].response?.body = Body(Array(Self.body(4, run: 3, price: "\"<b>\"").utf8))
        exchanges.remove(at: 6)
        try await StoredTraffic.write(exchanges, toDatabase: broken)
    }

    /// Eight orders, whose time and id differ in each run.
    private static func exchanges(run: Int) -> [Exchange] {
        (0..<8).map { number in
            var exchange = Exchange.example(number + 100 * run, body: body(number, run: run))
            exchange.request.target = ByteString("/orders?n=\(number)")
            if number == 7 { exchange.request.target = "/orders?n=6" }
            exchange.connection.client = "127.0.0.\(run):1000"
            return exchange
        }
    }

    private static func body(_ number: Int, run: Int, price: String = "5") -> String {
        "{\"id\":\"0193\(run)aa\(number)ff00\",\"at\":\"2026-11-2\(run)T0\(number):00:00Z\","
            + "\"price\":\(price)}"
    }

    private static let rules = """
        # What varies by itself, learnt by 'tapline diff': check it before you rely on it.
        # METHOD ROUTE varies|ignore|unordered|key NAME PATH  # reason: how often
        GET /orders varies $.at  # time: 9 of 9 pairs
        GET /orders varies $.id  # id: 9 of 9 pairs

        """

    @Test("compares gRPC messages by the names of their descriptors")
    func protobuf() async throws {
        let fixtures = "\(TestFiles.repository)/Tests/TaplineProtobufTests/Fixtures"
        func store(_ name: String, _ sku: UInt8) async throws -> String {
            var exchange = Exchange.example(0)
            exchange.request.target = "/shop.v1.Orders/Get"
            exchange.request.fields = ["Content-Type": "application/grpc"]
            exchange.response = Response(fields: ["Content-Type": "application/grpc"])
            exchange.messages = [
                StreamMessage(direction: .down, type: "grpc", bytes: [0x0A, 1, sku])
            ]
            try await StoredTraffic.write([exchange], toDatabase: folder(name))
            return folder(name)
        }
        let (left, right) = try await (store("l.db", 0x61), store("r.db", 0x62))
        let set = "--descriptors=\(fixtures)/shop.binpb"
        let named = await tapline("diff", left, right, set, "--preset=none")
        #expect(named.code == .failure && named.output.contains("messages[*].orderId"))
        let wrong = await tapline("diff", left, right, "--descriptors=\(left)")
        #expect(wrong.code == .usage && wrong.errors.contains("FileDescriptorSet"))
    }

    @Test("redacts gRPC messages by the names of the descriptors, even if they come from a pipe")
    func redactedProtobuf() async throws {
        func field(_ number: UInt8, _ text: String) -> [UInt8] {
            [number << 3 | 2, UInt8(text.utf8.count)] + Array(text.utf8)
        }
        func store(_ name: String, _ order: String, _ password: String) async throws -> String {
            var exchange = Exchange.example(0)
            exchange.request.target = "/shop.v1.Orders/Get"
            exchange.request.fields = ["Content-Type": "application/grpc"]
            exchange.response = Response(fields: ["Content-Type": "application/grpc"])
            let bytes = field(1, order) + field(8, password)
            exchange.messages = [StreamMessage(direction: .down, type: "grpc", bytes: bytes)]
            try await StoredTraffic.write([exchange], toDatabase: folder(name))
            return folder(name)
        }
        let left = try await store("left.db", "first order", "hunter2hunter2")
        let right = try await store("right.db", "second order", "swordfish99")
        let descriptors =
            "\(TestFiles.repository)/Tests/TaplineProtobufTests/Fixtures/shop.binpb"
        for preset in ["standard", "strict"] {
            let pipe = folder("\(preset).pipe")
            let (_, status) = try runShell(
                "mkfifo '\(pipe)' && exec >/dev/null 2>&1 && "
                    + "(timeout 60 sh -c 'cat \"\(descriptors)\" > \"\(pipe)\"' &)"
            )
            #expect(status == 0)
            let outcome = await tapline(
                "diff",
                left,
                right,
                "--descriptors=\(pipe)",
                "--preset=\(preset)"
            )
            let output = outcome.output
            #expect(outcome.code == .failure, "\(outcome.errors)")
            #expect(!output.contains("hunter2") && !output.contains("swordfish"))
            // 'strict' masks whole messages.
            let password = preset == "strict" ? "messages[0]" : "messages[0].password"
            #expect(
                output.contains(" \(password) (redacted) → (another redacted value)\n"),
                "\(output)"
            )
            let showsOrders = output.contains(
                "messages[0].orderId \"first order\" → \"second order\""
            )
            #expect(showsOrders == (preset == "standard"), "\(output)")
        }
    }

    @Test("learns what varies, and then finds only what is broken")
    func learnAndCompare() async throws {
        let file = folder("noise.txt")
        let learned = await tapline("diff", recorded.database, "--same", same, "--learn", file)
        #expect(learned.code == .success && learned.errors == "2 rules written to \(file)\n")
        #expect(try TestFiles.text(of: file) == Self.rules)

        let equal = await tapline("diff", recorded.database, same, "--noise", file)
        #expect(equal.code == .success, "\(equal.output)\(equal.errors)")
        #expect(equal.output == "8 pairs compared, no differences, 16 ignored by rules\n")

        let id = Exchange.example(302).id
        for store in [recorded.database, recorded.recording] {
            let found = await tapline("diff", store, broken, "--noise", file)
            #expect(found.code == .failure)
            #expect(
                found.output == """
                    GET /orders  2 of 7 pairs differ, 1 missing
                      $.price has another type, 1 time
                        \(Exchange.example(304).id) /orders?n=4  5 → "<b>"
                      status changed, 1 time
                        \(id) /orders?n=2  200 → 500
                      missing \(Exchange.example(107).id) /orders?n=6

                    7 pairs compared, 2 differ, 1 missing, in 1 route, 12 ignored by rules

                    """
            )
        }
    }

    @Test("learns from another run without a file, and succeeds up to a number of differences")
    func threshold() async {
        let two = await tapline(
            "diff",
            recorded.database,
            broken,
            "--same",
            same,
            "--max-differences",
            "2"
        )
        #expect(two.code == .failure, "\(two.errors)")
        let three = await tapline(
            "diff",
            recorded.database,
            broken,
            "--same",
            same,
            "--max-differences",
            "3"
        )
        #expect(three.code == .success, "\(three.errors)")
    }

    @Test("compares what a filter selects, without what is ignored")
    func filterAndIgnore() async {
        let words = ["diff", recorded.database, broken, "--filter", "query[\"n\"] == \"4\""]
        let found = await tapline(
            words: words + ["--ignore", "$.id", "--ignore", "GET /orders $.at"]
        )
        #expect(found.output.contains("1 pair compared, 1 differs, in 1 route, 2 ignored by rules"))
        let none = await tapline(words: words + ["--ignore", "$"])
        #expect(none.code == .success && none.output.hasPrefix("1 pair compared, no differences"))
        let nothing = await tapline("diff", recorded.database, broken, "--filter", "status == 1")
        #expect(nothing.code == .failure)
        #expect(nothing.errors == "tapline: error: there is nothing to compare\n")
    }

    @Test("writes JSON with the documented keys")
    func json() async throws {
        let outcome = await tapline(
            "diff",
            recorded.database,
            broken,
            "--same",
            same,
            "--format=json"
        )
        let bytes = Array(outcome.output.utf8)
        var parser = JSONParser()
        let root = try parser.parse(bytes.span).root
        #expect(root.member("pairs")?.asInt64 == 7 && root.member("missing")?.asInt64 == 1)
        guard var routes = root.member("routes")?.elements, let route = routes.next(),
            var parts = route.member("parts")?.elements, let part = parts.next(),
            var examples = part.member("examples")?.elements, let example = examples.next()
        else {
            Issue.record("no route, part or example: \(outcome.output)")
            return
        }
        #expect(route.member("route")?.asString == "/orders")
        #expect(part.member("path")?.asString == "$.price")
        #expect(part.member("kind")?.asString == "type")
        #expect(example.member("found")?.asString == "\"<b>\"")
        #expect(example.member("id")?.asString == Exchange.example(304).id.description)
    }

    @Test("writes JUnit that a parser reads")
    func junit() async throws {
        let file = folder("diff.xml")
        let outcome = await tapline(
            "diff",
            recorded.database,
            broken,
            "--same",
            same,
            "--format",
            "junit",
            "--out",
            file
        )
        #expect(outcome.code == .failure && outcome.output.isEmpty)
        let program = TestFiles.fixture("read_junit.py")
        let (output, status) = try runShell("python3 '\(program)' '\(file)'")
        #expect(status == 0)
        #expect(output.hasPrefix("GET /orders 2 of 7 pairs differ, 1 missing\n$.price has another"))
        #expect(output.contains("$.price: 5 → \"<b>\"\n"))
    }

    @Test("writes the page of shared files with the exchanges that differ, and the differences")
    func page() async throws {
        let file = folder("diff.html")
        // Values of 'strict' are stand-ins.
        let words = [
            "diff", recorded.database, broken, "--same", same, "--format", "html", "--preset",
            "standard",
        ]
        let outcome = await tapline(words: words + ["--out", file])
        #expect(outcome.errors.hasSuffix("12 ignored by rules; written to \(file)\n"))
        let text = try TestFiles.text(of: file)
        #expect(text.contains("<script type=\"application/octet-stream\" id=\"data\">"))
        let root = TestFiles.repository
        let fixture = "\(root)/Tests/TaplineCommandTests/Fixtures/shared.mjs"
        let page = "\(root)/Sources/Products/TaplineInspector/Page"
        let json = try await command("node", [fixture, page, file])
        for part in [
            #""pairs":2,"shown":2"#, #""counts":"2 of 7 pairs differ, 1 missing""#,
            #""path":"$.price","change":"has another type","count":1"#,
            #""recorded":"200","found":"500","a":"\#(Exchange.example(102).id)","#
                + #""b":"\#(Exchange.example(302).id)""#,
            #""tags":{"side":"traffic.db"}"#, #""tags":{"side":"broken.db"}"#,
        ] { #expect(json.contains(part), "\(part) in \(json)") }

        let again = await tapline(words: words + ["--out", file])
        #expect(again.code == .usage && again.errors.contains("--force replaces it"))
    }

    @Test("writes no page with a secret unless that is allowed, and redacts it strictly")
    func leakingPage() async throws {
        let key = "AKIA" + "Q3EGRIB7ZTHWMPL5"
        for (name, number) in [("e.db", 1), ("f.db", 2)] {
            let exchange = Exchange.example(1, body: "{\"note\":\"\(key)\",\"n\":\(number)}")
            try await StoredTraffic.write([exchange], toDatabase: folder(name))
        }
        let file = folder("leaks.html")
        func diff(_ words: String...) async -> Outcome {
            await tapline(
                words: ["diff", folder("e.db"), folder("f.db"), "--format", "html", "--out", file]
                    + words,
                plugins: .detectors
            )
        }
        let refused = await diff("--preset", "none")
        #expect(refused.code == .failure)
        #expect(refused.errors.contains("would be in the file; the report was not written"))
        #expect(!(refused.output + refused.errors).contains(key))
        #expect(try FileSystem.status(of: file) == nil)
        let allowed = await diff("--preset", "none", "--allow-leaks")
        #expect(allowed.errors.contains("written to \(file)"), "\(allowed.errors)")
        #expect(allowed.errors.contains("warning: the exchanges were not redacted"))
        let strict = await diff("--force")
        #expect(strict.errors.contains("written to \(file)"), "\(strict.errors)")
    }

    @Test("redacts what it shows")
    func redaction() async throws {
        func store(_ name: String, _ secret: String, _ other: Int) async throws -> String {
            var exchange = Exchange.example(
                1,
                body: "{\"password\":\"\(secret)\",\"n\":\(other)}"
            )
            exchange.request.target = ByteString("/a?api_key=\(secret)")
            let path = folder(name)
            try await StoredTraffic.write([exchange], toDatabase: path)
            return path
        }
        let first = try await store("c.db", "hunter2hunter2", 1)
        let second = try await store("d.db", "swordfish99", 2)
        let outcome = await tapline("diff", first, second)
        #expect(outcome.code == .failure)
        #expect(outcome.output.contains("$.password changed") && outcome.output.contains("1 → 2"))
        #expect(!outcome.output.contains("hunter2") && !outcome.output.contains("swordfish"))
        let plain = await tapline("diff", first, second, "--preset=none")
        #expect(plain.output.contains("\"hunter2hunter2\" → \"swordfish99\""))
    }

    @Test(
        "refuses wrong command lines and rules",
        arguments: [
            (["a.db"], "'diff' needs B"), (["-", "b.db"], "'-' cannot be compared"),
            (["a.db", "b.db", "--key", "$.a"], "expected PATH=NAME"),
            (["a.db", "b.db", "--ignore", "a.b"], "wrong value of '--ignore'"),
            (["a.db", "b.db", "--session", "client, host"], "expected one"),
            (["a.db", "b.db", "--filter", "status >"], "filter: "),
        ]
    )
    func usage(words: [String], message: String) async {
        let outcome = await tapline(words: ["diff"] + words)
        #expect(outcome.code == .usage && outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("shows where a file of rules is wrong")
    func wrongRules() async throws {
        let file = folder("wrong.txt")
        try File(file, for: .create).write("GET /a $.x\nGET /b what $.x\n".utf8.span)
        let outcome = await tapline("diff", recorded.database, same, "--noise", file)
        #expect(outcome.code == .configuration)
        #expect(outcome.errors.hasPrefix("\(file):2:8: error: unknown word 'what'; expected"))
    }

    @Test("refuses a file of rules that is too large, rather than to read a part of it")
    func largeRules() async throws {
        let file = folder("large.txt")
        let lines = [UInt8](repeating: 0x0A, count: (16 << 20) + 1)
        try File(file, for: .create).write(lines.span)
        let outcome = await tapline("diff", recorded.database, same, "--noise", file)
        #expect(outcome.code == .usage && outcome.errors.contains("more than 16 MiB"))
    }
}

@Suite("The pairs of two recordings")
struct RecordingPairsTests {
    @Test("are those that repeat the same exchange if both are replays")
    func replays() {
        let originals = (0..<3).map { Exchange.example($0).id }
        func index(_ links: [Int?], from first: Int) -> RecordingIndex {
            var index = RecordingIndex()
            for (position, link) in links.enumerated() {
                index.ids.append(Exchange.example(first + position).id)
                if let link { index.links[position] = originals[link] }
            }
            return index
        }
        let replayed = index([1, 0, 1, nil], from: 100)
        #expect(
            RecordingPairs.links(index([nil, nil, nil], from: 0), replayed)
                == [0: 1, 1: 0, 2: 1]
        )
        #expect(
            RecordingPairs.links(index([0, 1, 2, 1], from: 50), replayed) == [0: 1, 1: 0, 2: 3]
        )
        #expect(RecordingPairs.links(replayed, index([nil, nil], from: 0)).isEmpty)
    }

    @Test("are complete when not all exchanges fit into memory", arguments: [1, 5000, 1 << 20])
    func passes(memory: Int) async throws {
        let stored = try await StoredTraffic(Exchange.examples(20))
        let progress = QueryWatch(Console(isTerminal: false, output: { _ in }, errors: { _ in }))
        defer { progress.end() }
        func recording(_ name: String) throws -> Recording {
            let invocation = Invocation(
                operands: [name, name],
                program: TaplineCommand.program,
                registry: PluginRegistry(),
                environment: Environment([:]),
                console: Console(isTerminal: false, output: { _ in }, errors: { _ in })
            )
            return try Recording(
                name,
                DiffArguments(invocation),
                invocation.console,
                progress.progress
            )
        }
        let pairs = RecordingPairs(
            try recording(stored.database),
            try recording(stored.recording),
            maxMemory: memory
        )
        var ids: [ExchangeID] = []
        try pairs.forEach { pair in
            guard case .both(let left, let right) = pair, left.id == right.id else { return }
            ids.append(left.id)
        }
        #expect(ids == Exchange.examples(20).map(\.id))
    }
}
