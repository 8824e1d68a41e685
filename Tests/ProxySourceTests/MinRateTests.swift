// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import Testing

@testable import ProxySource

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite("A body that is slower than 'min_rate'")
struct MinRateTests {
    private func settings(perSecond: Int = 1000) -> ProxySettings {
        var settings = ProxySettings()
        settings.minRate = RateWatch.Limit(
            bytesPerSecond: perSecond,
            window: Microseconds(300_000)
        )
        return settings
    }

    /// A Python script that sends two bytes at a time until the connection is closed, for at most
    /// 20 s.
    private let trickle = """
        import select
        end = time.time() + 20
        while time.time() < end:
            if select.select([s], [], [], 0.02)[0]: break
            s.sendall(b"ab")
        read()
        """

    @Test(
        "gets 408 if it is the body of a request",
        arguments: [BodyBuffer.none, .init(.wire, maxBytes: 9999)]
    )
    func request(buffer: BodyBuffer) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start(settings(), stages: [liveStage(buffer: buffer)])
        let output = try await exchangeBytes(
            with: proxy.address,
            "POST http://\(server.address)/ HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n",
            then: trickle
        )
        let (report, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 408 "))
        #expect(output.contains("'min_rate'"))
        let exchange = try #require(exchanges.first)
        #expect(exchange.state == .failed && exchange.error?.code == "timeout")
        #expect(exchange.request.body.isTruncated && !exchange.request.body.bytes.isEmpty)
        #expect(exchanges.count == 1 && report.isBalanced)
    }

    @Test("ends with its connection if it is the body of a response")
    func response() async throws {
        let output = try await trickled(settings(), type: "text/plain")
        #expect(output.text.hasPrefix("HTTP/1.1 200 "))
        #expect(!output.text.contains("end"))
        let exchange = try #require(output.exchanges.first)
        #expect(exchange.state == .failed && exchange.error?.code == "timeout")
        #expect(exchange.error?.message.contains("'min_rate'") == true)
        #expect(exchange.response?.body.isTruncated == true)
    }

    @Test(
        "passes without a limit, and as an event stream",
        arguments: [(true, "text/plain"), (false, "text/event-stream; charset=utf-8")]
    )
    func exempt(hasNoLimit: Bool, type: String) async throws {
        var settings = settings()
        if hasNoLimit { settings.minRate = nil }
        let output = try await trickled(settings, type: type)
        #expect(output.text.contains("end"))
        #expect(output.exchanges.first?.state == .completed)
    }

    /// Returns the result of a response with two bytes each 20 ms for 1.5 s, followed by `end`.
    private func trickled(
        _ settings: ProxySettings,
        type: String
    ) async throws -> (text: String, exchanges: [Exchange]) {
        let proxy = await ProxyHarness.start(settings)
        let script = """
            import socket, sys, threading, time
            server = socket.create_server(("127.0.0.1", 0))
            def serve():
                s = server.accept()[0]
                s.recv(65536)
                s.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Type: \(type)\\r\\nConnection: close\\r\\n\\r\\n")
                try:
                    for _ in range(75):
                        s.sendall(b"ab")
                        time.sleep(0.02)
                    s.sendall(b"end")
                except OSError: pass
                s.close()
            thread = threading.Thread(target=serve)
            thread.start()
            s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20)
            s.sendall(b"GET http://127.0.0.1:%d/ HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n" % server.getsockname()[1])
            got = b""
            try:
                while data := s.recv(65536): got += data
            except ConnectionResetError: pass
            s.close()
            thread.join()
            print(got.decode())
            """
        let text = try await command("python3", ["-c", script, "\(proxy.address.port)"])
        return (text, await proxy.stop().exchanges)
    }

    @Test("does not include a server that takes its time, or a tunnel")
    func silence() async throws {
        let server = try ScriptedServer { _, _ in .silence }
        var settings = settings()
        settings.timeouts.idle = Microseconds(1_500_000)
        let proxy = await ProxyHarness.start(settings)
        let output = try await exchangeBytes(
            with: proxy.address,
            "GET http://\(server.address)/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            then: "read()"
        )
        #expect(output.hasPrefix("HTTP/1.1 504 "))
        let tunnel = try await exchangeBytes(
            with: proxy.address,
            "CONNECT \(server.address) HTTP/1.1\r\nHost: \(server.address)\r\n\r\n",
            then: """
                for _ in range(40):
                    s.sendall(b"a")
                    time.sleep(0.02)
                s.shutdown(socket.SHUT_WR)
                read()
                """
        )
        #expect(tunnel.hasPrefix("HTTP/1.1 200 "))
        let exchanges = await proxy.stop().exchanges
        #expect(exchanges.map(\.error?.message).first == "the server sent nothing for too long")
        #expect(exchanges.last?.bytes?.up.body == 40)
    }
}
