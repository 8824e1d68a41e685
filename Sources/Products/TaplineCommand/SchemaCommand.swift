// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineRuntime
internal import TaplineTestRunner

/// `tapline schema`.
enum SchemaCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        let schema =
            invocation.has("test")
            ? TestSchema.schema : PipelineSchema.schema(of: invocation.registry)
        invocation.console.print(schema.prettyText)
        return .success
    }
}
