// SPDX-License-Identifier: MIT

import TaplineCommand
import TaplineConfig
import TaplinePlugin
import TaplineProxy

/// The tapline command with the proxy and an additional sink, `forget`, which discards all records,
/// to measure pipelines without output.
@main
struct Main {
    static func main() async {
        let forget = SinkPlugin(
            name: "forget",
            summary: "Discards all records.",
            options: OptionSchema(),
            build: { _, _ in ForgetFactory() }
        )
        await TaplineCommand.main(plugins: PluginRegistry(sinks: [forget]).adding(.proxy))
    }
}

struct ForgetFactory: SinkFactory {
    func open(_ context: SinkContext) throws -> any Sink { Forget() }
}

final class Forget: Sink {
    func write(_ batch: [Record]) throws -> WriteResult { .written }
}
