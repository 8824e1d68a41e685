// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineJSON
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

    /// The options that are options of the source of the same meaning; a plain value is a number.
    private static let options: [(option: String, key: StaticString, isPlain: Bool)] = [
        ("rate", "rate", false), ("speed", "speed", false), ("concurrency", "concurrency", true),
        ("when-full", "when_full", false), ("for", "for", false), ("loop", "loop", true),
        ("limit", "limit", true), ("sessions", "sessions", false), ("map", "map", false),
        ("map-file", "map_file", false),
    ]

    /// The list `sources` of the pipeline.
    let sources: String
    /// The entry in the list `sinks` of the pipeline for `--out`; `nil` without it.
    let output: String?
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
        output = try invocation.value("out").map { try Self.sink($0) }
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
    ) throws -> String {
        var json = JSONWriter()
        json.beginArray()
        for (number, targets) in targets.enumerated() {
            try source(targets, number, filter, invocation, to: &json)
        }
        json.endArray()
        return String(decoding: Array(copying: json.bytes), as: UTF8.self)
    }

    private static func source(
        _ targets: [String],
        _ number: Int,
        _ filter: String?,
        _ invocation: Invocation,
        to json: inout JSONWriter
    ) throws {
        json.beginObject()
        json.key("id")
        json.string(ids[number])
        json.key("client_replay")
        json.beginObject()
        json.key("path")
        json.beginArray()
        for path in invocation.operands { json.string(path.literalOptionValue) }
        json.endArray()
        json.key("to")
        try write(targets, of: number == 0 ? "to" : "and", to: &json)
        if let filter {
            json.key("filter")
            json.string(filter)
        }
        for (option, key, isPlain) in options {
            guard let value = invocation.value(option) else { continue }
            // A new file of tokens is written once; both sources find the same ones.
            if option == "map-file", number > 0, try FileSystem.status(of: value) == nil {
                continue
            }
            json.key(key)
            if option == "loop", value == "true" || value == "false" {
                json.bool(value == "true")
            } else if isPlain {
                json.integer(try invocation.number(option) ?? 0)
            } else {
                // Like a filter, 'sessions' is never interpolated.
                json.string(option == "sessions" ? value : value.literalOptionValue)
            }
        }
        let auth = invocation.values("auth")
        if !auth.isEmpty {
            json.key("auth")
            try write(auth: auth, to: &json)
        }
        let flags: [(String, StaticString)] = [("unsafe", "unsafe"), ("dry-run", "dry_run")]
        for (option, key) in flags where invocation.has(option) {
            json.key(key)
            json.bool(true)
        }
        if invocation.has("and") {
            json.key("together")
            json.bool(true)
        }
        if invocation.has("learn"), number > 0 {
            json.key("delay")
            json.string(learningDelay)
        }
        json.endObject()
        json.endObject()
    }

    /// Writes the value of `to`, which an option of the command gives: a URL, or a mapping from hosts
    /// to URLs.
    private static func write(
        _ targets: [String],
        of option: String,
        to json: inout JSONWriter
    ) throws(UsageError) {
        if targets.count == 1, !hasHost(targets[0]) {
            return json.string(targets[0].literalOptionValue)
        }
        json.beginObject()
        for target in targets {
            let parts = target.split(separator: "=", maxSplits: 1)
            guard hasHost(target), parts.count == 2 else {
                throw UsageError(
                    message: "wrong value of '--\(option)'; found '\(target)' beside others, "
                        + "expected HOST=URL for each"
                )
            }
            json.key(String(parts[0]).utf8.span)
            json.string(String(parts[1]).literalOptionValue)
        }
        json.endObject()
    }

    /// Writes the value of `auth`: a mapping from places to environment variables.
    private static func write(
        auth: [String],
        to json: inout JSONWriter
    ) throws(UsageError) {
        json.beginObject()
        for text in auth {
            guard let equals = text.lastIndex(of: "="), text.index(after: equals) < text.endIndex
            else {
                throw UsageError(
                    message: "wrong value of '--auth'; found '\(text)', expected PLACE=VARIABLE"
                )
            }
            json.key(String(text[..<equals]).utf8.span)
            json.string(String(text[text.index(after: equals)...]).literalOptionValue)
        }
        json.endObject()
    }

    /// Whether a value has the form `HOST=URL`; a URL may have `=` after its scheme only.
    private static func hasHost(_ target: String) -> Bool {
        target.prefix { $0 != "=" && $0 != "/" }.count < target.count
            && target.first { $0 == "=" || $0 == "/" } == "="
    }

    private static func sink(_ path: String) throws -> String {
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
        return sink.text
    }

    /// The pipeline without a file: records are redacted and written to the file of `--out`, or
    /// discarded.
    var pipeline: String {
        """
        version: 1
        sources: \(sources)
        stages: \(output == nil ? "[]" : "[{ redact: { preset: standard, detectors: standard } }]")
        sinks: [\(sinks.joined(separator: ", "))]
        """
    }

    /// The pipeline that records the exchanges, redacted, in a database that may exist, and compares
    /// them.
    func pipeline(recordingIn database: String) -> String {
        var json = JSONWriter()
        json.object { json in
            json.key("sqlite")
            json.object { $0.member("path", database.literalOptionValue) }
        }
        let sink = String(decoding: Array(copying: json.bytes), as: UTF8.self)
        return """
            version: 1
            sources: \(sources)
            stages: [{ id: last, redact: { preset: standard, detectors: standard } }]
            sinks: [\(sink), { \(ReplayComparison.name): {} }]
            """
    }

    private var sinks: [String] {
        let sinks = [output, compares ? "{ \(ReplayComparison.name): {} }" : nil]
            .compactMap(\.self)
        return sinks.isEmpty ? ["{ \(DiscardingSink.name): {} }"] : sinks
    }

    /// Puts the source, and the sinks of `--out` and `--compare`, into the pipeline of a file.
    func adapt(_ root: ConfigNode) -> ConfigNode {
        var ignored = Diagnostics()
        let own = ConfigReader().read(ConfigSource(name: "replay", text: pipeline), into: &ignored)
        guard let own, var pairs = root.pairs, let sources = own.pair("sources") else {
            return root
        }
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
