// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineRuntime

/// `tapline schema`.
enum SchemaCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        invocation.console.print(PipelineSchema.schema(of: invocation.registry).prettyText)
        return .success
    }
}
