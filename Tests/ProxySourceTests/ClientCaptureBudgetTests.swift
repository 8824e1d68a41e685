// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

/// Memory that grants requests as long as it has capacity.
private final class LimitedMemory: CaptureMemory {
    var left: Int

    init(_ left: Int) { self.left = left }

    func hold(_ count: Int) -> Bool {
        guard count <= left else { return false }
        left -= count
        return true
    }

    func release(_ count: Int) { left += count }
}

@Suite("The share of a client")
struct ClientCaptureBudgetTests {
    @Test("is shared by all its connections, and logged once when it is used up")
    func limit() {
        let share = ClientCaptureBudget(limit: 100)
        let capacity = LimitedMemory(1000)
        let lines = Mutex<[String]>([])
        let log = Log(component: "") { entry in lines.withLock { $0.append(entry.message) } }
        let memories = ["10.0.0.1:1", "10.0.0.1:2"].map {
            ClientMemory(share, capacity, log, client: $0)
        }
        #expect(memories[0].hold(60) && memories[1].hold(60))
        #expect(!memories[0].hold(1) && !memories[1].hold(1))
        #expect(capacity.left == 880)
        let written = lines.withLock { $0 }
        #expect(written.count == 1 && written[0].contains("'max_captured_per_client'"))
        memories[1].release(60)
        #expect(memories[0].hold(1))
        memories[0].release(61)
        #expect(share.isUnused && capacity.left == 1000)
    }

    @Test("does not count bytes that the pipeline has no memory for")
    func pipeline() {
        let share = ClientCaptureBudget(limit: 100)
        let memory = ClientMemory(share, LimitedMemory(10), Log.none, client: "a")
        #expect(!memory.hold(11))
        #expect(share.isUnused)
    }

    @Test("is backlogged while more than half of it waits to be sealed")
    func backlogged() {
        let share = ClientCaptureBudget(limit: 100)
        share.waits(50)
        #expect(!share.isBacklogged)
        share.waits(1)
        #expect(share.isBacklogged)
        share.sealed(51)
        #expect(!share.isBacklogged)
    }

    @Test("lets an exchange collect more unless others have used it up")
    func buffered() {
        let share = ClientCaptureBudget(limit: 100)
        share.buffer(150)
        #expect(share.mayBuffer(beside: 150))
        share.buffer(10)
        #expect(share.mayBuffer(beside: 150))
        #expect(!share.mayBuffer(beside: 10))
        share.buffer(-150)
        #expect(share.mayBuffer(beside: 10))
    }

    @Test("bounds the kept part of a body, and is released at the end")
    func body() async throws {
        let text = String(repeating: "x", count: 300_000)
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
        }
        var settings = ProxySettings()
        settings.threads = 1
        settings.maxCapturedPerClient = 100_000
        let proxy = await ProxyHarness.start(settings)
        let url = "http://\(server.address)/"
        _ = try await proxy.curl("-o", "/dev/null", "-o", "/dev/null", url, url)
        let bodies = await proxy.stop().exchanges.compactMap(\.response?.body)
        #expect(bodies.map(\.size) == [300_000, 300_000])
        // At most one read more than the share.
        let kept = 100_000...165_536
        #expect(bodies.allSatisfy { $0.isTruncated && kept.contains($0.bytes.count) })
    }

    @Test("makes a client with slow records wait, so that none of its bodies is truncated")
    func waits() async throws {
        let text = String(repeating: "x", count: 50_000)
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
        }
        var settings = ProxySettings()
        settings.threads = 1
        // Half of the share, and a body for each connection.
        settings.maxCapturedPerClient = 600_000
        let proxy = await ProxyHarness.start(settings, stages: [slowRecords { _ in }])
        let output = try await Python.run(
            "four_connections",
            ["\(proxy.address.port)", "\(server.address)"]
        )
        let bodies = await proxy.stop().exchanges.compactMap(\.response?.body)
        #expect(output == "80 {50000}\n")
        #expect(bodies.count == 80)
        #expect(bodies.allSatisfy { !$0.isTruncated && $0.bytes.count == 50_000 })
    }
}
