// SPDX-License-Identifier: MIT

/// `tapline version`.
enum VersionCommand {
    /// The version of this source tree.
    static let version = "0.1.0"

    static func run(_ invocation: Invocation) async -> ExitCode {
        invocation.console.print("tapline \(version)")
        return .success
    }
}
