// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineMatching
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStore
internal import TaplineSystem

/// `tapline diff A B`.
enum DiffCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        StoreSet.prepareProgram()
        do {
            return try compare(invocation)
        } catch let error as WrongRules {
            invocation.console.note("\(error)")
            return .configuration
        } catch is QueryCancelled {
            return .interrupted
        } catch {
            return invocation.report(error)
        }
    }

    private static func compare(_ invocation: Invocation) throws -> ExitCode {
        var arguments = try DiffArguments(invocation)
        let types = arguments.options.schema
        guard let chain = try ShareCommand.redaction(arguments.preset, invocation, types: types)
        else { return .configuration }
        let cleaning = Cleaning(chain)
        let console = invocation.console
        let watch = QueryWatch(console, verb: "compared")
        defer { watch.end() }
        let recorded = try Recording(arguments.recorded, arguments, console, watch.progress)
        if arguments.learned != nil || !arguments.same.isEmpty {
            let rules = try learn(recorded, arguments, cleaning, console, watch.progress)
            arguments.options.noise.append(contentsOf: rules)
        }
        guard let name = arguments.found else {
            return recorded.problems > 0 ? .failure : .success
        }
        let found = try Recording(name, arguments, console, watch.progress)
        let names = (FileSystem.name(of: arguments.recorded), FileSystem.name(of: name))
        var consumer = PairConsumer(arguments.options, cleaning)
        if arguments.format == .html { consumer.keepsExchanges(names) }
        try RecordingPairs(recorded, found).forEach { pair in
            switch pair {
            case .both(let recorded, let found): consumer.add(recorded, found)
            case .missing(let recorded): consumer.addMissing(recorded)
            case .extra(let found): consumer.addExtra(found)
            }
        }
        let report = consumer.comparison.report
        watch.end()
        let output = ComparisonOutput(
            report,
            names: names,
            exchanges: consumer.exchanges,
            redaction: arguments.preset
        )
        try write(output, arguments, invocation)
        return code(of: report, arguments, recorded.problems + found.problems, console)
    }

    private static func code(
        of report: ComparisonReport,
        _ arguments: DiffArguments,
        _ problems: Int,
        _ console: Console
    ) -> ExitCode {
        guard report.pairs > 0 || report.count > 0 else {
            console.note("tapline: error: there is nothing to compare")
            return .failure
        }
        return report.count > arguments.maxDifferences || problems > 0 ? .failure : .success
    }

    /// Learns what varies by itself, and writes it if that is wanted.
    private static func learn(
        _ recorded: Recording,
        _ arguments: DiffArguments,
        _ cleaning: Cleaning,
        _ console: Console,
        _ progress: QueryProgress
    ) throws -> NoiseRules {
        var learning = NoiseLearning(arguments.options, clean: cleaning.clean)
        for name in arguments.same {
            let other = try Recording(name, arguments, console, progress)
            try RecordingPairs(recorded, other).forEach { pair in
                guard case .both(let first, let second) = pair else { return }
                learning.add(first, second, .secondRun)
            }
        }
        if arguments.learned != nil {
            try recorded.forEachRepeat { learning.add($0, $1, .repeats) }
        }
        let rules = learning.finish()
        guard let path = arguments.learned else { return rules }
        try LearnedRules.write(rules, to: path, console)
        return rules
    }

    private static func write(
        _ output: ComparisonOutput,
        _ arguments: DiffArguments,
        _ invocation: Invocation
    ) throws {
        try ReportSearch.check(output, invocation)
        let isText = arguments.format == .text
        let bytes = try output.bytes(
            arguments.format,
            isColoured: invocation.usesColours && arguments.output == nil && isText
        )
        guard let path = arguments.output else { return invocation.console.write(bytes) }
        try OutputFile.write(to: path) { try $0.write(bytes.span) }
        invocation.console.note("\(output.summary); written to \(path)")
    }
}

/// Redacts what a comparison shows.
///
/// **Isolation**: one thread at a time.
final class Cleaning {
    private var chain: RecordChain

    init(_ chain: RecordChain) { self.chain = chain }

    /// Returns an exchange as the stages leave it; `nil` if they drop it or fail.
    func clean(_ exchange: Exchange) -> Exchange? {
        guard case .sealed(let record) = chain.seal(exchange) else { return nil }
        return record.exchange
    }
}
