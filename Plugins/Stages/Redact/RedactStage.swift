// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// The stage `redact` in one lane: it changes what is kept, and never the wire.
final class RedactStage: RecordStage {
    private var redactor: Redactor

    init(_ redactor: Redactor) {
        self.redactor = redactor
    }

    func record(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> RecordVerdict {
        redactor.redact(&exchange)
        redactor.redact(&context.vars)
        redactor.counter.mark(&exchange.tags)
        return .keep
    }
}

/// The stage `redact` as it is configured.
struct RedactFactory: StageFactory {
    private let rules: RuleSet
    private let tallies: RuleTallies
    private let detectors: (any DetectorSet)?
    private let marks: Bool
    private let logCleaner: LogCleaner

    /// A stage of these rules; `marks` where a tag is to tell which of them fired.
    init(_ rules: RuleSet, _ detectors: (any DetectorSet)?, marks: Bool) {
        self.rules = rules
        self.detectors = detectors
        logCleaner = LogCleaner(rules, detectors)
        self.marks = marks
        tallies = RuleTallies(rules.book)
    }

    var hooks: Hooks { .record }
    var redacts: Bool { true }
    var metrics: [Metric] { tallies.metrics }

    func cleaned(logText: String) -> String {
        logCleaner.cleaned(logText)
    }

    func makeStage(_ context: StageContext) throws -> any Stage {
        let counter = RuleCounter(rules.book, tallies.makeTally(), marks: marks)
        let scanner = try detectors?.makeScanner()
        let joins = detectors?.endsAtNUL ?? false
        return RedactStage(Redactor(rules, counter, scanner, joins: joins))
    }
}
