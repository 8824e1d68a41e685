// SPDX-License-Identifier: MIT

internal import TaplineCapture
internal import TaplineDetectors
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime

/// Ensures that a value that `redact` masks in one place of a fixture is masked everywhere.
///
/// An app receives a token where its name identifies it, and sends it where no name does. Therefore
/// an observer with the same rules precedes each `redact` and collects the masked values; collected
/// values are then replaced, in the same way, wherever they occur.
struct FixtureSecrets: Sendable {
    /// A `redact` stage of the test, with the values it has masked.
    fileprivate struct Redaction: Sendable {
        let component: Component
        let observed: ObservedSecrets
    }

    /// The stages of the test.
    let stages: [Topology.Stage]
    fileprivate let redactions: [Redaction]

    /// Builds the stages of a test.
    ///
    /// **Throws**: `TapError` with the mistakes in them.
    init(_ components: [Component]) throws {
        var stages: [Topology.Stage] = []
        var redactions: [Redaction] = []
        for component in components {
            if component.isRedaction {
                let observed = ObservedSecrets(allowed: component.allowed)
                var plugins = PluginRegistry.detectors
                plugins.secretListener = observed
                for stage in try [component].stages(plugins) {
                    let observer = SecretObserver(redact: stage.factory, observed: observed)
                    stages.append(Topology.Stage(id: "observed", observer, when: stage.condition))
                }
                redactions.append(Redaction(component: component, observed: observed))
            }
            stages += try [component].stages(.detectors)
        }
        self.stages = stages
        self.redactions = redactions
    }

    /// All collected tokens.
    var tokens: Set<[UInt8]> {
        redactions.reduce(into: Set()) { all, redaction in
            for tokens in redaction.observed.tokens.values { all.formUnion(tokens) }
        }
    }

    /// The texts that replace secrets.
    var masks: Set<String> { Set(redactions.map(\.component.mask)) }
}

/// A stage that observes what a `redact` would mask in an exchange, and changes nothing.
private struct SecretObserver: StageFactory {
    let redact: any StageFactory
    let observed: ObservedSecrets

    var hooks: Hooks { .record }

    func makeStage(_ context: StageContext) throws -> any Stage {
        Lane(try redact.makeStage(context) as? any RecordStage, observed)
    }

    private final class Lane: RecordStage {
        private let redact: (any RecordStage)?
        private let observed: ObservedSecrets

        init(_ redact: (any RecordStage)?, _ observed: ObservedSecrets) {
            self.redact = redact
            self.observed = observed
        }

        func record(
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> RecordVerdict {
            observed.note(host: exchange.request.host.description)
            var copy = exchange
            var itsContext = context
            _ = try redact?.record(&copy, &itsContext)
            return .keep
        }
    }
}

/// Replaces the collected tokens in exchanges that are already cleaned.
///
/// **Isolation**: one thread at a time.
final class SecretReplacer {
    private let secrets: FixtureSecrets
    /// The tokens that the stages replace, for each `redact`.
    private var known: [ObservedSecrets.Tokens] = []
    private var trial: StageRunner?

    init(_ secrets: FixtureSecrets) { self.secrets = secrets }

    deinit { trial?.stop() }

    /// Returns an exchange without the tokens collected so far.
    ///
    /// **Throws**: `RecordedError` if they cannot be removed.
    func clean(_ exchange: Exchange) throws -> Exchange {
        try renew()
        guard let trial else { return exchange }
        guard case .kept(let clean) = trial.run(exchange).disposition else {
            throw RecordedError("a request could not be searched for values masked elsewhere")
        }
        return clean
    }

    /// Builds new stages if tokens have been collected since the last call.
    private func renew() throws {
        let observed = secrets.redactions.map(\.observed.tokens)
        guard observed != known else { return }
        trial?.stop()
        trial = nil
        known = observed
        var stages: [Topology.Stage] = []
        for (redaction, tokens) in zip(secrets.redactions, observed) {
            for (action, tokens) in tokens where !tokens.isEmpty {
                let component = redaction.component.redacting(TokenDetectors.name, by: action)
                let plugins = PluginRegistry(detectors: TokenDetectors(tokens: tokens))
                stages += try [component].stages(plugins)
            }
        }
        if !stages.isEmpty {
            trial = try StageRunner(stages, clock: { Timestamp(microseconds: 0) })
        }
    }
}
