// SPDX-License-Identifier: MIT

import Synchronization
import TaplineBuiltIns
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("tapline replay --compare")
struct ReplayComparisonTests {
    /// Compares answers, given by the number of the recorded exchange and their body, with ten
    /// recorded ones.
    private func compare(
        _ answers: [(number: Int, body: String)],
        _ options: [String: [String]] = [:],
        stages: [Topology.Stage] = []
    ) async throws -> Outcome {
        let stored = try await StoredTraffic(Exchange.examples(10))
        let output = Mutex<[UInt8]>([])
        let errors = Mutex<[UInt8]>([])
        let invocation = Invocation(
            operands: [stored.recording],
            options: options,
            program: TaplineCommand.program,
            registry: .builtIn,
            environment: Environment([:]),
            console: Console(
                isTerminal: false,
                output: { bytes in output.withLock { $0 += bytes } },
                errors: { bytes in errors.withLock { $0 += bytes } }
            )
        )
        let comparison = try #require(try ReplayComparison(invocation))
        try comparison.begin(stages)
        let running = try RecordStages(stages, seed: 1) { Timestamp(microseconds: 0) }
        for (number, body) in answers {
            var exchange = Exchange.example(100 + number, body: body)
            var extra = ExchangeExtra()
            extra.replay = ReplayFacts(of: Exchange.example(number).id)
            exchange.extra = extra
            guard case .sealed(let record) = running.seal(exchange) else { continue }
            try comparison.add([record])
        }
        let code = try comparison.finish()
        return Outcome(
            code: code,
            output: String(decoding: output.withLock { $0 }, as: UTF8.self),
            errors: String(decoding: errors.withLock { $0 }, as: UTF8.self)
        )
    }

    private func stages(_ text: String) throws -> [Topology.Stage] {
        var diagnostics = Diagnostics()
        let builder = TopologyBuilder(registry: .builtIn, environment: Environment([:]))
        let source = ConfigSource(
            name: "p.yaml",
            text: "version: 1\nsources: [replay]\nstages: [\(text)]\nsinks: [stdout]\n"
        )
        let root = try #require(ConfigReader().read(source, into: &diagnostics))
        return try #require(builder.stages(root, into: &diagnostics)?.stages, "\(diagnostics)")
    }

    @Test("compares each answer with what it repeats")
    func differences() async throws {
        let same = "{\"ok\":true}"
        let outcome = try await compare([(3, same), (1, "{\"ok\":false}"), (3, same)])
        #expect(outcome.code == .failure)
        #expect(
            outcome.output == """
                GET /items/{id}  1 of 3 pairs differs
                  $.ok changed, 1 time
                    \(Exchange.example(101).id) /items/1  true → false

                3 pairs compared, 1 differs, in 1 route

                """
        )
        let allowed = try await compare([(1, "{}")], ["max-differences": ["1"]])
        #expect(allowed.code == .success)
    }

    @Test("recorded exchanges pass the stages, too, so that what these mask does not differ")
    func redaction() async throws {
        let outcome = try await compare(
            [(1, "{\"ok\":\"secret\",\"more\":1}")],
            stages: try stages("{ redact: { json: [ok] } }")
        )
        #expect(outcome.code == .failure)
        #expect(outcome.output.contains("$.more is new, 1 time"))
        #expect(!outcome.output.contains("$.ok") && !outcome.output.contains("secret"))
    }

    @Test("fails if nothing was compared, and counts what repeats nothing")
    func nothing() async throws {
        let outcome = try await compare([(77, "{}")])
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("1 exchange not found in the recording"))
        #expect(outcome.errors.contains("there is nothing to compare"))
    }

    @Test("refuses standard input, which is read again")
    func standardInput() async {
        let outcome = await tapline("replay", "-", "--to", "http://127.0.0.1:9", "--compare")
        #expect(outcome.code != .success)
    }
}
