// SPDX-License-Identifier: MIT

import ProcessSink
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import Testing
import TestSupport

@Suite("Programs as sinks")
struct ProcessSinkTests {
    /// Runs a pipeline with a program of `Fixtures` as the sink; its argument is a path for what it stores.
    private func run(
        _ exchanges: [Exchange],
        into program: String,
        _ folder: TemporaryFolder
    ) async throws -> RunReport {
        let settings = """
            { command: [/usr/bin/python3, '\(TestFiles.fixture(program))', '\(folder("seen"))'] }
            """
        var diagnostics = Diagnostics()
        let options = ConfigReader().read(
            Array(settings.utf8),
            name: "p.yaml",
            into: &diagnostics
        )
        let decoded = options.flatMap {
            SinkPlugin.process.description.options.decode(
                $0,
                owner: "process",
                into: &diagnostics,
                environment: Environment(["PATH": "/usr/bin:/bin"])
            )
        }
        var context = BuildContext(id: "p", environment: Environment(["PATH": "/usr/bin:/bin"]))
        let factory = try #require(decoded.flatMap { SinkPlugin.process.build($0, &context) })
        let topology = Topology(
            sources: [Topology.Source(id: "in", ScriptedSource(exchanges))],
            sinks: [Topology.Sink(id: "p", factory)]
        )
        return await Pipeline(topology, now: { Timestamp(microseconds: 0) }).run()
    }

    @Test("a flush is asked of the next program if one ends without an answer")
    func flushes() async throws {
        let folder = try TemporaryFolder()
        let report = try await run(Exchange.examples(3), into: "flushing.py", folder)
        #expect(report.isSuccess, "\(report.failures)")
        #expect(report.sinks[0].counters.written == 3)
        #expect(try folder.read("seen").count >= 2)
    }

    @Test("a batch is written again, whole, after the program failed or died with it")
    func retries() async throws {
        let folder = try TemporaryFolder()
        let exchanges = Exchange.examples(20)
        let report = try await run(exchanges, into: "retried.py", folder)
        #expect(report.isSuccess && report.sinks[0].counters.written == 20)
        let stored = try folder.read("seen.ids")
        #expect(stored.split(separator: "\n").map(String.init) == exchanges.map { "\($0.id)" })
    }
}
