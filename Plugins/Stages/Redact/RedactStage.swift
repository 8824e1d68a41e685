// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// The stage `redact` in one lane: it changes what is kept, and never the wire.
final class RedactStage: RecordStage {
    private var redactor: Redactor

    init(_ rules: RuleSet) {
        redactor = Redactor(rules)
    }

    func record(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) throws -> RecordVerdict {
        redactor.redact(&exchange)
        redactor.redact(&context.vars)
        return .keep
    }
}

/// The stage `redact` as it is configured.
struct RedactFactory: StageFactory {
    let rules: RuleSet

    var hooks: Hooks { .record }
    var redacts: Bool { true }

    func makeStage(_ context: StageContext) throws -> any Stage {
        RedactStage(rules)
    }
}
