// SPDX-License-Identifier: MIT

internal import TaplineFormats

/// `tapline version`.
package enum VersionCommand {
    package static let version = ProgramVersion.text

    static func run(_ invocation: Invocation) async -> ExitCode {
        invocation.console.print("tapline \(version)")
        return .success
    }
}
