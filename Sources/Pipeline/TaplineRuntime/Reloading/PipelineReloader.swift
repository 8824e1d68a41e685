// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineModel
package import TaplineOperations
package import TaplinePlugin

/// Reloads a running pipeline from its configuration, and logs each result.
///
/// **Isolation**: any thread.
package final class PipelineReloader: PipelineReloading {
    private let pipeline: Pipeline
    private let load: @Sendable () async throws(ReloadError) -> Topology
    private let log: Log
    private let now: @Sendable () -> Timestamp
    private let machine = Mutex(ReloadStateMachine())
    private let history = Mutex(ReloadHistory())

    /// Creates a reloader.
    ///
    /// - Parameters:
    ///   - pipeline: The pipeline.
    ///   - log: Gets one line for each reload.
    ///   - now: Returns the current time.
    ///   - load: Reads the configuration and builds it; throws the problems that it has.
    package init(
        _ pipeline: Pipeline,
        log: Log,
        now: @escaping @Sendable () -> Timestamp,
        load: @escaping @Sendable () async throws(ReloadError) -> Topology
    ) {
        self.pipeline = pipeline
        self.log = log.of("reload")
        self.now = now
        self.load = load
    }

    package var reloads: ReloadHistory { history.withLock { $0 } }

    package func reload(answered: @escaping @Sendable (ReloadOutcome) -> Void) {
        let action = machine.withLock { $0.requested(answered) }
        for answer in action.answers { answer(.failed("the pipeline has ended")) }
        if action.starts { start() }
    }

    /// Refuses further reloads, since the pipeline has ended.
    package func end() {
        let action = machine.withLock { $0.ended() }
        for answer in action.answers { answer(.failed("the pipeline has ended")) }
    }

    private func start() {
        Task { [self] in
            let outcome = await outcome()
            let action = machine.withLock { $0.finished() }
            for answer in action.answers { answer(outcome) }
            if action.starts { start() }
        }
    }

    /// Reloads once, and notes and logs the result.
    private func outcome() async -> ReloadOutcome {
        do throws(ReloadError) {
            let outcome = try await pipeline.reload(to: await load())
            note(outcome, summary: "")
            return outcome
        } catch {
            let outcome = ReloadOutcome.failed(error.description)
            note(outcome, summary: error.summary)
            return outcome
        }
    }

    /// Logs a result; the history keeps only the summary of a failure, since every user of the
    /// machine can read it.
    private func note(_ outcome: ReloadOutcome, summary: String) {
        let time = now()
        history.withLock { history in
            switch outcome {
            case .applied(let generation, _):
                history.generation = generation
                history.succeeded += 1
                history.lastSuccess = time
            case .failed:
                history.failed += 1
                history.lastFailure = (time, summary)
            }
        }
        switch outcome {
        case .applied(let generation, let changed):
            let ids = changed.joined(separator: ", ")
            let what = ids.isEmpty ? "nothing changed" : "changed: \(ids)"
            log.info("generation \(generation) runs; \(what)")
        case .failed(let reasons): log.error("nothing was changed: \(reasons)")
        }
    }
}

/// Why a pipeline cannot take over a configuration.
package struct ReloadError: Error, CustomStringConvertible {
    /// The reasons, with their places and lines of the configuration.
    package let description: String
    /// The reasons without lines of the configuration, which may contain secrets.
    package let summary: String

    /// Creates an error; without a summary, the description has no lines of the configuration.
    package init(_ description: String, summary: String? = nil) {
        self.description = description
        self.summary = summary ?? description
    }
}
