// SPDX-License-Identifier: MIT

internal import TaplineConfig
public import TaplinePlugin
internal import TaplineProcessPlugin

extension SourcePlugin {
    /// The source `process`: another program captures exchanges.
    public static var process: SourcePlugin {
        SourcePlugin(
            name: "process",
            summary: "Lets a program in any language capture exchanges.",
            options: ProcessKeys.schema(),
            build: { options, context in
                ProcessKeys.read(options, &context).map(ProcessSource.init)
            }
        )
    }
}
