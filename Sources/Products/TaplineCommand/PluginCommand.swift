// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineCommandLine
internal import TaplineProcessPlugin
internal import TaplineSystem

/// `tapline plugin check [--kind KIND] COMMAND...`.
enum PluginCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        guard invocation.operands.first == "check", invocation.operands.count > 1 else {
            invocation.console.note("tapline: error: expected 'plugin check COMMAND...'")
            return .usage
        }
        var role: ProcessRole?
        if let name = invocation.value("kind") {
            guard let found = ProcessRole(rawValue: name) else {
                let names = ProcessRole.allCases.map(\.rawValue).joined(separator: ", ")
                invocation.console.note(
                    "tapline: error: unknown kind '\(name)'; expected \(names)"
                )
                return .usage
            }
            role = found
        }
        let words = invocation.operands.dropFirst().drop { $0 == "--" }
        let name = words.first ?? ""
        guard let program = ChildProcess.find(name, in: invocation.environment["PATH"]) else {
            invocation.console.note("tapline: error: there is no program '\(name)'")
            return .notFound
        }
        let settings = ProcessSettings(
            [program] + words.dropFirst(),
            environment: invocation.environment.variables
        )
        let results = await check(settings, role)
        for result in results {
            let outcome = result.problem.map { "failed: \($0)" } ?? "passed"
            invocation.console.print("\(result.name): \(outcome)")
        }
        let failures = results.count { $0.problem != nil }
        invocation.console.note("\(results.count - failures) passed, \(failures) failed")
        return failures == 0 ? .success : .failure
    }

    /// Runs the checks, which block their thread.
    private static func check(
        _ settings: ProcessSettings,
        _ role: ProcessRole?
    ) async -> [ProcessPluginCheck.Result] {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "tapline.plugin.check").async {
                continuation.resume(returning: ProcessPluginCheck(settings).run(role))
            }
        }
    }
}
