// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCapture

/// A version of Foundation with another layout of its tasks: the property with the queue has
/// another name.
///
/// Each test runs in its own process, because the layout is determined once.
@Suite struct UnknownFoundationTests {
    private static let script = """
        version: 1
        sources: [url_protocol: { shared: false }]
        sinks: [ndjson: { path: out }]
        stages:
          - lua:
              code: |
                function request(ex) return respond{status = 418, body = "by a stage"} end
                function response(ex) ex.response.status = 500 return delay(0.05) end
                function record(ex) ex.tags.seen = "yes" end
        """

    /// The folder is kept until the test ends, because a tap reads its file when it starts.
    private static func makeTap(log: Log = Log(component: "") { _ in }) throws -> Tap {
        FoundationTask.queueName.withLock { $0 = "noSuchProperty" }
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        let file = URL(fileURLWithPath: "\(folder)/app.yaml")
        try script.write(to: file, atomically: true, encoding: .utf8)
        return Tap(configuration: file, log: log)
    }

    @Test(.timeLimit(.minutes(2)))
    func exchangesAreRecordedAndNoWireHookRuns() async throws {
        let origin = try Origin()
        await #expect(processExitsWith: .success) { [url = origin.path("/redirect") as URL] in
            let warnings = Mutex<[String]>([])
            let tap = try UnknownFoundationTests.makeTap(
                log: Log(component: "") { entry in
                    if entry.level >= .warning { warnings.withLock { $0.append(entry.message) } }
                }
            )
            try tap.start()
            let configuration = URLSessionConfiguration.ephemeral.tapped(by: tap)
            let session = URLSession(configuration: configuration)
            let own = TapSession(configuration: .ephemeral, delegate: nil, tap: tap)
            let (data, response) = try await session.data(from: url)
            #expect(String(decoding: data, as: UTF8.self) == "hello")
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            let (again, _) = try await own.data(from: url)
            #expect(String(decoding: again, as: UTF8.self) == "hello")
            tap.stop()
            let statuses = tap.entries.compactMap(\.statusCode).sorted()
            #expect(statuses == [200, 200, 302, 302] || statuses == [200, 200, 302])
            #expect(tap.entries.allSatisfy { $0.exchange?.tags["seen"] == "yes" })
            #expect(tap.entries.allSatisfy { $0.exchange?.original.status == nil })
            let logged = warnings.withLock(\.self).filter {
                $0.contains("this version of Foundation stores its tasks in an unknown layout")
            }
            #expect(logged.count == 1)
        }
    }

    /// These tasks trap if a client is called on another queue than Foundation's loading queue.
    @Test(.timeLimit(.minutes(2)))
    func manyTasksAtOnceDoNotTrap() async throws {
        let origin = try Origin()
        await #expect(processExitsWith: .success) { [url = origin.path("/redirect") as URL] in
            let tap = try UnknownFoundationTests.makeTap()
            try tap.start()
            let configuration = URLSessionConfiguration.ephemeral.tapped(by: tap)
            let session = URLSession(configuration: configuration)
            for _ in 0..<5 {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<64 {
                        group.addTask { _ = try? await session.data(from: url) }
                    }
                }
            }
            tap.stop()
            #expect(tap.summary().rows.map(\.requests).reduce(0, +) >= 320)
        }
    }

    /// Nothing may reach the network, and no stage can answer.
    @Test func anOfflineTapDoesNotStart() async {
        await #expect(processExitsWith: .success) {
            FoundationTask.queueName.withLock { $0 = "noSuchProperty" }
            let tap = Tap(
                stages: [],
                sinks: [],
                maxBodySize: 10,
                capturesShared: false,
                isOffline: true,
                log: Log(component: "") { _ in }
            )
            #expect(throws: TapError.self) { try tap.start() }
            #expect(!tap.isRunning)
        }
    }
}
