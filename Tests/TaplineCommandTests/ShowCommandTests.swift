// SPDX-License-Identifier: MIT

import Synchronization
import TaplineCodings
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("tapline show")
struct ShowCommandTests {
    let folder: TemporaryFolder
    let database: String
    let recording: String

    /// Some exchanges in a database and in a recording; the last one has a compressed body.
    init() async throws {
        var exchanges = (0..<6).map { Exchange.example($0) }
        var coded: [UInt8] = []
        try ContentEncoder(.gzip)
            .encodeWhole(Self.text.utf8.span, appendingTo: &coded)
        exchanges[5].response?.fields = ["Content-Type": "text/plain", "Content-Encoding": "gzip"]
        exchanges[5].response?.body = Body(bytes: coded, size: coded.count, coding: "gzip")
        exchanges[5].request.method = "POST"
        exchanges[5].request.body = Body(bytes: Array("a=1".utf8), size: 900, isTruncated: true)
        exchanges[4].response = nil
        exchanges[4].state = .failed
        let stored = try await StoredTraffic(exchanges)
        (folder, database, recording) = (stored.folder, stored.database, stored.recording)
    }

    private static let text = (0..<300).map { "line \($0)\u{1B}[0m\n" }.joined()

    @Test("shows gRPC messages by numbers, and by names with descriptors")
    func protobuf() async throws {
        let fixtures = "\(TestFiles.repository)/Tests/TaplineProtobufTests/Fixtures"
        var exchange = Exchange.example(0)
        exchange.request.target = "/shop.v1.Orders/Get"
        exchange.request.fields = ["Content-Type": "application/grpc"]
        exchange.response?.fields = ["Content-Type": "application/grpc"]
        exchange.response?.trailers = ["grpc-status": "0"]
        let order = try TestFiles.bytes(of: "\(fixtures)/order.binpb")
        exchange.messages = [
            StreamMessage(direction: .up, type: "grpc", bytes: [0x0A, 1, 0x73]),
            StreamMessage(direction: .down, type: "grpc", bytes: order),
        ]
        let stored = try await StoredTraffic([exchange])
        let plain = await tapline("show", stored.database, "first")
        #expect(plain.output.contains(#""text": "A-1""#), "\(plain.output)")
        #expect(plain.output.contains("its messages are listed below"))
        let named = await tapline(
            "show",
            stored.recording,
            "first",
            "--descriptors=\(fixtures)/shop.binpb"
        )
        #expect(
            named.output.contains(#""sku": "s""#) && named.output.contains(#""orderId": "A-1""#)
        )
        #expect(named.output.contains(#""color": "GREEN""#))
        let wrong = await tapline(
            "show",
            stored.recording,
            "first",
            "--descriptors=\(fixtures)/order.txtpb"
        )
        #expect(wrong.code != .success && wrong.errors.contains("FileDescriptorSet"))
    }

    @Test("shows an exchange by its id, its first digits, or as the first or last")
    func choice() async throws {
        let id = Exchange.example(0).id.description
        for store in [database, recording] {
            let first = await tapline("show", store, "first")
            #expect(first.code == .success, "\(first.errors)")
            #expect(first.errors.isEmpty)
            #expect(first.output.hasPrefix("exchange    \(id)\nstarted     2026-11-20T"))
            #expect(first.output.contains("\n> GET http://shop.test/items/0 HTTP/1.1\n"))
            #expect(first.output.contains("\n  {\n    \"ok\": true\n  }\n  (11 B"))
            #expect(await tapline("show", store, id).output == first.output)
            #expect(await tapline("show", store, String(id.prefix(14))).output == first.output)
            #expect(await tapline("show", store, id.uppercased()).output == first.output)
            let last = await tapline("show", store, "last")
            #expect(last.output.contains("\n> POST http://shop.test/items/5 HTTP/1.1\n"))
            #expect(last.output.contains("\n  line 299\\x1b[0m\n"))
            #expect(last.output.contains(" in gzip; 3.7 KiB decoded"), "\(last.output.suffix(300))")
            #expect(last.output.contains("truncated: only the first 3 B are kept"))
        }
        let both = await tapline("show", database, recording, id)
        #expect(both.output.hasPrefix("exchange    \(id)"))
        let limited = await tapline("show", database, "last", "--lines=1")
        #expect(limited.output.contains("  line 0\\x1b[0m\n  (not all is shown: --lines 1)\n"))
    }

    @Test("writes the bytes of a body, decoded or with their coding")
    func bodies() async throws {
        for store in [database, recording] {
            let decoded = await tapline("show", store, "last", "--body=response")
            #expect(decoded.code == .success && decoded.errors.isEmpty)
            #expect(decoded.output == Self.text)
            let request = await tapline("show", store, "last", "--body=request")
            #expect(request.code == .success)
            #expect(request.output == "a=1")
            let note = "note: only the first 3 bytes of the request body are kept\n"
            #expect(request.errors == note)
        }
        let output = Mutex<[UInt8]>([])
        let code = await TaplineCommand.program.run(
            ["show", database, "last", "--body", "response", "--raw"],
            plugins: PluginRegistry(),
            environment: Environment([:]),
            console: Console(
                isTerminal: false,
                output: { bytes in output.withLock { $0 += bytes } },
                errors: { _ in }
            )
        )
        #expect(code == .success)
        let coded = output.withLock { $0 }
        #expect(coded.starts(with: [0x1F, 0x8B]))
        #expect(try ContentCoding.gzip.decode(coded.span) == Array(Self.text.utf8))
        let none = await tapline("show", database, "first", "--body=request")
        #expect(none.code == .success && none.output.isEmpty)
        let missing = Exchange.example(4).id.description
        let absent = await tapline("show", database, missing, "--body=response")
        #expect(absent.code == .failure)
        #expect(absent.errors == "tapline: error: the exchange has no response\n")
    }

    @Test("writes both messages as HTTP/1.1")
    func raw() async {
        for store in [database, recording] {
            let first = await tapline("show", store, "first", "--raw")
            #expect(first.code == .success)
            #expect(
                first.output == "GET /items/0 HTTP/1.1\r\nHost: shop.test\r\n"
                    + "Accept: application/json\r\n\r\nHTTP/1.1 200 OK\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"ok\":true}"
            )
            let last = await tapline("show", store, "last", "--raw")
            #expect(last.errors.contains("note: the request gets a field 'Content-Length'\n"))
        }
    }

    @Test(
        "rejects wrong arguments",
        arguments: [
            (["x.db"], "'show' needs ID"),
            (["last", "019"], "wrong ID; found '019', expected an id, at least its first 4"),
            (["x.db", "nothex"], "wrong ID; found 'nothex'"),
            (["x.db", "last", "--lines=x"], "wrong value of '--lines'; found 'x'"),
            (["x.db", "last", "--lines=1", "--raw"], "'--raw' writes all bytes and excludes"),
            (
                ["x.db", "last", "--lines=1", "--body=request"],
                "'--body' writes all bytes and excludes '--lines'"
            ),
            (["x.db", "last", "--body=both"], "unknown value 'both' of '--body'; expected"),
        ]
    )
    func usage(words: [String], message: String) async {
        let outcome = await run(["show"] + words)
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains("tapline: error: \(message)"), "\(outcome.errors)")
    }

    @Test("reports ids that it does not find, and those that several exchanges have")
    func unknown() async throws {
        let id = Exchange.example(0).id.description
        for store in [database, recording] {
            let several = await tapline("show", store, String(id.prefix(8)))
            #expect(several.code == .failure)
            #expect(several.errors.contains("several ids begin like this: \(id), "))
            #expect(several.errors.contains(" and more"))
            let none = await tapline("show", store, "ffff-ffff")
            #expect(none.code == .failure)
            #expect(none.errors == "tapline: error: no id begins like this\n")
        }
        try folder.write("", to: "empty.ndjson")
        let empty = await tapline("show", folder("empty.ndjson"), "last")
        #expect(empty.code == .failure)
        #expect(empty.errors.contains("there are no exchanges"), "\(empty.errors)")
    }

    private func run(
        _ words: [String],
        _ environment: [String: String] = [:],
        width: Int? = nil,
        height: Int? = nil
    ) async -> Outcome {
        let output = Mutex<[UInt8]>([])
        let errors = Mutex<[UInt8]>([])
        let code = await TaplineCommand.program.run(
            words,
            plugins: PluginRegistry(),
            environment: Environment(environment),
            console: Console(
                isTerminal: height != nil,
                outputIsTerminal: height != nil,
                outputWidth: width,
                outputHeight: height,
                output: { bytes in output.withLock { $0 += bytes } },
                errors: { bytes in errors.withLock { $0 += bytes } }
            )
        )
        return Outcome(
            code: code,
            output: String(decoding: output.withLock { $0 }, as: UTF8.self),
            errors: String(decoding: errors.withLock { $0 }, as: UTF8.self)
        )
    }

    // MARK: Terminals

    @Test("has colours on a terminal only, and never escapes from traffic")
    func colours() async {
        let coloured = await run(["show", database, "last"], width: 80, height: 1000)
        #expect(coloured.output.contains("HTTP/1.1 \u{1B}[32m200\u{1B}[0m OK"))
        #expect(coloured.output.contains("line 7\\x1b[0m\n"))
        let plain = await run(
            ["show", database, "last"],
            ["NO_COLOR": "1"],
            width: 80,
            height: 1000
        )
        #expect(!plain.output.contains("\u{1B}"))
        for option in ["--body=response", "--raw"] {
            let bytes = await run(["show", database, "last", option], width: 80, height: 1000)
            #expect(bytes.output.contains("\u{1B}") == false, "\(option)")
        }
        let body = await run(["show", database, "last", "--body=response"], height: 1000)
        #expect(body.output == Self.text.replacing("\u{1B}", with: "\\x1b"))
    }

    private var path: String { ProcessEnvironment.variables["PATH"] ?? "/usr/bin:/bin" }

    @Test("goes through the pager if it is longer than the screen")
    func pager() async throws {
        let pages = folder("pages")
        let own = ["TAPLINE_PAGER": "cat > \(pages); exit 0", "PAGER": "false", "PATH": path]
        let direct = await tapline("show", database, "last")
        let paged = await run(
            ["show", database, "last"],
            own.merging(["NO_COLOR": "1"]) { $1 },
            width: 80,
            height: 24
        )
        #expect(paged.code == .success, "\(paged.errors)")
        #expect(paged.output.isEmpty)
        #expect(try folder.read("pages") == direct.output)
        // A short text, an option or an empty variable leave it out.
        for (words, environment, height) in [
            (["show", database, "first"], own, 100),
            (["show", database, "last", "--no-pager"], own, 24),
            (["show", database, "last"], ["TAPLINE_PAGER": "", "PAGER": "false"], 24),
            (["show", database, "last"], ["PAGER": "cat", "PATH": path], 24),
            (["show", database, "last"], ["PAGER": "no-such-pager", "PATH": path], 24),
        ] {
            let outcome = await run(words, environment, width: 80, height: height)
            #expect(outcome.code == .success)
            #expect(outcome.output.contains("timing"), "\(environment)")
        }
    }

    @Test("may leave the pager early; a pager that cannot run is an error")
    func earlyExit() async throws {
        let first = folder("first")
        let words = ["show", database, "last"]
        let early = await run(
            words,
            ["PAGER": "head -n 1 > \(first)", "PATH": path],
            width: 80,
            height: 5
        )
        #expect(early.code == .success, "\(early.errors)")
        #expect(early.errors.isEmpty)
        #expect(try folder.read("first").contains("exchange"))
        let broken = await run(words, ["PAGER": "no-such-pager -x", "PATH": path], height: 5)
        #expect(broken.code == .failure)
        #expect(broken.errors.contains("cannot run the pager 'no-such-pager -x'"))
    }

    @Test("gives less its options unless they are set")
    func less() throws {
        #expect(Pager(["PAGER": "sh -"])?.environment["LESS"] == "FRX")
        #expect(Pager(["PAGER": "sh -", "LESS": ""])?.environment["LESS"] == "")
        #expect(Pager(["TAPLINE_PAGER": "a -b", "PAGER": "c d"])?.command == "a -b")
        #expect(Pager(["PAGER": "  "]) == nil)
        #expect(Pager(["PATH": "/nowhere"]) == nil)
    }

    @Test("also shows the table of 'query' in the pager")
    func query() async throws {
        let table = folder("table")
        let outcome = await run(
            ["query", database],
            ["PAGER": "cat > \(table)", "PATH": path, "NO_COLOR": "1"],
            width: 80,
            height: 3
        )
        #expect(outcome.code == .success)
        #expect(outcome.output.isEmpty)
        #expect(try folder.read("table").split(separator: "\n").count == 7)
    }

    /// The command, which the build puts next to the tests.
    private static let program: String? = {
        let folder = (CommandLine.arguments.first ?? "").split(separator: "/").dropLast()
        let path = "/" + folder.joined(separator: "/") + "/tapline"
        return ChildProcess.find(path, in: nil)
    }()

    @Test(
        "runs a pager on a real terminal",
        .enabled(if: program != nil, "the command is not built next to the tests")
    )
    func terminal() async throws {
        let program = try #require(Self.program)
        try folder.write(
            "#!/bin/sh\ntest -t 1 && echo on a terminal\nhead -n 2\necho LESS=$LESS\n",
            to: "pager"
        )
        let call =
            "chmod +x '\(folder("pager"))'; export PAGER='\(folder("pager"))'; "
            + "unset TAPLINE_PAGER LESS NO_COLOR; exec '\(program)' show '\(database)' last"
        let shown = try await Python.run("terminal", ["24", "80", "/bin/sh", "-c", call])
        let lines = shown.split(separator: "\n").map(String.init)
        #expect(lines.first == "on a terminal", "\(shown)")
        #expect(lines.contains { $0.contains("exchange") && $0.contains("\u{1B}[2m") })
        #expect(lines.suffix(2) == ["LESS=FRX", "exit 0"], "\(shown)")
        let short = try await Python.run("terminal", ["900", "80", "/bin/sh", "-c", call])
        #expect(short.hasPrefix("\u{1B}[2mexchange"), "\(short.prefix(200))")
        #expect(short.hasSuffix("\nexit 0\n"))
    }
}
