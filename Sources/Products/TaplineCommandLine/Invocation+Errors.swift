// SPDX-License-Identifier: MIT

extension Invocation {
    /// Runs a command, and reports its error.
    ///
    /// - Parameters:
    ///   - failure: The exit code of errors other than a wrong command line.
    ///   - body: The command.
    /// - Returns: The exit code.
    package func reportErrors(
        as failure: ExitCode = .failure,
        _ body: () throws -> ExitCode
    ) -> ExitCode {
        do {
            return try body()
        } catch {
            return report(error, as: failure)
        }
    }

    /// Reports an error, and returns the exit code.
    package func report(_ error: any Error, as failure: ExitCode = .failure) -> ExitCode {
        guard let usage = error as? UsageError else {
            console.note("tapline: error: \(error)")
            return failure
        }
        console.note("tapline: error: \(usage.message)")
        if let help = usage.help { console.note("help: \(help)") }
        return .usage
    }
}
