// SPDX-License-Identifier: MIT

internal import TaplineBuiltIns
internal import TaplineConfig
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineProxy
internal import TaplineRuntime
internal import TaplineSystem

/// A value of an option.
enum OptionValue: Sendable {
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([String])
    case map([String: String])

    func write(to json: inout JSONWriter) {
        switch self {
        case .text(let text): json.string(text)
        case .number(let number): json.integer(number)
        case .flag(let flag): json.bool(flag)
        case .list(let texts):
            json.beginArray()
            for text in texts { json.string(text) }
            json.endArray()
        case .map(let texts):
            json.beginObject()
            for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
                json.key(key.utf8.span)
                json.string(text)
            }
            json.endObject()
        }
    }
}

extension Topology {
    /// Makes a pipeline of one source, whose exchanges stay in memory.
    ///
    /// - Parameters:
    ///   - source: The name of the source's plugin.
    ///   - options: Its options.
    ///   - rules: The file of the stage `rules`; `nil` for no stage.
    ///   - kept: Takes the exchanges.
    /// - Returns: The pipeline.
    /// - Throws: `ReplayError` with all problems.
    static func test(
        _ source: StaticString,
        _ options: [(StaticString, OptionValue)],
        rules: String? = nil,
        keeping kept: KeptExchanges
    ) throws(ReplayError) -> Topology {
        // JSON is YAML, so the options are read and checked as those of a file.
        var json = JSONWriter()
        json.beginObject()
        json.member("version", 1)
        json.key("sources")
        json.beginArray()
        json.beginObject()
        json.key(source)
        json.beginObject()
        for (name, value) in options {
            json.key(name)
            value.write(to: &json)
        }
        json.endObject()
        json.endObject()
        json.endArray()
        if let rules {
            json.key("stages")
            json.beginArray()
            json.object { json in
                json.key("rules")
                json.object { $0.member("file", rules) }
            }
            json.endArray()
        }
        json.key("sinks")
        json.beginArray()
        json.string(KeptExchanges.name)
        json.endArray()
        json.endObject()

        var diagnostics = Diagnostics()
        let text = ConfigSource(name: "\(source)", bytes: Array(copying: json.bytes), folder: ".")
        var builder = TopologyBuilder(
            registry: PluginRegistry.builtIn.adding(.proxy)
                .adding(PluginRegistry(sinks: [kept.plugin])),
            environment: Environment(ProcessEnvironment.variables)
        )
        builder.purpose = .run
        guard let root = ConfigReader().read(text, into: &diagnostics),
            let topology = builder.build(root, into: &diagnostics)
        else { throw ReplayError([diagnostics.rendered]) }
        return topology
    }
}

extension Timestamp {
    /// The time of the wall clock.
    static var now: Timestamp { Timestamp(microseconds: WallClock.microseconds) }
}
