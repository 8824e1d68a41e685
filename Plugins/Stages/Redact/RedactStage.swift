// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin

/// The stage `redact` in one lane; it changes what is kept, never what is on the wire.
final class RedactStage: RecordStage {
    private var redactor: Redactor
    private var strict: StrictRedactor?

    init(_ redactor: Redactor, _ strict: StrictRedactor? = nil) {
        self.redactor = redactor
        self.strict = strict
    }

    func record(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> RecordVerdict {
        redactor.counter.isPreview = context.isPreview
        strict?.begin()
        redactor.redact(&exchange)
        redactor.redact(&context.vars)
        strict?.redact(&exchange, &context.vars, &redactor.counter)
        redactor.counter.mark(&exchange.tags)
        return .keep
    }
}

/// The configured stage `redact`.
struct RedactFactory: StageFactory, ConfiguredByFiles {
    /// The file of the key, if there is one.
    var configurationFiles: [String] = []
    private let plan: RedactPlan
    private let rules: RuleSet
    private let counters: RuleCounters
    private let detectors: (any DetectorSet)?
    private let marks: Bool
    private let logCleaner: LogCleaner

    /// Creates a factory; `marks` is whether a tag lists the rules that fired.
    init(_ plan: RedactPlan, _ detectors: (any DetectorSet)?, marks: Bool) {
        let rules = plan.rules()
        self.plan = plan
        self.rules = rules
        self.detectors = detectors
        logCleaner = LogCleaner(rules, detectors)
        self.marks = marks
        counters = RuleCounters(rules.book)
    }

    var hooks: Hooks { .record }
    var redacts: Bool { true }
    var metrics: [Metric] { counters.metrics }

    func cleaned(logText: String) -> String {
        logCleaner.cleaned(logText)
    }

    func makeStage(_ context: StageContext) throws -> any Stage {
        let counter = RuleCounter(
            rules.book,
            counters.makeCounters(),
            marks: marks,
            standIns: marks && plan.makesStandIns ? rules.replacement.standInMark : nil
        )
        let scanner = try detectors?.makeScanner()
        let joins = detectors?.endsAtNUL ?? false
        guard let strict = plan.strict else {
            return RedactStage(Redactor(rules, counter, scanner, joins: joins))
        }
        let applied = AppliedReplacements()
        let noting = plan.rules(noting: applied)
        return RedactStage(
            Redactor(noting, counter, scanner, joins: joins),
            StrictRedactor(strict, rules, rules.replacement, applied)
        )
    }
}
