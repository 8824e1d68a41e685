// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplinePlugin

/// The program of `make demo`: only commands and plugins that the demo needs, so that it builds in about
/// a minute.
@main
struct Main {
    static func main() async {
        let commands = CommandSet([
            Commands.run, Commands.check, Commands.inspect, Commands.plugins, Commands.help,
            Commands.version,
        ])
        await commands.main(plugins: PluginRegistry())
    }
}
