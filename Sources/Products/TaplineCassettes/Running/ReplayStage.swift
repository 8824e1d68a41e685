// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime

/// Answers requests from a fixture; a request without a recording fails.
struct ReplayStage: StageFactory {
    let player: CassettePlayer
    /// Cleans a request in the same way as the recordings.
    let secrets: FixtureSecrets

    var hooks: Hooks { .request }

    func makeStage(_ context: StageContext) throws -> any Stage {
        Lane(self, try StageRunner(secrets.stages, clock: context.clock))
    }

    /// The stage in the topology: it sees whole bodies of any size.
    var placed: Topology.Stage {
        Topology.Stage(
            id: "recorded",
            self,
            onError: .abort,
            buffer: BodyBuffer(.request, maxBytes: .max)
        )
    }

    private final class Lane: WireStage {
        /// How long a request waits if the app cancelled it during the recording and is expected to
        /// do so again.
        private static let patience = Microseconds(60_000_000)

        private let stage: ReplayStage
        private let trial: StageRunner
        private let replacer: SecretReplacer

        init(_ stage: ReplayStage, _ trial: StageRunner) {
            self.stage = stage
            self.trial = trial
            replacer = SecretReplacer(stage.secrets)
        }

        func stop() { trial.stop() }

        func request(
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> Verdict {
            let copy = Exchange(
                id: exchange.id,
                started: exchange.started,
                request: exchange.request
            )
            guard case .kept(let clean) = trial.run(copy).disposition else {
                return fail("a stage dropped this request, so it was not recorded either")
            }
            let cleaned = try replacer.clean(clean).request
            switch stage.player.answer(exchange.request, cleaned: cleaned) {
            case .none(let text): return fail(stage.player.explain(exchange.id, text))
            case .recording(let recording): return answer(recording)
            }
        }

        private func answer(_ recording: Exchange) -> Verdict {
            switch (recording.state, recording.response) {
            case (.completed, let response?): return .respond(asRecorded: response)
            // The app is asked whether to follow the redirection, and may cancel at that point.
            case (.cancelled, let response?) where response.fields.contains("Location"):
                return .respond(asRecorded: response)
            case (.cancelled, _):
                return fail("the app cancelled this request when it was recorded")
                    .delayed(by: Lane.patience)
            default:
                return .fail(recording.error ?? ExchangeError(code: "failed"))
            }
        }

        private func fail(_ text: String) -> Verdict {
            .fail(ExchangeError(code: "no_recording", message: text))
        }
    }
}
