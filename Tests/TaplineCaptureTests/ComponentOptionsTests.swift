// SPDX-License-Identifier: MIT

import TaplineBuiltIns
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import Testing

@testable import TaplineCapture

/// Compares the options that can be set in code with those that the plugins declare.
@Suite struct ComponentOptionsTests {
    /// Each plugin that an app can use, with every option set; two instances if options exclude
    /// each other.
    private static let all: [Component] = [
        .urlProtocol(shared: false, captureMaxBytes: 10),
        .lua(
            code: "function request(ex) end",
            buffer: [.request, .response],
            config: ["team": "shop", "numbers": [1, 2.5], "is": true],
            limits: .init(
                maxMemory: 1 << 20,
                maxInstructions: 5000,
                maxTime: .seconds(2),
                maxTable: 300,
                maxLog: 1,
                sharedMaxBytes: 4096
            ),
            descriptors: "shop.binpb"
        ),
        .lua(script: "rewrite.lua", reload: true),
        .rules("rules.yaml", maxPaused: 4),
        .correlate(
            [
                "traceparent", "$.id",
                .init(
                    header: "X-ID",
                    in: .request,
                    tag: "t",
                    decode: [.percent, .base64],
                    separator: ".",
                    parts: ["_", .init("user", decode: [.hex])]
                ),
                .init(json: "$.a", in: .response, parts: [.init("b", json: "$.b")]),
            ],
            maxBytes: 100,
            maxBody: 1000
        ),
        .redact(
            preset: .strict,
            keep: ["$.total", "header X-Request-ID"],
            headers: ["X-A", .init("X-B", action: .remove)],
            cookies: ["sid"],
            query: ["q"],
            form: ["f"],
            json: ["$.a"],
            detectors: .named(["jwt"]),
            patterns: [.init(name: "badge", regex: "B([0-9]+)", group: 1)],
            allow: ["B1"],
            action: .hash,
            mask: "x",
            keyEnv: "KEY",
            keyFile: "key",
            mark: true,
            maxDepth: 10,
            maxDecodedBytes: 1000,
            maxTime: .milliseconds(20),
            keepTypes: ["application/pdf"],
            descriptors: "types.binpb"
        ),
        .limitBody(
            maxBytes: 10,
            skip: ["image/*"],
            request: .init(maxBytes: 5, skip: ["text/css"]),
            response: .init(maxBytes: 6, skip: []),
            messages: 7
        ),
        .stdout(
            format: .compact,
            verbose: true,
            maxBody: 10,
            colors: .never,
            stream: .stderr
        ),
        .ndjson(
            "a.ndjson",
            rotate: .init(size: 4096, age: .seconds(60), keep: 3, compress: .zstd),
            sync: true
        ),
        .sqlite(
            "a.db",
            retention: .init(count: 10, age: .seconds(86_400), bytes: 1 << 20),
            indexes: ["host"],
            sync: true,
            compress: true,
            inlineBodyMax: 100,
            busyTimeout: .milliseconds(5),
            checkpoint: 1 << 24,
            pathTemplates: 5,
            bodySetMemory: 1 << 20
        ),
        .summary("a.ndjson", every: .seconds(5)),
    ]

    private static let plugins = PluginRegistry.builtIn.all.filter {
        // This is the only source that an app can use; programs are named in files.
        ($0.kind != .source || $0.name == Composition.sourceName) && $0.name != "process"
    }

    @Test(arguments: plugins) func everyOptionCanBeSet(plugin: PluginDescription) throws {
        let components = Self.all.filter { $0.plugin == plugin.name }
        #expect(!components.isEmpty, "'\(plugin.name)' cannot be put together in code")
        let set = Set(components.flatMap { $0.options.flatMap { Self.names($0.name, $0.value) } })
        let declared = Set(Self.names(in: plugin.options.table()))
        #expect(declared.subtracting(set) == [])
        #expect(components.allSatisfy { $0.place.rawValue == plugin.kind.rawValue })
    }

    /// The names, types and units of all options are valid.
    @Test func everyOptionThatCanBeSetIsKnown() throws {
        for component in Self.all {
            var diagnostics = Diagnostics()
            let plugin = try #require(Self.plugins.first { $0.name == component.plugin })
            let file = Composition(components: [component], maxBodySize: 0, capturesShared: true)
                .node(into: &diagnostics)
            let list = try #require(file["\(component.place.rawValue)s"]?.elements)
            let node = try #require(list.first?[component.plugin])
            let options = plugin.options.decode(
                node,
                owner: plugin.name,
                into: &diagnostics,
                environment: Environment()
            )
            #expect(options != nil, "\(diagnostics.rendered)")
        }
    }

    @Test func everyLimitOfTheRuntimeCanBeSet() throws {
        let table = try #require(PipelineSchema.tables.first { $0.title == "runtime" })
        let runtime = Component.runtime(
            memory: 1 << 20,
            drainTimeout: .milliseconds(1500),
            spill: "/tmp",
            provenance: true,
            maxExchangesInFlight: 7,
            shed: Component.Shedding(cpu: "90%", memory: "80%")
        )
        // Apps do not link the control listener, and have no file to watch.
        let names = Self.names(in: table.text).filter {
            !$0.hasPrefix("control") && $0 != "watch" && !$0.contains(".")
        }
        #expect(runtime.options.map(\.name) == names)
        let composition = Composition(
            components: [.terminal, runtime],
            maxBodySize: 0,
            capturesShared: true
        )
        let topology = try Tap.build(PluginRegistry()) { builder, diagnostics in
            builder.build(composition.node(into: &diagnostics), into: &diagnostics)
        }
        #expect(topology.memory == 1 << 20 && topology.drainTimeout == Microseconds(1_500_000))
        #expect(topology.spillFolder == "/tmp" && topology.recordsProvenance)
    }

    @Test func commonKeysCanBeSet() throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let tap = Tap {
            Component.lua(code: "function request(ex) end").id("script").onError(.abort)
                .buffer([.request], maxBuffer: 1 << 21).when("method == \"GET\"")
            Component.ndjson("\(folder)/all.ndjson").id("file")
                .queue(
                    maxExchanges: 10,
                    maxBytes: 1 << 20,
                    overflow: .dropOldest,
                    spillMaxBytes: 1 << 20
                )
                .retry(initial: .milliseconds(1), maxInterval: .seconds(1), maxElapsed: .seconds(2))
        }
        try tap.start()
        tap.stop()
        let names = Set(
            [
                Component.lua(code: "").id("").onError(.pass).buffer([], maxBuffer: 1).when(""),
                Component.terminal.queue().retry(),
            ]
            .flatMap { $0.common.map(\.name) }
        )
        let declared = PipelineSchema.tables.flatMap { Self.names(in: $0.text) }
        #expect(names == ["id", "when", "on_error", "buffer", "max_buffer", "queue", "retry"])
        #expect(names.isSubset(of: declared))
    }

    /// The example of the reference page, copied literally.
    @Test func theExampleIsAccepted() throws {
        let tap = Tap {
            Component.urlProtocol(captureMaxBytes: 64 << 10).when("host != \"metrics.test\"")
            Component.correlate([
                "traceparent", .init(header: "X-Conversation-ID", decode: [.base64]),
            ])
            Component.redact(json: ["email", .init("$.user.id", action: .remove)])
            Component.sqlite("traffic.db", retention: .init(count: 10_000, age: .seconds(86_400)))
            Component.summary("api-traffic.ndjson", every: .seconds(300)).when(
                "host == \"shop.test\""
            )
            Component.runtime(memory: 128 << 20, drainTimeout: .seconds(5))
        }
        #expect(!tap.isRunning)
        let components = [
            Component.correlate([
                "traceparent", .init(header: "X-Conversation-ID", decode: [.base64]),
            ]),
            .redact(json: ["email", .init("$.user.id", action: .remove)]),
        ]
        #expect(try components.stages(PluginRegistry()).count == 2)
    }

    /// Returns the names of an option and its suboptions, as in the tables.
    private static func names(_ name: String, _ value: Component.Value) -> [String] {
        guard case .map(let pairs) = value else { return [name] }
        return [name] + pairs.flatMap { names("\(name).\($0.name)", $0.value) }
    }

    private static func names(in table: String) -> [String] {
        table.split(separator: "\n").compactMap { line in
            line.hasPrefix("| `") ? String(line.dropFirst(3).prefix { $0 != "`" }) : nil
        }
    }
}
