// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineTesting
import Testing

@testable import ReplaySource

@Suite("Replay conforms to the requirements for sources")
struct ReplayConformanceTests {
    @Test(
        "with any options",
        arguments: ["workers: 3", "workers: 1", "speed: 1000000x", "bad_records: skip"]
    )
    func conforms(options: String) async {
        let secrets = PlantedSecrets()
        let recording = String(
            decoding: lines((0..<600).map { secrets.exchange($0) }),
            as: UTF8.self
        )
        let broken = recording + recording.prefix(700).dropFirst() + "\n" + recording
        let slow = bareLine(0) + bareLine(3_000_000)
        let violations = await Conformance.violations(
            of: SourcePlugin.replay,
            options: "{ path: in.ndjson, \(options) }",
            settings: ConformanceSettings(
                files: ["in.ndjson": recording, "broken": broken, "slow": slow],
                failing: ["{ path: broken, \(options) }"]
            ),
            count: 600,
            endless: [
                "{ path: in.ndjson, loop: true, \(options) }", "{ path: slow, speed: realtime }",
            ]
        )
        // The only known finding: `id` can be set in the file, but not with --set, which sets the key
        // next to the plugin.
        let known = "the option 'id' has the name of a key that all components share"
        #expect(violations.map(\.text) == [known])
    }
}
