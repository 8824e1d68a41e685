// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConfig
import TaplineNATS
import TaplinePlugin
import TaplineTesting
import TestSupport
import Testing

@testable import NATSSink

@Suite("The sink nats conforms to the requirements for sinks")
struct NATSSinkConformanceTests {
    @Test("and shows no secret when a server or a stream is missing")
    func conforms() async throws {
        let server = try NATSServer()
        let violations = await Conformance.violations(
            of: ownStreams,
            options: server.options("create: {}"),
            settings: ConformanceSettings(
                environment: ["NATS_PASSWORD": "hunter2", "NATS_TOKEN": "hunter2"],
                failing: [
                    "{ servers: 'nats://127.0.0.1:1', stream: T, timeout: 100ms }",
                    "{ servers: '\(server.url)', stream: T, token: hunter2 }",
                ],
                secrets: ["hunter2"]
            )
        )
        #expect(violations == [])
    }

    /// The sink with a stream of its own in each pipeline, since all of them get the same records.
    private var ownStreams: SinkPlugin {
        let plugin = SinkPlugin.nats
        let count = Mutex(0)
        return SinkPlugin(
            name: plugin.description.name,
            summary: plugin.description.summary,
            options: plugin.description.options
        ) { options, context in
            let number = count.withLock { count in
                count += 1
                return count
            }
            var options = options
            options[NATSKeys.stream] = Located("T\(number)")
            options[NATSSinkOptions.subject] = Located("t\(number).{host}")
            return plugin.build(options, &context)
        }
    }
}
