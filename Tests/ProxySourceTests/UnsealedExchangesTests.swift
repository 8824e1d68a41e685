// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

/// A record stage that reports an exchange with a body and then takes 20 ms for it.
func slowRecords(_ observe: @escaping @Sendable (borrowing Exchange) -> Void) -> Topology.Stage {
    Topology.Stage(
        id: "slow",
        ScriptedStage(record: { exchange, _ in
            observe(exchange)
            if (exchange.response?.body.size ?? 0) > 0 { usleep(20_000) }
            return .keep
        })
    )
}

@Suite("Exchanges that wait to be sealed")
struct UnsealedExchangesTests {
    private func ended(
        _ number: Int,
        _ kept: Int,
        _ share: ClientCaptureBudget
    ) -> UnsealedExchanges.Ended {
        let exchange = Exchange(id: ExchangeID(high: 0, low: UInt64(number)))
        let memory = ClientMemory(share, Memory(), Log.none, client: "a")
        return UnsealedExchanges.Ended(exchange, ExchangeContext(), kept, memory)
    }

    private final class Memory: CaptureMemory {
        func hold(_ count: Int) -> Bool { true }
        func release(_ count: Int) {}
    }

    @Test("are sealed in order, and count for their client until then")
    func order() {
        let share = ClientCaptureBudget(limit: 10)
        var backlog = UnsealedExchanges(limit: Microseconds(100))
        let none = backlog.popFirst()
        #expect(backlog.isEmpty && none == nil)
        for number in 0..<3 { backlog.append(ended(number, 2, share)) }
        var order = [backlog.popFirst()?.exchange.id.low]
        backlog.append(ended(3, 4, share))
        #expect(backlog.bytes == 8 && share.isBacklogged && !backlog.isEmpty)
        while let next = backlog.popFirst() { order.append(next.exchange.id.low) }
        #expect(order == [0, 1, 2, 3])
        #expect(backlog.bytes == 0 && !share.isBacklogged && backlog.isEmpty)
    }

    @Test("are sealed until the turn of the loop has no time left, at least one per turn")
    func turns() {
        var backlog = UnsealedExchanges(limit: Microseconds(100))
        var answers: [Bool] = []
        for (turn, spent) in [(7, 0), (7, 99), (7, 1), (8, 100), (8, 0), (9, 0)] {
            answers.append(backlog.hasTime(in: Int64(turn)))
            backlog.spend(Microseconds(Int64(spent)))
        }
        #expect(answers == [true, true, true, true, false, true])
    }

    @Test("do not delay the requests of others")
    func others() async throws {
        let part = String(repeating: "x", count: 50_000)
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n\(part)")
        }
        let events = Mutex<[String]>([])
        let port = Atomic<UInt16>(0)
        let other = Mutex<SocketClient?>(nil)
        // When the first exchange is sealed, another client sends a request.
        let slow = slowRecords { exchange in
            guard exchange.response?.status != 204 else { return }
            let isFirst = events.withLock { events in
                events.append("sealed")
                return events.count == 1
            }
            if isFirst {
                let client = ask(port.load(ordering: .relaxed))
                other.withLock { $0 = client }
            }
        }
        let notes = Topology.Stage(
            id: "notes",
            ScriptedStage(request: { exchange, _ in
                guard "\(exchange.request.target)".hasSuffix("/other") else { return .proceed }
                events.withLock { $0.append("other") }
                return .respond(Response(status: 204))
            })
        )
        var settings = ProxySettings()
        settings.threads = 1
        let proxy = await ProxyHarness.start(settings, stages: [notes, slow])
        port.store(proxy.address.port, ordering: .relaxed)
        _ = try await Python.run("leaving_clients", ["\(proxy.address.port)", "\(server.address)"])
        await wait(for: "the other request, and twelve records") {
            events.withLock { $0.count } >= 13
        }
        let (_, exchanges) = await proxy.stop()
        other.withLock { $0 = nil }
        let order = events.withLock { $0 }
        #expect(exchanges.count == 13)
        let place = try #require(order.firstIndex(of: "other"), "\(order)")
        #expect((1...6).contains(place), "\(order)")
    }
}

/// Connects to the proxy and sends a request, without waiting for a response.
private func ask(_ port: UInt16) -> SocketClient? {
    do {
        let client = try SocketClient(port: port)
        try client.send("GET http://a.test/other HTTP/1.1\r\nHost: a.test\r\n\r\n")
        return client
    } catch {
        Issue.record(error)
        return nil
    }
}
