// SPDX-License-Identifier: MIT

import TaplineCommandLine

/// The program of `make demo`: the commands of `TaplineCommandLine` with the built-in plugins.
///
/// It leaves out the rest, so that it builds in about a minute.
@main
struct Main {
    static func main() async {
        let program = Program(commands: [
            Commands.run, Commands.check, Commands.inspect, Commands.plugins, Commands.help,
            Commands.version,
        ])
        await program.main()
    }
}
