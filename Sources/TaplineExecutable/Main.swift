// SPDX-License-Identifier: MIT

import TaplineCommand
import TaplineDetectors
import TaplinePlugin

@main
struct Main {
    static func main() async {
        await TaplineCommand.main(plugins: .detectors)
    }
}
