// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

@Suite("Clients and servers that fail at random")
struct ProxyStressTests {
    /// Seconds of load; a manual run sets more.
    private static let seconds = 3

    @Test("every exchange ends once, and all are counted", arguments: [1, 2])
    func stress(seed: Int) async throws {
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole"
        let server = try ScriptedServer { request, number in
            switch (number &* 7 &+ request.utf8.count) % 11 {
            case 0: .reset
            case 1: .sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf")
            case 2: .sendAndClose(whole)
            case 3: .send(whole + "surplus")
            case 4: .sendAndClose("HTTP/1.1 2")
            case 5: .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
            default: .send(whole)
            }
        }
        var settings = ProxySettings()
        settings.timeouts.idle = Microseconds(2_000_000)
        let proxy = await ProxyHarness.start(settings, stages: [liveStage { _ in .proceed }])
        let output = try await Python.run(
            "unsteady_clients",
            ["\(proxy.address.port)", "\(server.address)", "\(Self.seconds)", "\(seed)"]
        )
        let (report, exchanges) = await proxy.stop()
        let answered = Int(output.split(whereSeparator: \.isWhitespace).last ?? "") ?? -1
        #expect(answered > 0)
        #expect(Set(exchanges.map(\.id)).count == exchanges.count)
        let completed = exchanges.count { $0.state == .completed }
        #expect(completed >= answered)
        #expect(exchanges.allSatisfy { ($0.error == nil) == ($0.state == .completed) })
        #expect(exchanges.allSatisfy { $0.state != .completed || $0.response != nil })
        #expect(report.isSuccess)
        #expect(proxy.opened.subtracting(exchanges.map(\.id)).isEmpty)
    }
}
