// SPDX-License-Identifier: MIT

import TaplineCommand
import TaplineDetectors
import TaplinePlugin
import TaplineProxy
import TaplineStreams

@main
struct Main {
    static func main() async {
        await TaplineCommand.main(plugins: .detectors.adding(.proxy).adding(.streams))
    }
}
