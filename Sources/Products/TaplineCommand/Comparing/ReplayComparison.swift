// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineMatching
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// Compares the answers of a replay with the recorded ones, or those of two servers, or learns what
/// varies between them.
///
/// A sink takes the exchanges of the replay.
///
/// **Isolation**: any thread.
final class ReplayComparison: Sendable {
    /// The name of the sink.
    static let name = "compare"

    private struct State: ~Copyable {
        var consumer: PairConsumer
        /// `nil` before `begin`.
        var pairing: (any ReplayPairing)?
    }

    private let recordings: [String]
    /// Whether there are two servers.
    private let hasTwoTargets: Bool
    private let maxDifferences: Int
    private let format: ComparisonFormat
    private let output: String?
    /// Where to write learnt rules; `nil` to compare.
    private let learned: String?
    private let invocation: Invocation
    private let state: Mutex<State>

    /// Prepares the comparison of a replay with its recordings, without a report in a file; `nil` if
    /// the stages that redact cannot be built.
    ///
    /// - Throws: An error that says why they cannot.
    init?(redactedIn invocation: Invocation) throws {
        recordings = invocation.operands
        hasTwoTargets = false
        maxDifferences = 0
        format = .json
        output = nil
        learned = nil
        self.invocation = invocation
        guard let chain = try ShareCommand.redaction("standard", invocation) else { return nil }
        let consumer = PairConsumer(ComparisonOptions(), Cleaning(chain))
        state = Mutex(State(consumer: consumer, pairing: nil))
    }

    /// Prepares a comparison; `nil` if the stages that redact cannot be built.
    ///
    /// - Throws: `UsageError`, or `WrongRules`.
    init?(_ invocation: Invocation) throws {
        if invocation.operands.contains("-") {
            throw UsageError(
                message: "'-' cannot be compared, since it is read more than once",
                help: "write standard input to a file first"
            )
        }
        recordings = invocation.operands
        hasTwoTargets = invocation.has("and")
        maxDifferences = try invocation.number("max-differences") ?? 0
        format = invocation.value("report").flatMap(ComparisonFormat.init(rawValue:)) ?? .text
        output = invocation.value("report-out")
        learned = invocation.value("learn")
        self.invocation = invocation
        for (path, option) in [(output, "report-out"), (learned, "learn")] {
            guard let path, try FileSystem.status(of: path)?.kind == .regular else { continue }
            throw UsageError(message: "'\(path)' exists; '--\(option)' needs a new file")
        }
        let options = ComparisonOptions(noise: try DiffArguments.rules(invocation))
        let preset = Self.preset(format)
        guard let chain = try ShareCommand.redaction(preset, invocation) else { return nil }
        var consumer = PairConsumer(options, Cleaning(chain), learns: learned != nil)
        if format == .html { consumer.keepsExchanges(Self.sides(recordings, hasTwoTargets)) }
        state = Mutex(State(consumer: consumer, pairing: nil))
    }

    /// The sink that takes the exchanges of the replay.
    var plugin: SinkPlugin {
        SinkPlugin(
            name: Self.name,
            summary: "Compares the answers of a replay.",
            options: OptionSchema(),
            build: { _, _ in Factory(comparison: self) }
        )
    }

    private struct Factory: SinkFactory {
        let comparison: ReplayComparison
        var staysInMemory: Bool { true }

        func open(_ context: SinkContext) throws -> any Sink { Collector(comparison) }
    }

    private final class Collector: Sink {
        private let comparison: ReplayComparison

        init(_ comparison: ReplayComparison) { self.comparison = comparison }

        func write(_ batch: [Record]) throws -> WriteResult {
            try comparison.add(batch)
            return .written
        }
    }

    /// Begins to compare, before the first exchange.
    ///
    /// - Parameter stages: Those of the replay. Recorded exchanges pass them, too, so that both
    ///   sides are redacted alike.
    /// - Throws: The error of a stage that cannot be started.
    func begin(_ stages: [Topology.Stage]) throws {
        try state.withLock { state in
            if hasTwoTargets {
                state.pairing = TargetPairs(base: ReplayArguments.ids[0])
            } else {
                let running = try RecordStages(stages, seed: .random(in: 0 ... .max)) {
                    Timestamp(microseconds: WallClock.microseconds)
                }
                state.pairing = RecordedPairs(recordings, running)
            }
        }
    }

    /// Takes exchanges of the replay.
    func add(_ batch: [Record]) throws {
        try state.withLock { state in
            for record in batch { try state.pairing?.add(record, to: &state.consumer) }
        }
    }

    /// Compares what is left.
    ///
    /// - Returns: The report, and what could not be compared, as sentences.
    func result() throws -> (report: ComparisonReport, warnings: [String]) {
        try state.withLock { state in
            try state.pairing?.finish(to: &state.consumer)
            return (state.consumer.comparison.report, state.pairing?.warnings ?? [])
        }
    }

    /// Compares what is left, and writes the report or the rules.
    ///
    /// - Parameter targets: The servers, for the title of the report.
    /// - Returns: The exit code.
    /// - Throws: If the recordings cannot be read, or the report cannot be written.
    func finish(_ targets: [String] = []) throws -> ExitCode {
        let (report, warnings) = try result()
        let (rules, pairs, exchanges) = state.withLock { state in
            (state.consumer.rules, state.consumer.count, state.consumer.exchanges)
        }
        if let learned {
            if pairs > 0 { try LearnedRules.write(rules, to: learned, console) }
        } else {
            try write(
                ComparisonOutput(
                    report,
                    names: names(targets),
                    exchanges: exchanges,
                    redaction: Self.preset(format)
                )
            )
        }
        for warning in warnings { console.note("warning: \(warning)") }
        guard pairs > 0 else {
            console.note("tapline: error: there is nothing to compare")
            return .failure
        }
        return report.count > maxDifferences ? .failure : .success
    }

    private var console: Console { invocation.console }

    private static func preset(_ format: ComparisonFormat) -> String {
        format == .html ? ReportSearch.preset : "standard"
    }

    private func names(_ targets: [String]) -> (recorded: String, found: String) {
        if hasTwoTargets, targets.count == 2 { return (targets[0], targets[1]) }
        return Self.sides(recordings, hasTwoTargets)
    }

    private static func sides(
        _ recordings: [String],
        _ hasTwoTargets: Bool
    ) -> (recorded: String, found: String) {
        if hasTwoTargets { return ("--to", "--and") }
        return (recordings.map(FileSystem.name(of:)).joined(separator: ", "), "the replay")
    }

    private func write(_ report: ComparisonOutput) throws {
        try ReportSearch.check(report, invocation)
        let bytes = try report.bytes(format)
        guard let output else { return console.write(bytes) }
        try OutputFile.write(to: output) { try $0.write(bytes.span) }
        console.note("\(report.summary); written to \(output)")
    }
}

/// The file of rules that `diff --learn` and `replay --learn` write.
enum LearnedRules {
    static func write(_ rules: NoiseRules, to path: String, _ console: Console) throws {
        let text = """
            # What varies by itself, learnt by 'tapline diff': check it before you rely on it.
            # METHOD ROUTE varies|ignore|unordered|key NAME PATH  # reason: how often

            """
        try OutputFile.write(to: path) { try $0.write((text + rules.text).utf8.span) }
        console.note("\(Counted.text(rules.lines.count, "rule")) written to \(path)")
    }
}
