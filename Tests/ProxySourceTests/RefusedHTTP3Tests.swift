// SPDX-License-Identifier: MIT

import Synchronization
import TaplineNet
import TaplinePlugin
import Testing

@testable import ProxySource

@Suite("Refused HTTP/3")
struct RefusedHTTP3Tests {
    private func address(_ number: Int) throws -> IPAddress {
        try #require(SocketAddress("10.0.\(number / 256).\(number % 256):443")).ip
    }

    @Test("is recorded once for each server, and counted each time")
    func counts() throws {
        let refused = RefusedHTTP3()
        let recorded = try [1, 1, 2, 1].map { refused.note(try address($0), Log.none) }
        #expect(recorded == [true, false, true, false])
        #expect(refused.metrics == [Metric("refused datagrams", of: "HTTP/3", count: 4)])
    }

    @Test("is only counted beyond 1,024 servers, which is logged once")
    func limit() throws {
        let lines = Mutex<[String]>([])
        let log = Log(component: "") { entry in lines.withLock { $0.append(entry.message) } }
        let refused = RefusedHTTP3()
        let recorded = try (0..<1030).map { refused.note(try address($0), log) }
        #expect(recorded.filter { $0 }.count == 1024)
        #expect(!refused.note(try address(0), log))
        #expect(refused.metrics.map(\.count) == [1031])
        let written = lines.withLock { $0 }
        #expect(written.count == 1 && written[0].contains("more than 1024 servers"))
    }

    @Test("is a figure of the source only in a namespace")
    func figure() {
        var settings = ProxySettings()
        #expect(ProxySource(settings: settings).metrics.isEmpty)
        let none = SocketAddress(.anyV4, port: 0)
        settings.listeners = [ProxyListener(address: none, mode: .namespace(NamespaceSettings()))]
        #expect(ProxySource(settings: settings).metrics == settings.refusedHTTP3.metrics)
    }
}
