// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineRuntime

/// `tapline check FILE`.
enum CheckCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        var loader = PipelineLoader(invocation: invocation)
        guard let topology = loader.load(givesAdvice: true) else { return .configuration }
        let counts = [
            Counted.text(topology.sources.count, "source"),
            Counted.text(topology.stages.count, "stage"),
            Counted.text(topology.sinks.count, "sink"),
        ]
        invocation.console.note("ok: \(counts.joined(separator: ", "))")
        return .success
    }
}
