// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin
internal import TaplineSystem

/// A configured source `kafka`: one thread reads messages and passes them through a lane.
struct KafkaSource: Source {
    let settings: KafkaSourceSettings
    let figures = KafkaFigures()

    var metrics: [Metric] { figures.metrics }

    func run(_ intake: any Intake) async throws {
        let signals = KafkaSignals()
        let problem = Mutex<(any Error)?>(nil)
        let ended = OneShotEvent()
        let thread = try DedicatedThread.start { [settings, figures] in
            do {
                var reader = try KafkaReader(settings, intake, signals, figures)
                try reader.run()
            } catch {
                problem.withLock { $0 = error }
            }
            ended.signal()
        }
        await withTaskCancellationHandler {
            // The event of a cancelled task would occur at once.
            await Task.detached { await ended.wait() }.value
        } onCancel: {
            signals.stop()
        }
        thread.join()
        if let error = problem.withLock({ $0 }) { throw error }
    }
}

/// The error that ends a source `kafka`.
struct KafkaSourceError: Error, CustomStringConvertible {
    let description: String
}
