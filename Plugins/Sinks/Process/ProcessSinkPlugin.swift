// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineOperations
public import TaplinePlugin
internal import TaplineProcessPlugin

extension SinkPlugin {
    /// The sink `process`: another program stores records.
    public static var process: SinkPlugin {
        SinkPlugin(
            name: "process",
            summary: "Lets a program in any language store records.",
            options: ProcessKeys.schema(),
            build: { options, context in
                ProcessKeys.read(options, &context).map(ProcessSinkFactory.init)
            }
        )
    }
}

/// A configured sink `process`.
struct ProcessSinkFactory: SinkFactory, ConfiguredByFiles, ProgramComponent {
    let settings: ProcessSettings

    var configurationFiles: [String] { settings.files }
    var program: ComponentProgram? { settings.program.current }

    func open(_ context: SinkContext) throws -> any Sink {
        try ProcessSink(settings, context)
    }
}
