// SPDX-License-Identifier: MIT

import StreamTestSupport
import Synchronization
import TaplineConfig
import TaplinePlugin
import TaplineTesting
import TestSupport
import Testing

@testable import NATSSource

@Suite("The source nats conforms to the requirements for sources")
struct NATSSourceConformanceTests {
    @Test("whether it ends with the last message or not")
    func conforms() async throws {
        let server = try NATSServer()
        let secrets = PlantedSecrets()
        try await server.publish((0..<300).map { secrets.exchange($0) })
        let violations = await Conformance.violations(
            of: ownConsumers,
            options: server.options("end: true, window: 20ms"),
            settings: ConformanceSettings(
                environment: ["NATS_PASSWORD": "hunter2", "NATS_TOKEN": "hunter2"],
                failing: [
                    "{ servers: 'nats://127.0.0.1:1', stream: T, timeout: 100ms }",
                    "{ servers: '\(server.url)', stream: NONE, password: hunter2, user: me }",
                ],
                secrets: ["hunter2"]
            ),
            count: 300,
            endless: [server.options("window: 20ms")]
        )
        #expect(violations == [])
    }

    /// The source with a consumer of its own in each pipeline, since a message is read once.
    private var ownConsumers: SourcePlugin {
        let plugin = SourcePlugin.nats
        let count = Mutex(0)
        return SourcePlugin(
            name: plugin.description.name,
            summary: plugin.description.summary,
            options: plugin.description.options
        ) { options, context in
            let number = count.withLock { count in
                count += 1
                return count
            }
            var options = options
            options[NATSSourceOptions.durable] = Located("d\(number)")
            return plugin.build(options, &context)
        }
    }
}
