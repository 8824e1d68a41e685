// SPDX-License-Identifier: MIT

internal import TaplineCapture
internal import TaplineDetectors
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime

/// Keeps what `redact` takes out of one place of a fixture out of all others, too.
///
/// An app gets a token where its name tells what it is, and sends it where nothing does. So each
/// `redact` stands after one that takes out the same and tells of it; what was heard of is then
/// replaced, in the same way, wherever it stands.
struct FixtureSecrets: Sendable {
    /// A `redact` of the test, and what it has taken out.
    fileprivate struct Redaction: Sendable {
        let component: Component
        let heard: HeardSecrets
    }

    /// The stages of the test.
    let stages: [Topology.Stage]
    fileprivate let redactions: [Redaction]

    /// Builds the stages of a test.
    ///
    /// **Throws**: `TapError` with what is wrong with them.
    init(_ components: [Component]) throws {
        var stages: [Topology.Stage] = []
        var redactions: [Redaction] = []
        for component in components {
            if component.isRedaction {
                let heard = HeardSecrets(allowed: component.allowed)
                var plugins = PluginRegistry.detectors
                plugins.secretListener = heard
                for stage in try [component].stages(plugins) {
                    let ear = Ear(redact: stage.factory, heard: heard)
                    stages.append(Topology.Stage(id: "heard", ear, when: stage.condition))
                }
                redactions.append(Redaction(component: component, heard: heard))
            }
            stages += try [component].stages(.detectors)
        }
        self.stages = stages
        self.redactions = redactions
    }

    /// All that was heard of.
    var tokens: Set<[UInt8]> {
        redactions.reduce(into: Set()) { all, redaction in
            for tokens in redaction.heard.tokens.values { all.formUnion(tokens) }
        }
    }

    /// The texts that take the place of secrets.
    var masks: Set<String> { Set(redactions.map(\.component.mask)) }
}

/// A stage that hears what a `redact` would take out of an exchange, and leaves it as it is.
private struct Ear: StageFactory {
    let redact: any StageFactory
    let heard: HeardSecrets

    var hooks: Hooks { .record }

    func makeStage(_ context: StageContext) throws -> any Stage {
        Lane(try redact.makeStage(context) as? any RecordStage, heard)
    }

    private final class Lane: RecordStage {
        private let redact: (any RecordStage)?
        private let heard: HeardSecrets

        init(_ redact: (any RecordStage)?, _ heard: HeardSecrets) {
            self.redact = redact
            self.heard = heard
        }

        func record(
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> RecordVerdict {
            heard.note(host: exchange.request.host.description)
            var copy = exchange
            var itsContext = context
            _ = try redact?.record(&copy, &itsContext)
            return .keep
        }
    }
}

/// Replaces what was heard of in exchanges that are cleaned already.
///
/// **Isolation**: one thread at a time.
final class SecretReplacer {
    private let secrets: FixtureSecrets
    /// What the stages replace, for each `redact`.
    private var known: [HeardSecrets.Tokens] = []
    private var trial: StageTrial?

    init(_ secrets: FixtureSecrets) { self.secrets = secrets }

    deinit { trial?.stop() }

    /// An exchange without all that was heard of so far.
    ///
    /// **Throws**: `RecordedError` where that cannot be taken out.
    func clean(_ exchange: Exchange) throws -> Exchange {
        try renew()
        guard let trial else { return exchange }
        guard case .kept(let clean) = trial.run(exchange).fate else {
            throw RecordedError("a request could not be searched for what was masked elsewhere")
        }
        return clean
    }

    /// Makes stages for what was heard of since.
    private func renew() throws {
        let heard = secrets.redactions.map(\.heard.tokens)
        guard heard != known else { return }
        trial?.stop()
        trial = nil
        known = heard
        var stages: [Topology.Stage] = []
        for (redaction, tokens) in zip(secrets.redactions, heard) {
            for (action, tokens) in tokens where !tokens.isEmpty {
                let component = redaction.component.redacting(TokenDetectors.name, by: action)
                let plugins = PluginRegistry(detectors: TokenDetectors(tokens: tokens))
                stages += try [component].stages(plugins)
            }
        }
        if !stages.isEmpty { trial = try StageTrial(stages, clock: { Timestamp(microseconds: 0) }) }
    }
}
