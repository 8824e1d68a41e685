// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineStore
internal import TaplineSystem

/// The arguments of `tapline replay`, as the source of a pipeline.
struct ReplayArguments {
    /// The ids of the sources: that of `--to`, and that of `--and`.
    static let ids = ["client_replay", "client_replay-2"]
    /// How much later the second server gets the requests while rules are learnt: times in seconds
    /// would be equal for both otherwise.
    private static let learningDelay = "1100ms"
    /// The id of the sink that `--out` adds.
    private static let sink = "replayed"

    /// The options that are options of the source of the same meaning.
    private static let options: [(option: String, key: String, kind: ArgumentValue.Kind)] = [
        ("rate", "rate", .literal), ("speed", "speed", .literal),
        ("concurrency", "concurrency", .plain), ("when-full", "when_full", .literal),
        ("for", "for", .literal), ("loop", "loop", .plain), ("limit", "limit", .plain),
        // Like a filter, 'sessions' is never interpolated.
        ("sessions", "sessions", .text), ("map", "map", .literal),
        ("map-file", "map_file", .literal),
    ]

    /// The list `sources` of the pipeline.
    let sources: ConfigNode
    /// The entry in the list `sinks` of the pipeline for `--out`; `nil` without it.
    let output: ConfigNode?
    /// Whether answers are compared, or what varies is learnt from them.
    let compares: Bool

    init(_ invocation: Invocation) throws {
        compares = invocation.has("compare") || invocation.has("learn")
        let targets = [invocation.values("to"), invocation.values("and")].filter { !$0.isEmpty }
        try Self.check(invocation)
        var filter: String?
        if let text = invocation.value("filter") {
            filter = try StoreArguments.filter(
                text,
                orElse: "filter",
                of: { try StoreSet(invocation.operands) },
                invocation.environment
            ).text
        }
        sources = try Self.sources(targets, filter, invocation)
        output = try invocation.value("out").map { try Self.outputSink($0) }
    }

    private static func check(_ invocation: Invocation) throws(UsageError) {
        guard invocation.has("to") else {
            throw UsageError(
                message: "'replay' needs '--to'; expected a URL such as http://127.0.0.1:9000"
            )
        }
        if invocation.has("compare"), invocation.has("learn") {
            throw UsageError(
                message: "'--learn' excludes '--compare'",
                help: "learn from the same build first, and compare with '--noise' then"
            )
        }
        if let option = ["report", "report-out", "max-differences"].first(where: invocation.has),
            !invocation.has("compare")
        {
            throw UsageError(message: "'--\(option)' needs '--compare'")
        }
        guard invocation.has("and") else { return }
        if !invocation.has("compare"), !invocation.has("learn"), !invocation.has("dry-run") {
            throw UsageError(message: "'--and' needs '--compare', '--learn' or '--dry-run'")
        }
        if invocation.has("out") {
            throw UsageError(
                message: "'--and' excludes '--out'",
                help: "send the recording to each server with '--out', and compare the files with "
                    + "'tapline diff'"
            )
        }
    }

    /// Returns a source for each list of targets; they have the same options, and start together.
    private static func sources(
        _ targets: [[String]],
        _ filter: String?,
        _ invocation: Invocation
    ) throws -> ConfigNode {
        let sources = try targets.enumerated().map { number, targets in
            let options = try options(targets, number, filter, invocation)
            return ConfigNode.generated(mapping: [
                ("id", .generated(ids[number])), ("client_replay", .generated(mapping: options)),
            ])
        }
        return .generated(list: sources)
    }

    /// Returns the options of one source.
    private static func options(
        _ targets: [String],
        _ number: Int,
        _ filter: String?,
        _ invocation: Invocation
    ) throws -> [(String, ConfigNode)] {
        let paths = invocation.operands.map { ArgumentValue($0, of: "REC").node(.literal) }
        var result: [(String, ConfigNode)] = [
            ("path", .generated(list: paths)),
            ("to", try node(of: targets, "--\(number == 0 ? "to" : "and")")),
        ]
        if let filter {
            result.append(("filter", ArgumentValue(filter, of: "--filter").node(.text)))
        }
        for (option, key, kind) in options {
            guard let value = invocation.value(option) else { continue }
            // A new file of tokens is written once; both sources find the same ones.
            if option == "map-file", number > 0, try FileSystem.status(of: value) == nil {
                continue
            }
            let isFlag = option == "loop" && (value == "true" || value == "false")
            if kind == .plain, !isFlag { _ = try invocation.number(option) }
            result.append((key, ArgumentValue(value, of: "--\(option)").node(kind)))
        }
        let auth = invocation.values("auth")
        if !auth.isEmpty { result.append(("auth", try node(ofAuth: auth))) }
        for (option, key) in [("unsafe", "unsafe"), ("dry-run", "dry_run")]
        where invocation.has(option) {
            result.append((key, ArgumentValue("true", of: "--\(option)").node(.plain)))
        }
        if invocation.has("and") { result.append(("together", .generated("true"))) }
        if invocation.has("learn"), number > 0 {
            result.append(("delay", .generated(learningDelay)))
        }
        return result
    }

    /// Returns the value of `to`, which an option of the command gives: a URL, or a mapping from hosts
    /// to URLs.
    private static func node(
        of targets: [String],
        _ option: String
    ) throws(UsageError) -> ConfigNode {
        let values = targets.map { ArgumentValue($0, of: option) }
        if targets.count == 1, !hasHost(targets[0]) { return values[0].node(.literal) }
        var pairs: [ConfigNode.Pair] = []
        for (target, value) in zip(targets, values) {
            let parts = target.split(separator: "=", maxSplits: 1)
            guard hasHost(target), parts.count == 2 else {
                throw UsageError(
                    message: "wrong value of '\(option)'; found '\(target)' beside others, "
                        + "expected HOST=URL for each"
                )
            }
            pairs.append((value.node(parts[0], .text), value.node(parts[1], .literal)))
        }
        return ConfigNode(.mapping(pairs), at: values[0].location)
    }

    /// Returns the value of `auth`: a mapping from places to environment variables.
    private static func node(ofAuth auth: [String]) throws(UsageError) -> ConfigNode {
        var pairs: [ConfigNode.Pair] = []
        for text in auth {
            guard let equals = text.lastIndex(of: "="), text.index(after: equals) < text.endIndex
            else {
                throw UsageError(
                    message: "wrong value of '--auth'; found '\(text)', expected PLACE=VARIABLE"
                )
            }
            let value = ArgumentValue(text, of: "--auth")
            let variable = text[text.index(after: equals)...]
            pairs.append((value.node(text[..<equals], .text), value.node(variable, .literal)))
        }
        return ConfigNode(.mapping(pairs), at: ArgumentValue(auth[0], of: "--auth").location)
    }

    /// Whether a value has the form `HOST=URL`; a URL may have `=` after its scheme only.
    private static func hasHost(_ target: String) -> Bool {
        target.prefix { $0 != "=" && $0 != "/" }.count < target.count
            && target.first { $0 == "=" || $0 == "/" } == "="
    }

    private static func outputSink(_ path: String) throws -> ConfigNode {
        guard try FileSystem.status(of: path) == nil else {
            throw UsageError(message: "'\(path)' exists; '--out' needs a new file")
        }
        let sink = AddedSink(path: path, id: Self.sink)
        guard sink.isKnown else {
            throw UsageError(
                message: "wrong value of '--out'; found '\(path)', expected a file "
                    + AddedSink.suffixes
            )
        }
        return sink.node(of: "--out")
    }

    /// The pipeline without a file: records are redacted and written to the file of `--out`, or
    /// discarded.
    var pipeline: ConfigNode {
        let stages = output == nil ? [] : [ConfigNode.generated(mapping: [Self.redaction])]
        return pipeline(stages, sinks)
    }

    /// The pipeline that records the exchanges, redacted, in a database that may exist, and compares
    /// them.
    func pipeline(recordingIn database: String) -> ConfigNode {
        let path = ArgumentValue(database, of: "--out").node(.literal)
        let sink = ConfigNode.generated(mapping: [
            ("sqlite", .generated(mapping: [("path", path)]))
        ])
        return pipeline(
            [.generated(mapping: [("id", .generated("last")), Self.redaction])],
            [sink, Self.sink(ReplayComparison.name)]
        )
    }

    private func pipeline(_ stages: [ConfigNode], _ sinks: [ConfigNode]) -> ConfigNode {
        .generated(mapping: [
            ("version", .generated("1")), ("sources", sources),
            ("stages", .generated(list: stages)), ("sinks", .generated(list: sinks)),
        ])
    }

    private static var redaction: (String, ConfigNode) {
        let standard = ConfigNode.generated("standard")
        return ("redact", .generated(mapping: [("preset", standard), ("detectors", standard)]))
    }

    private var sinks: [ConfigNode] {
        let sinks = [output, compares ? Self.sink(ReplayComparison.name) : nil]
            .compactMap(\.self)
        return sinks.isEmpty ? [Self.sink(DiscardingSink.name)] : sinks
    }

    /// A sink without options.
    private static func sink(_ name: String) -> ConfigNode {
        .generated(mapping: [(name, .generated(mapping: []))])
    }

    /// Puts the source, and the sinks of `--out` and `--compare`, into the pipeline of a file.
    func adapt(_ root: ConfigNode) -> ConfigNode {
        let own = pipeline
        guard var pairs = root.pairs, let sources = own.pair("sources") else { return root }
        pairs.removeAll { $0.key.text == "sources" }
        pairs.append(sources)
        let adapted = ConfigNode(.mapping(pairs), at: root.location)
        let needsSinks = output != nil || compares || root["sinks"] == nil
        return needsSinks ? adapted.addingSinks(of: own) : adapted
    }
}

/// A sink that discards all records, for a replay whose figures are all that matters.
enum DiscardingSink {
    static let name = "discard"

    static let plugin = SinkPlugin(
        name: name,
        summary: "Discards all records.",
        options: OptionSchema(),
        build: { _, _ in Factory() }
    )

    private struct Factory: SinkFactory {
        var staysInMemory: Bool { true }

        func open(_ context: SinkContext) throws -> any Sink { Discarding() }
    }

    private final class Discarding: Sink {
        func write(_ batch: [Record]) throws -> WriteResult { .written }
    }
}
