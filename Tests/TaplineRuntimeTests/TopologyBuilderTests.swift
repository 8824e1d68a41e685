// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplineOperations
import TaplinePlugin
import TaplineTesting
import Testing

@testable import TaplineRuntime

private let count = ConfigKey("count", .integer(in: 0...10), default: 1, summary: "How many.")
private let path = ConfigKey<String>("path", .text, summary: "Where.", example: "out.txt")

private let size = ConfigKey("size", .integer(in: 0...10), default: 1, summary: "How large.")
private let rotate = ConfigKey(
    "rotate",
    OptionType.object(OptionSchema(size)).optional,
    default: nil,
    summary: "When."
)

private struct Cutter: StageFactory {
    let hooks: Hooks = .record
    let cutsBodies = true
    func makeStage(_ context: StageContext) throws -> any Stage { Idle() }
    private final class Idle: Stage {}
}

private struct Reader: StageFactory {
    let hooks: Hooks = .record
    let seesOnlyRedacted = true
    func makeStage(_ context: StageContext) throws -> any Stage { Idle() }
    private final class Idle: Stage {}
}

private struct Writer: SinkFactory {
    let claims: [ResourceClaim]
    func open(_ context: SinkContext) throws -> any Sink { throw SinkError(.refused, "never") }
}

/// Plugins that do nothing.
private let registry = PluginRegistry(
    sources: [
        SourcePlugin(name: "script", summary: "Hands over.", options: OptionSchema(count)) { _, _ in
            ScriptedSource([])
        },
        SourcePlugin(
            name: "live",
            summary: "Listens.",
            options: OptionSchema(count),
            isLive: true
        ) { _, _ in ScriptedSource([]) },
    ],
    stages: [
        StagePlugin(
            name: "change",
            summary: "Changes.",
            options: OptionSchema(),
            hasWireHooks: true
        ) { _, _ in ScriptedStage(request: { _, _ in .proceed }, record: { _, _ in .keep }) },
        StagePlugin(name: "clean", summary: "Cleans.", options: OptionSchema()) { _, _ in
            ScriptedStage(redacts: true, record: { _, _ in .keep })
        },
        StagePlugin(name: "cut", summary: "Cuts.", options: OptionSchema()) { _, _ in Cutter() },
        StagePlugin(name: "read", summary: "Reads.", options: OptionSchema()) { _, _ in Reader() },
        StagePlugin(name: "refuse", summary: "Refuses.", options: OptionSchema()) { _, context in
            context.diagnostics.error(at: context.location, "it cannot be built")
            return nil
        },
    ],
    sinks: [
        SinkPlugin(name: "keep", summary: "Keeps.", options: OptionSchema()) { _, _ in
            RecordingSink()
        },
        SinkPlugin(name: "write", summary: "Writes.", options: OptionSchema(path, rotate)) {
            options,
            _ in
            Writer(claims: [.file(options[path])])
        },
    ]
)

/// Builds a file and returns the topology and the messages.
private func build(_ text: String, set: [String] = []) -> (Topology?, String) {
    var diagnostics = Diagnostics()
    let root = ConfigReader().read(Array(text.utf8), name: "p.yaml", into: &diagnostics)
    guard let root else { return (nil, diagnostics.rendered) }
    let overrides = set.compactMap { OptionAssignment($0, into: &diagnostics) }
    let topology = TopologyBuilder(registry: registry)
        .build(root, overrides: overrides, into: &diagnostics)
    return (topology, diagnostics.rendered)
}

@Suite("A configuration file")
struct TopologyBuilderTests {
    @Test("is built as declared")
    func builds() {
        let (topology, messages) = build(
            """
            version: 1
            sources:
              - script: { count: 3 }
            stages:
              - clean
              - clean:
                when: status >= 400
            sinks:
              - keep
              - keep:
                id: other
                queue: { max_exchanges: 5, overflow: drop_oldest }
                retry: { max_elapsed: 1s }
            runtime: { memory: 1MiB, drain_timeout: 3s, provenance: true }
            """
        )
        #expect(messages == "")
        #expect(topology?.memory == 1 << 20)
        #expect(topology?.recordsProvenance == true)
        #expect(topology?.drainTimeout == Microseconds(3_000_000))
        #expect(topology?.stages.count == 2)
        #expect(topology?.sinks.count == 2)
    }

    @Test("sets the folder and the limit of a spill; the folder must exist")
    func spill() {
        let text = """
            version: 1
            sources:
              - script
              - live
            stages: [clean]
            sinks:
              - keep:
                queue: { spill_max_bytes: 5MiB }
            runtime: { spill: /tmp }
            """
        let (topology, messages) = build(text)
        #expect(messages == "")
        #expect(topology?.spillFolder == "/tmp")
        #expect(topology?.sinks.first?.queue.spillMaxBytes == 5 << 20)
        // Only live sources never wait.
        #expect(topology?.sources.map(\.isLive) == [false, true])
        let (none, problem) = build(text.replacing("/tmp", with: "/nowhere/at/all"))
        #expect(none == nil)
        #expect(problem.contains("there is no folder '/nowhere/at/all' to spill to"))
    }

    @Test("sets what is recorded under load; by default recording is shed for lack of memory only")
    func overload() {
        let text = """
            version: 1
            sources:
              - live:
                sample: 0.5%
              - script
            stages: [clean]
            sinks: [keep]
            runtime: {}
            """
        let (topology, messages) = build(text)
        #expect(messages == "")
        #expect(topology?.sources.map(\.sampling) == [Sampling(millionths: 5000), nil])
        #expect(topology?.maxExchangesInFlight == nil)
        #expect(topology?.shedding == SheddingLimits(processor: nil, memory: 1))
        let set = "{ max_exchanges_in_flight: 9, shed: { cpu: 90%, memory: off } }"
        let (other, _) = build(text.replacing("{}", with: set))
        #expect(other?.maxExchangesInFlight == 9)
        #expect(other?.shedding == SheddingLimits(processor: 0.9, memory: nil))
    }

    @Test(
        "accepts only percentages as shares",
        arguments: [
            (
                "10",
                "the unit is missing; found '10', expected a percentage up to 100%, such as 10%"
            ),
            ("1/100", "unknown unit '/100'; expected one of %"),
            ("101%", "the percentage is too large; expected a percentage up to 100%, such as 10%"),
            ("some", "this is not a quantity; found 'some'"),
        ]
    )
    func percentages(text: String, message: String) {
        let file =
            "version: 1\nsources:\n  - script:\n    sample: \(text)\nstages: [clean]\nsinks: [keep]"
        let (topology, messages) = build(file)
        #expect(topology == nil)
        #expect(messages.contains("p.yaml:4:13: error: \(message)"))
    }

    @Test("reports all problems of the shape together, with suggestions")
    func shape() {
        let (topology, messages) = build(
            """
            version: 2
            sources:
              - scrip
              - script: { cout: 3 }
            stages:
              - clean: {}
                cut: {}
              - clean:
                on_error: pass
            sinks: []
            sinkz: 1
            """
        )
        #expect(topology == nil)
        for expected in [
            "p.yaml:1:10: error: unknown version of the file; found '2', expected 1",
            "p.yaml:3:5: error: unknown source 'scrip'; expected one of script",
            "p.yaml:6:5: error", "p.yaml:7:5: error: two plugins in one stage",
            "unknown key 'sinkz'", "help: did you mean 'script'?", "help: did you mean 'sinks'?",
            "'sinks' is empty; expected at least one",
        ] where !expected.hasPrefix("p.yaml:6") {
            #expect(messages.contains(expected), "\(expected)\n\(messages)")
        }
    }

    @Test("names the product of a plugin that is not linked")
    func unlinked() {
        let (topology, messages) = build(
            "version: 1\nsources: [{ proxy: {} }, script]\nstages: [clean]\nsinks: [nats, kafka, s3, keep]"
        )
        #expect(topology == nil)
        for expected in [
            "p.yaml:2:13: error: the source 'proxy' needs the product 'TaplineProxy'",
            "p.yaml:4:9: error: the sink 'nats' needs the product 'TaplineStreams'",
            "p.yaml:4:15: error: the sink 'kafka' needs the product 'TaplineKafka'",
            "p.yaml:4:22: error: the sink 's3' needs the product 'TaplineTelemetry'",
        ] {
            #expect(messages.contains(expected), "\(messages)")
        }
    }

    @Test("reports components that cannot be built together with wrong options of others")
    func buildErrorsBesideWrongOptions() {
        let (topology, messages) = build(
            """
            version: 1
            sources:
              - script: { cout: 3 }
            stages:
              - refuse
            sinks:
              - keep
            runtime: { memory: much }
            """
        )
        #expect(topology == nil)
        #expect(messages.contains("unknown option 'cout'"))
        #expect(messages.contains("p.yaml:5:5: error: it cannot be built"))
        #expect(messages.contains("p.yaml:8:"))
    }

    @Test(
        "reports the right place of an option at the wrong level",
        arguments: [
            (
                "sources: [{ live: { capture_max_bytes: 1KiB } }]",
                "'capture_max_bytes' belongs beside 'live' in the same list item, not within it"
            ),
            (
                "sources: [{ script: { capture_max_bytes: 1KiB } }]",
                "'capture_max_bytes' is for live sources and belongs beside the plugin's name"
            ),
            ("sources: [{ live: {}, count: 3 }]", "'count' belongs in 'live'"),
            (
                "sources: [{ live: { queue: {} } }]",
                "'queue' is for sinks and belongs beside the plugin's name"
            ),
            (
                "sources: [{ live: { memory: 1MiB } }]",
                "'memory' belongs under 'runtime', beside 'sources'"
            ),
            ("sources: [{ live: { sinks: [] } }]", "'sinks' belongs at the top of the file"),
            (
                "stages: [{ clean: { on_error: pass } }]",
                "'on_error' is for stages that act on live traffic and belongs beside the plugin's name"
            ),
            ("sinks: [{ write: { path: a, size: 1 } }]", "'size' belongs in 'rotate' of 'write'"),
            (
                "sinks: [{ write: { path: a, overflow: block } }]",
                "'overflow' belongs in 'queue', beside 'write'"
            ),
            ("sinks: [{ write: { path: a, rotate: { path: b } } }]", "'path' belongs in 'write'"),
            ("sinks: [{ write: { path: a }, queue: { path: b } }]", "'path' belongs in 'write'"),
            ("runtime: { retry: {} }", "'retry' is for sinks and belongs beside the plugin's name"),
            ("memory: 1MiB", "'memory' belongs under 'runtime', beside 'sources'"),
        ]
    )
    func wrongLevel(part: String, help: String) {
        let (topology, messages) = build("version: 1\n" + part)
        #expect(topology == nil)
        #expect(messages.contains("help: \(help)\n"))
    }

    @Test("requires sources and sinks")
    func missing() {
        let (_, messages) = build("stages: [clean]\n")
        #expect(messages.contains("'version' is missing"))
        #expect(messages.contains("'sources' is missing"))
        #expect(messages.contains("'sinks' is missing"))
    }

    @Test("rejects duplicate ids, and takes options from the command line")
    func ids() {
        let text = """
            version: 1
            sources: [script]
            stages: [clean]
            sinks:
              - write: { path: a }
              - write: { path: b }
            """
        #expect(build(text).0 != nil)
        let (_, clash) = build(text, set: ["write-2.path=a"])
        #expect(clash.contains("'write-2' and 'write' both use the file 'a'"))
        let (_, unknown) = build(text, set: ["writ.path=a"])
        #expect(unknown.contains("unknown component 'writ'"))
        #expect(unknown.contains("help: did you mean 'write'?"))
        let (_, option) = build(text, set: ["script.count=99"])
        #expect(option.contains("--set"))
        #expect(build(text, set: ["runtime.memory=5MiB"]).0?.memory == 5 << 20)
        let (_, twice) = build(text.replacing("path: b }", with: "path: b }\n    id: script"))
        #expect(twice.contains("two components have the id 'script'"))
    }

    @Test("accepts a required option from --set")
    func overrideRequired() {
        let text = "version: 1\nsources: [script]\nstages: [clean]\nsinks: [write]\n"
        #expect(build(text).1.contains("option 'path' is missing in 'write'"))
        #expect(build(text, set: ["write.path=x"]).0 != nil)
    }

    @Test("causes a warning if no stage redacts or a stage is in the wrong place")
    func redaction() {
        let text = "version: 1\nsources: [script]\nstages: [STAGES]\nsinks: [keep]\n"
        let none = build(text.replacing("STAGES", with: "cut"))
        #expect(none.0 != nil)
        #expect(none.1.contains("warning: no stage redacts"))
        let early = build(text.replacing("STAGES", with: "cut, clean"))
        #expect(early.1.contains("warning: 'cut' cuts bodies before 'clean' redacts them"))
        let late = build(text.replacing("STAGES", with: "clean, change"))
        #expect(late.1.contains("warning: 'change' changes records after the last redaction"))
        #expect(build(text.replacing("STAGES", with: "change, clean, cut")).1 == "")
    }

    @Test("causes a warning or an error at a stage that sees what is not redacted")
    func seesSecrets() {
        let text = "version: 1\nsources: [script]\nstages: [STAGES]\nsinks: [keep]\n"
        let none = build(text.replacing("STAGES", with: "read"))
        #expect(none.0 != nil)
        #expect(none.1.contains(":3:10: warning: no stage redacts before 'read', which sees"))
        let early = build(text.replacing("STAGES", with: "read, clean"))
        #expect(early.1.contains("error: 'read' would see records before 'clean' redacts them"))
        #expect(build(text.replacing("STAGES", with: "clean, read")).1 == "")
    }

    @Test("rejects a condition on a field that is not known yet")
    func condition() {
        let (topology, messages) = build(
            """
            version: 1
            sources: [script]
            stages:
              - change:
                when: status >= 400
              - clean:
                when: statu == 1
            sinks: [keep]
            """
        )
        #expect(topology == nil)
        #expect(messages.contains("p.yaml:7:11: error: unknown field 'statu'"))
        let late = build(
            "version: 1\nsources: [script]\nstages:\n  - change:\n    when: status >= 400\n"
                + "sinks: [keep]\n"
        )
        #expect(late.1.contains("'status' is not known when 'change' runs its first hook"))
    }

    @Test("reports the error of a plugin that cannot be built")
    func refused() {
        let (topology, messages) = build(
            "version: 1\nsources: [script]\nstages: [refuse]\nsinks: [keep]\n"
        )
        #expect(topology == nil)
        #expect(messages.contains("p.yaml:3:10: error: it cannot be built"))
    }

    @Test("takes a control listener on loopback only")
    func control() {
        let rest = "version: 1\nsources: [script]\nsinks: [keep]\n"
        let (topology, messages) = build(
            rest + "runtime: { control: localhost:9901, control_token_file: t }\n"
        )
        #expect(!messages.contains("error"))
        #expect(topology?.control == ControlAddress("127.0.0.1:9901"))
        #expect(topology?.protectedPaths.contains("t") == true)
        #expect(topology?.plugins["keep"] == "keep")
        let (none, problem) = build(rest + "runtime: { control: 0.0.0.0:9901 }\n")
        #expect(none == nil)
        #expect(problem.contains("wrong value of 'control'; found '0.0.0.0:9901'"))
        #expect(build(rest).0?.control == nil)
    }

    @Test("is described by a schema")
    func schema() {
        let text = PipelineSchema.schema(of: registry).prettyText
        #expect(text.contains("\"const\": \"clean\""))
        #expect(text.contains("\"max_exchanges\""))
        #expect(text.contains("\"drain_timeout\""))
    }
}
