// SPDX-License-Identifier: MIT

import TaplineCommand
import TaplineDetectors
import TaplineKafka
import TaplinePlugin
import TaplineProxy
import TaplineStreams
import TaplineTelemetry

@main
struct Main {
    static func main() async {
        await TaplineCommand.main(
            plugins: .detectors.adding(.proxy).adding(.streams).adding(.kafka).adding(.telemetry)
        )
    }
}
