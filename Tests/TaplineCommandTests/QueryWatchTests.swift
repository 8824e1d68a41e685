// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConfig
import TaplineFormats
import TaplineModel
import TaplinePlugin
import TaplineStore
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("tapline query, while it runs")
struct QueryWatchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func bytes(_ numbers: some Sequence<Int>) -> [UInt8] {
        var chain = RecordChain()
        var writer = NDJSONWriter()
        for number in numbers {
            guard case .sealed(let record) = chain.seal(Exchange.example(number)) else { continue }
            writer.write(record)
        }
        return Array(copying: writer.bytes)
    }

    private func id(_ number: Int) -> String { Exchange.example(number).id.description }

    @Test("shows exchanges as they are written, until nobody reads them", .timeLimit(.minutes(1)))
    func follow() async throws {
        let path = try folder.write(bytes(0..<20), to: "traffic.ndjson")
        let output = Mutex<[UInt8]>([])
        let text: @Sendable () -> String = {
            String(decoding: output.withLock { $0 }, as: UTF8.self)
        }
        let console = Console(
            isTerminal: false,
            isOutputClosed: { text().contains("/items/21") },
            output: { bytes in output.withLock { $0 += bytes } },
            errors: { _ in }
        )
        async let code = TaplineCommand.program.run(
            ["query", path, "--follow", "--limit=2", "--format=urls"],
            plugins: PluginRegistry(),
            environment: Environment([:]),
            console: console
        )
        await wait(for: "the newest exchanges") { text().contains("/items/19") }
        try File(path, for: .append).write(bytes(20..<21).span)
        await wait(for: "the next exchange") { text().contains("/items/20") }
        try File(path, for: .append).write(bytes(21..<22).span)
        await wait(for: "the last exchange") { text().contains("/items/21") }
        // The end is noticed by the next write.
        try File(path, for: .append).write(bytes(22..<23).span)
        #expect(await code == .success)
        let found = text().split(separator: "\n").map { $0.split(separator: "/").last ?? "" }
        #expect(found.prefix(4) == ["18", "19", "20", "21"])
    }

    @Test("draws its progress below what it has found")
    func progress() {
        let shown = Mutex<[UInt8]>([])
        let console = Console(
            isTerminal: true,
            outputIsTerminal: true,
            output: { bytes in shown.withLock { $0 += bytes } },
            errors: { bytes in shown.withLock { $0 += bytes } }
        )
        console.showProgress("40 % searched")
        console.write(Array("found\n".utf8))
        console.write(Array("part".utf8))
        console.write(Array(" two\n".utf8))
        console.showProgress("")
        #expect(
            String(decoding: shown.withLock { $0 }, as: UTF8.self)
                == "\r\u{1B}[K40 % searched\r\u{1B}[Kfound\n40 % searched\r\u{1B}[Kpart two\n"
        )
        #expect(QueryWatch.text(QueryProgress()) == "searching")
    }

    /// The command, which the build puts next to the tests.
    private static let program: String? = {
        let folder = (CommandLine.arguments.first ?? "").split(separator: "/").dropLast()
        let path = "/" + folder.joined(separator: "/") + "/tapline"
        return ChildProcess.find(path, in: nil)
    }()

    /// Runs the command, interrupts it as a terminal does once a shell condition holds, and returns
    /// all output and the exit code.
    private func runInterrupted(
        _ arguments: String,
        input: String = ":",
        when condition: String
    ) throws -> (output: String, status: Int32) {
        let program = try #require(Self.program)
        // Background jobs of a shell ignore interrupts.
        return try runShell(
            """
            cd "\(folder.path)"
            (\(input)) 2>&- | env --default-signal=INT "\(program)" \(arguments) >output 2>&1 &
            until \(condition); do sleep 0.05; done
            kill -INT $!
            wait $!
            status=$?
            cat output
            exit $status
            """
        )
    }

    /// Writes the recording, and so much more that the command has read it when `written` exists.
    ///
    /// Ends when the command has ended.
    private let openInput =
        "cat traffic.ndjson; yes \"\" | head -c 600000; touch written; "
        + "while echo; do sleep 0.05; done"

    @Test(
        "shows what it has found when it is interrupted, with exit code 130",
        .enabled(if: program != nil, "the command is not built next to the tests")
    )
    func interrupted() throws {
        _ = try folder.write(bytes(0..<5), to: "traffic.ndjson")
        let (output, status) = try runInterrupted(
            "query - --format ids",
            input: openInput,
            when: "[ -e written ]"
        )
        #expect(status == 130, "\(output)")
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.prefix(5) == ArraySlice((0..<5).reversed().map { id($0) }))
        #expect(lines.last?.hasPrefix("tapline: interrupted; ") == true)
        #expect(lines.last?.hasSuffix("5 exchanges found") == true)
    }

    @Test(
        "counts and exports what it has read when it is interrupted, with exit code 130",
        .enabled(if: program != nil, "the command is not built next to the tests"),
        arguments: [
            ("stats - --format json", #""count":5"#), ("export - --to har", "/items/4"),
        ]
    )
    func othersInterrupted(command: String, found: String) throws {
        _ = try folder.write(bytes(0..<5), to: "traffic.ndjson")
        let (output, status) = try runInterrupted(
            command,
            input: openInput,
            when: "[ -e written ]"
        )
        #expect(status == 130, "\(output)")
        #expect(output.contains(found), "\(output)")
        #expect(output.contains("tapline: interrupted; "), "\(output)")
    }

    @Test(
        "ends when nobody reads its output any more, even if it finds nothing",
        .enabled(if: program != nil, "the command is not built next to the tests"),
        .timeLimit(.minutes(1))
    )
    func readerGone() throws {
        let program = try #require(Self.program)
        let path = try folder.write(bytes(0..<5), to: "traffic.ndjson")
        let call = "'\(program)' query '\(path)' --follow --format ids"
        let (output, status) = try runShell("\(call) | head -1")
        #expect(status == 0)
        #expect(output == id(0) + "\n")
    }

    @Test(
        "ends with exit code 0 when following is interrupted",
        .enabled(if: program != nil, "the command is not built next to the tests")
    )
    func followInterrupted() throws {
        _ = try folder.write(bytes(0..<5), to: "traffic.ndjson")
        let (output, status) = try runInterrupted(
            "query traffic.ndjson --follow --limit 1 --format ids",
            when: "[ -s output ]"
        )
        #expect(status == 0, "\(output)")
        #expect(output == id(4) + "\n")
    }
}
