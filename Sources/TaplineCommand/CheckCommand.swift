// SPDX-License-Identifier: MIT

internal import TaplineRuntime

/// `tapline check FILE`.
enum CheckCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        var loader = PipelineLoader(invocation: invocation)
        guard let topology = loader.load(givesAdvice: true) else { return .configuration }
        let counts = [
            count(topology.sources.count, "source"), count(topology.stages.count, "stage"),
            count(topology.sinks.count, "sink"),
        ]
        invocation.console.note("ok: \(counts.joined(separator: ", "))")
        return .success
    }

    private static func count(_ number: Int, _ what: String) -> String {
        "\(number) \(what)\(number == 1 ? "" : "s")"
    }
}
