// SPDX-License-Identifier: MIT

import TaplineCommand

@main
struct Main {
    static func main() async {
        await TaplineCommand.main()
    }
}
