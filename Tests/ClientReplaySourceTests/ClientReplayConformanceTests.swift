// SPDX-License-Identifier: MIT

import Synchronization
import TaplineFormats
import TaplineModel
import TaplinePlugin
import TaplineStore
import TaplineTesting
import TestSupport
import Testing

@testable import ClientReplaySource

@Suite("client_replay meets the requirements for sources", .timeLimit(.minutes(3)))
struct ClientReplayConformanceTests {
    @Test("with any options", arguments: ["speed: max", "rate: 2000/s"])
    func conforms(options: String) async throws {
        StoreSet.prepareProgram()
        let secrets = PlantedSecrets()
        let target = try TestTarget()
        let count = 200
        let runs = Mutex(0)
        var writer = NDJSONWriter()
        var chain = RecordChain()
        for number in 0..<count {
            var exchange = secrets.exchange(number)
            exchange.started = Timestamp(microseconds: 1_795_183_380_000_000 + Int64(number) * 1000)
            if case .sealed(let record) = chain.seal(exchange) { writer.write(record) }
        }
        let recording = String(decoding: Array(copying: writer.bytes), as: UTF8.self)
        let to = "to: '\(target.url)', concurrency: 1, \(options)"
        let violations = await Conformance.violations(
            of: SourcePlugin.clientReplay,
            options: "{ path: in.ndjson, \(to) }",
            settings: ConformanceSettings(
                files: ["in.ndjson": recording, "broken": String(recording.dropFirst(9))],
                failing: ["{ path: broken, \(to) }", "{ path: nowhere, \(to) }"]
            ),
            count: count,
            endless: ["{ path: in.ndjson, loop: true, \(to) }"],
            // It sends its traffic itself.
            traffic: LiveTraffic { _, _ in
                let wanted = runs.withLock { runs in
                    runs += 1
                    return runs * count
                }
                await wait(for: "the requests of a run") { target.requests.count >= wanted }
            }
        )
        #expect(violations == [])
    }
}
