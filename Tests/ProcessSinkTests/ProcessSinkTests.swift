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
    private static let folder = "\(TestFiles.repository)/Examples/plugins/python"

    @Test("a batch is written again, whole, after the program failed or died with it")
    func retries() async throws {
        let folder = try TemporaryFolder()
        let script = """
            import sys
            sys.path.insert(0, "\(Self.folder)")
            import os, tapline_plugin
            seen = sys.argv[1]
            def store(records):
                step = len(open(seen).read()) if os.path.exists(seen) else 0
                with open(seen, "a") as file: file.write("x")
                if step == 0: raise OSError
                if step == 1: os._exit(1)
                with open(seen + ".ids", "a") as file:
                    for record in records: file.write(record["id"] + "\\n")
            tapline_plugin.sink("t", "1", store)
            """
        let program = try folder.write(script, to: "store.py")
        let exchanges = Exchange.examples(20)
        let settings = """
            { command: [/usr/bin/python3, '\(program)', '\(folder("seen"))'] }
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
        let report = await Pipeline(topology, now: { Timestamp(microseconds: 0) }).run()
        #expect(report.isSuccess && report.sinks[0].counters.written == 20)
        let stored = try folder.read("seen.ids")
        #expect(stored.split(separator: "\n").map(String.init) == exchanges.map { "\($0.id)" })
    }
}
