// SPDX-License-Identifier: MIT

import TaplineBuiltIns
import TaplineConfig
import TaplineDetectors
import TaplineInspector
import TaplineModel
import TaplineNet
import TaplineOperations
import TaplinePlugin
import TaplineProxy
import TaplineRuntime
import TaplineStore
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("Replays and mocks that a page starts", .timeLimit(.minutes(2)))
struct CommandActionsTests {
    /// Two exchanges, the first with another status than the target's.
    private static let lines = """
        {"v":1,"id":"01930000-0000-7000-8000-000000000001","started":"2024-11-20T14:03:00Z",\
        "request":{"method":"GET","url":"http://api.test/missing"},\
        "response":{"status":200,"body":{"text":"/missing","size":8}}}
        {"v":1,"id":"01930000-0000-7000-8000-000000000002","started":"2024-11-20T14:03:01Z",\
        "request":{"method":"GET","url":"http://api.test/same"},\
        "response":{"status":200,"body":{"text":"/same","size":5}}}

        """

    private let folder: TemporaryFolder
    private let actions: CommandActions
    private let registry: PluginRegistry

    init() throws {
        folder = try TemporaryFolder(["r.ndjson": Self.lines])
        var registry = PluginRegistry.builtIn.adding(.detectors.adding(.proxy))
        registry.stores = RecordedDatabases()
        self.registry = registry
        let invocation = Invocation(
            program: TaplineCommand.program,
            registry: registry,
            environment: Environment(["SECRET": "planted"]),
            console: Console(isTerminal: false, output: { _ in }, errors: { _ in })
        )
        try FileSystem.makeFolder(folder("replays"))
        actions = try #require(CommandActions(recordingIn: folder("replays"), invocation))
    }

    private func replay(
        _ store: String,
        filter: String = "",
        to target: String,
        rate: String? = nil
    ) throws -> any StartedRun {
        try actions.start(
            RunRequest(
                .replay,
                of: [folder(store)],
                filter: filter,
                to: target,
                rate: rate,
                speed: rate == nil ? "max" : nil
            )
        )
    }

    private func count() throws -> Int { try StoreSet([folder("replays/replays.db")]).count() }

    @Test("pass the stages of the pipeline that the page shows, as the recorded exchanges do")
    func stages() async throws {
        let target = try PythonServer("replay_target")
        let masking = Topology.Stage(
            id: "masking",
            ScriptedStage(record: { exchange, _ in
                exchange.response?.body = Body(Array("masked".utf8))
                return .keep
            })
        )
        try FileSystem.makeFolder(folder("staged"))
        let actions = try #require(
            CommandActions(
                recordingIn: folder("staged"),
                passing: [masking],
                invocation(registry)
            )
        )
        let run = try actions.start(
            RunRequest(.replay, of: [folder("r.ndjson")], to: target.url, speed: "max")
        )
        await wait(for: "the replay") { !run.progress.isRunning }
        let staged = try StoreSet([folder("staged/replays.db")])
        #expect(try staged.count() > 0)
        try staged.forEach(StoreQuery(parts: [.fields, .bodies, .extra])) { stored in
            #expect(stored.exchange.response?.body.bytes == Array("masked".utf8))
        }
        let differences = String(decoding: run.differences ?? [], as: UTF8.self)
        #expect(!differences.contains(#""path":"$"#), "\(differences)")
    }

    @Test("send, record and compare what the filter chooses, also again what was just recorded")
    func replays() async throws {
        let target = try PythonServer("replay_target")
        let one = try replay("r.ndjson", filter: "path == \"/missing\"", to: target.url)
        await wait(for: "the first replay") { !one.progress.isRunning }
        #expect(one.progress.failure == nil, "\(one.progress)")
        #expect(one.progress.compared.map { [$0.pairs, $0.differing] } == [1, 1])
        #expect(one.progress.lines.contains { $0.hasPrefix("1 of 1 request") })
        let differences = String(decoding: one.differences ?? [], as: UTF8.self)
        #expect(differences.contains(#""path":"status""#), "\(differences)")
        #expect(differences.contains("01930000-0000-7000-8000-000000000001"))
        #expect(try count() == 1)
        let both = try replay("r.ndjson", to: target.url)
        await wait(for: "the second replay") { !both.progress.isRunning }
        #expect(both.progress.compared.map { [$0.pairs, $0.differing] } == [2, 1])
        #expect(try count() == 3)
        // What it records itself while it reads the same database is not sent.
        let again = try replay("replays/replays.db", to: target.url)
        await wait(for: "the third replay") { !again.progress.isRunning }
        #expect(again.progress.compared.map { [$0.pairs, $0.differing] } == [3, 0])
        #expect(try count() == 6)
    }

    @Test("filters do not see the environment of the command")
    func environment() async throws {
        let filter = #"env["SECRET"] == "planted""#
        let run = try replay("r.ndjson", filter: filter, to: "http://127.0.0.1:9")
        await wait(for: "the end") { !run.progress.isRunning }
        #expect(run.progress.lines.contains { $0.hasPrefix("0 of 0 requests") }, "\(run.progress)")
        let mock = try actions.start(RunRequest(.mock, of: [folder("r.ndjson")], filter: filter))
        await wait(for: "the address or the end") {
            mock.progress.url != nil || !mock.progress.isRunning
        }
        #expect(!mock.progress.lines.contains { $0.contains("of 2 recordings") })
        mock.stop()
    }

    @Test("can be stopped")
    func stops() async throws {
        let target = try PythonServer("replay_target")
        let run = try replay("r.ndjson", to: target.url, rate: "0.01/s")
        await wait(for: "the first request") { ((try? count()) ?? 0) > 0 }
        #expect(run.progress.isRunning && run.differences == nil)
        let action = try #require(run as? ReplayAction)
        #expect(action.pipeline != nil)
        run.stop()
        await wait(for: "the end") { !run.progress.isRunning }
        #expect(action.pipeline == nil, "the pipeline is released")
        actions.end()
        #expect(try FileSystem.status(of: folder("replays")) == nil)
    }

    @Test("answer as the recording did, and count it")
    func mocks() async throws {
        let run = try actions.start(
            RunRequest(.mock, of: [folder("r.ndjson")], filter: "path == \"/same\"")
        )
        await wait(for: "the address") { run.progress.url != nil }
        let url = try #require(run.progress.url)
        #expect(url.hasPrefix("http://127.0.0.1:"))
        let through = ["-s", "-x", url]
        #expect(try await command("curl", through + ["http://api.test/same"]) == "/same")
        _ = try await command("curl", through + ["http://api.test/missing"])
        await wait(for: "the counts") {
            run.progress.lines.first?.hasPrefix("1 request answered, 1 without a recording") == true
        }
        let mock = try #require(run as? MockAction)
        #expect(mock.source != nil)
        run.stop()
        await wait(for: "the end") { !run.progress.isRunning }
        #expect(mock.source == nil, "the recording is released")
        #expect(run.progress.lines.first?.hasPrefix("1 request answered") == true)
        #expect(run.progress.failure == nil && run.differences == nil)
    }

    @Test("a mock answers programs of the same user only, from the recording as it was")
    func mockOptions() {
        let pipeline = MockAction.pipeline(RunRequest(.mock, of: ["a$b.db"]))
        for option in [
            #""path":["a$$b.db"]"#, #""allow_users":"same""#, #""reload":false"#,
            #""hosts":"known""#,
        ] { #expect(pipeline.contains(option), "\(pipeline)") }
    }

    @Test("a target is refused by its port, also that of its scheme, or if it is no URL")
    func targets() throws {
        let ports = ProtectedPorts(folder: folder("ports"))
        let held = try [80, 443, 8327].map { try ports.protect($0) }
        func reason(_ url: String) -> String {
            do throws(ControlError) {
                try CommandActions.check(target: url, against: ports)
                return ""
            } catch {
                return error.description
            }
        }
        for url in ["http://a.test", "https://a.test/", "HTTP://a.test:", "https://[::1]:8327"] {
            #expect(reason(url).contains("an inspector listens"), "\(url)")
        }
        for url in [
            "http://a.test:${X:-1}", "a.test=http://a.test:1", "a.test:1", "http://a.test:99999",
            "ftp://a.test",
        ] { #expect(reason(url).contains("this is not a server"), "\(url)") }
        #expect(reason("http://a.test:1").isEmpty)
        withExtendedLifetime(held) {}
    }

    @Test("are refused with a reason: wrong options, an inspector as the target, no plugin")
    func refused() throws {
        func reason(_ work: () throws -> any StartedRun) -> String {
            do {
                _ = try work()
                return ""
            } catch {
                return "\(error)"
            }
        }
        let wrong = reason { try replay("r.ndjson", to: "http://127.0.0.1:9", rate: "fast") }
        #expect(wrong.contains("rate"), "\(wrong)")
        let variable = reason {
            try replay("r.ndjson", to: "http://127.0.0.1:9", rate: "${X:-5/s}")
        }
        #expect(variable.contains("found '${X:-5/s}'"), "\(variable)")
        let inspector = try InspectorServer([])
        defer { inspector.stop() }
        let port = inspector.address.port
        for host in ["127.0.0.1", "localhost"] {
            let text = reason { try replay("r.ndjson", to: "http://\(host):\(port)/a?b") }
            #expect(text.contains("an inspector listens"), "\(text)")
        }
        let bare = try #require(
            CommandActions(recordingIn: folder("replays"), invocation(.builtIn))
        )
        #expect(reason { try bare.start(RunRequest(.mock, of: [])) }.contains("TaplineProxy"))
    }

    @Test("are not offered by a program that has none")
    func none() {
        let demo = Program(commands: [Commands.inspect])
        #expect(
            CommandActions(recordingIn: folder("replays"), invocation(registry, of: demo)) == nil
        )
    }

    private func invocation(
        _ registry: PluginRegistry,
        of program: Program = TaplineCommand.program
    ) -> Invocation {
        Invocation(
            program: program,
            registry: registry,
            environment: Environment([:]),
            console: Console(isTerminal: false, output: { _ in }, errors: { _ in })
        )
    }
}
