// SPDX-License-Identifier: MIT

public import TaplinePlugin

internal import RedactStage
internal import StdoutSink

extension PluginRegistry {
    /// The plugins that come with Tapline, in the order in which they are shown.
    public static let builtIn = PluginRegistry(
        sources: [],
        stages: [.redact],
        sinks: [.stdout]
    )
}
