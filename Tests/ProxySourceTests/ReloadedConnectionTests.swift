// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TaplineRuntime
import TestSupport
import Testing

@testable import ProxySource

@Suite("Connections of a proxy that a reload replaces", .timeLimit(.minutes(3)))
struct ReloadedConnectionTests {
    /// More than the sockets hold, so that a client that does not read keeps it on its way.
    private static let size = 64 << 20

    private func request(_ server: ScriptedServer) -> String {
        "GET http://\(server.address)/ HTTP/1.1\r\nHost: \(server.address)\r\n\r\n"
    }

    @Test("have one more request answered if a response that was on its way has promised it")
    func promised() async throws {
        let server = try ScriptedServer { _, number in
            let body = number == 0 ? String(repeating: "x", count: Self.size) : "next"
            return .send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        defer { server.stop() }
        let proxy = await ProxyHarness.start()
        let client = try SocketClient(port: proxy.address.port)
        try client.send(request(server))
        var received: [UInt8] = []
        var headEnd: Int?
        while headEnd == nil {
            received += try client.receive(1024)
            headEnd = received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
        }
        try await proxy.reload()
        let size = (headEnd ?? 0) + Self.size
        received += try client.receive(exactly: size - received.count)
        #expect(received.count == size)
        try client.send(request(server))
        let rest = String(decoding: try client.receiveAll(), as: UTF8.self)
        #expect(rest.hasPrefix("HTTP/1.1 200 ") && rest.hasSuffix("\r\n\r\nnext"))
        #expect(rest.contains("Connection: close\r\n"))
        let (report, exchanges) = await proxy.stop()
        #expect(report.isBalanced && exchanges.count == 2)
    }

    @Test("have one more request answered if they are idle")
    func idle() async throws {
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        defer { server.stop() }
        let proxy = await ProxyHarness.start()
        let client = try SocketClient(port: proxy.address.port)
        try client.send(request(server))
        while try client.receive().suffix(2) != Array("ok".utf8)[...] {}
        try await proxy.reload()
        try client.send(request(server))
        let rest = String(decoding: try client.receiveAll(), as: UTF8.self)
        #expect(rest.hasPrefix("HTTP/1.1 200 ") && rest.contains("Connection: close\r\n"))
        let (report, exchanges) = await proxy.stop()
        #expect(report.isBalanced && exchanges.count == 2)
    }
}
