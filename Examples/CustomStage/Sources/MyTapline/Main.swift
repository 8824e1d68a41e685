// SPDX-License-Identifier: MIT

import MyPlugins
import TaplineCommand

@main
struct Main {
    static func main() async {
        await TaplineCommand.main(plugins: .mine)
    }
}
