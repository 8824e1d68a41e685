// SPDX-License-Identifier: MIT

import TaplineCommand
import TaplineConfig
import TaplinePlugin
import TaplineProxy

/// The tapline command with the proxy and one more sink, `forget`, which does nothing with what it
/// gets: what a pipeline costs without its ends.
@main
struct Main {
    static func main() async {
        let forget = SinkPlugin(
            name: "forget",
            summary: "Does nothing with what it gets.",
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
