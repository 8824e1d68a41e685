// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineConfig
internal import TaplineMatching
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStore
internal import TaplineSystem

/// Compares the answers of a replay with the recorded ones.
///
/// A sink keeps the exchanges of the replay up to 256 MiB. Then, and at the end, the recording is
/// read, and they are compared with what they repeat.
///
/// **Isolation**: any thread.
final class ReplayComparison: Sendable {
    /// The name of the sink.
    static let name = "compare"
    private static let maxMemory = 256 << 20

    private struct State: ~Copyable {
        var comparison: Comparison
        let cleaning: Cleaning
        /// The exchanges of the replay by the id of the recorded one.
        var held: [ExchangeID: [Exchange]] = [:]
        var memory = 0
        /// How many exchanges repeat none of the recordings, or were dropped by the redaction.
        var unknown = 0
    }

    /// Ends a pass when nothing is left to compare.
    private struct Done: Error {}

    private let recordings: [String]
    /// Whether the exchanges of the replay are redacted, so that the recorded ones have to be, too.
    private let isRedacted: Bool
    /// Whether the exchanges of the replay are redacted by the stages of a file, if at all.
    private let hasOwnStages: Bool
    private let maxDifferences: Int
    private let format: ComparisonFormat
    private let output: String?
    private let console: Console
    private let state: Mutex<State>

    /// Prepares the comparison of a replay whose exchanges the preset redacts; `nil` if the stages
    /// that redact cannot be built.
    ///
    /// - Throws: An error that says why they cannot.
    init?(redactedIn invocation: Invocation) throws {
        recordings = invocation.operands
        isRedacted = true
        hasOwnStages = false
        maxDifferences = 0
        format = .json
        output = nil
        console = invocation.console
        guard let chain = try ShareCommand.redaction("standard", invocation) else { return nil }
        let cleaning = Cleaning(chain)
        state = Mutex(
            State(
                comparison: Comparison(ComparisonOptions(), clean: cleaning.clean),
                cleaning: cleaning
            )
        )
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
        isRedacted = invocation.has("out") || invocation.has("config")
        hasOwnStages = invocation.has("config")
        maxDifferences = try invocation.number("max-differences") ?? 0
        format = invocation.value("report").flatMap(ComparisonFormat.init(rawValue:)) ?? .text
        output = invocation.value("report-out")
        console = invocation.console
        if let output, try FileSystem.status(of: output)?.kind == .regular {
            throw UsageError(message: "'\(output)' exists; '--report-out' needs a new file")
        }
        let options = ComparisonOptions(noise: try DiffArguments.rules(invocation))
        guard let chain = try ShareCommand.redaction("standard", invocation) else { return nil }
        let cleaning = Cleaning(chain)
        state = Mutex(
            State(comparison: Comparison(options, clean: cleaning.clean), cleaning: cleaning)
        )
    }

    /// The sink that takes the exchanges of the replay.
    var plugin: SinkPlugin {
        SinkPlugin(
            name: Self.name,
            summary: "Compares answers with the recorded ones.",
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

    /// Keeps exchanges of the replay.
    func add(_ batch: [Record]) throws {
        try state.withLock { state in
            for record in batch {
                guard let original = record.exchange.extra?.replay?.original else {
                    state.unknown += 1
                    continue
                }
                var kept = record.exchange
                kept.request.body.bytes = []
                state.memory += kept.memory
                state.held[original, default: []].append(kept)
            }
            if state.memory > Self.maxMemory { try compare(&state) }
        }
    }

    /// Reads the recordings, and compares what is kept.
    private func compare(_ state: inout State) throws {
        let stores = try StoreSet(recordings) { _ in }
        let query = StoreQuery(order: .oldestFirst, parts: [.fields, .bodies, .extra])
        do {
            try stores.forEach(query) { stored in
                guard let found = state.held.removeValue(forKey: stored.exchange.id) else { return }
                let cleaning = state.cleaning
                let recorded = isRedacted ? cleaning.clean(stored.exchange) : stored.exchange
                for exchange in found {
                    // The stages of a file may mask less than the preset does.
                    let shown = hasOwnStages ? cleaning.clean(exchange) : exchange
                    if let recorded, let shown {
                        state.comparison.add(recorded, shown)
                    } else {
                        state.unknown += 1
                    }
                }
                if state.held.isEmpty { throw Done() }
            }
        } catch is Done {}
        state.unknown += state.held.count
        state.held.removeAll()
        state.memory = 0
    }

    /// Compares what is left.
    ///
    /// - Returns: The report, and how many exchanges repeat none of the recordings.
    func result() throws -> (ComparisonReport, unknown: Int) {
        try state.withLock { state in
            try compare(&state)
            return (state.comparison.report, state.unknown)
        }
    }

    /// Compares what is left, and writes the report.
    ///
    /// - Returns: The exit code.
    func finish() throws -> ExitCode {
        let (report, unknown) = try result()
        let names = recordings.map(FileSystem.name(of:)).joined(separator: ", ")
        let written = ComparisonOutput(report, names: (names, "the replay"))
        if let output {
            let bytes = written.bytes(format)
            try OutputFile.write(to: output) { try $0.write(bytes.span) }
            console.note("\(written.summary); written to \(output)")
        } else {
            console.write(written.bytes(format))
        }
        if unknown > 0 {
            console.note(
                "warning: \(Counted.text(unknown, "exchange")) not found in the recording"
            )
        }
        guard report.pairs > 0 else {
            console.note("tapline: error: there is nothing to compare")
            return .failure
        }
        return report.count > maxDifferences ? .failure : .success
    }
}
