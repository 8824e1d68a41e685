// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineQuery
import TaplineRuntime
import TaplineTesting
import Testing

@testable import ProxySource

/// Tests for WebSockets that are open when the pipeline stops; none is waited for until
/// `drain_timeout`.
@Suite("WebSockets when the pipeline stops", .timeLimit(.minutes(3)))
struct WebSocketDrainTests {
    private static let drainTimeout = Microseconds(60_000_000)

    @Test("get a close frame with 1001 (going away)", arguments: [false, true], [false, true])
    func goingAway(_ compresses: Bool, _ hasHook: Bool) async throws {
        let origin = try await WebSocketOrigin(.secure, compresses: compresses)
        let proxy = await ProxyHarness.start(
            origin.settings(),
            stages: hasHook ? [passing] : [],
            drainTimeout: Self.drainTimeout
        )
        async let output = origin.client(
            through: proxy.address,
            compresses: compresses,
            """
            try:
                await ws.send("hello")
                print(await ws.recv())
                await ws.recv()
            except websockets.ConnectionClosed as error: print(error.rcvd.code)
            """
        )
        while proxy.opened.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        let (_, exchanges) = await proxy.stop()
        // The message may still have been in transit.
        #expect(try await output.hasSuffix("1001\n"))
        #expect(exchanges.map(\.state) == [.cancelled])
        #expect(exchanges.first?.error?.code == "stopped")
    }

    @Test("end after the current frame, with a close frame each way", arguments: [false, true])
    func midFrame(_ hasHook: Bool) async throws {
        let proxy = await ProxyHarness.start(
            stages: hasHook ? [passing] : [],
            drainTimeout: Self.drainTimeout
        )
        // Half a frame is in transit when the pipeline stops. The rest arrives when the proxy no
        // longer listens.
        async let output = ends(
            of: proxy,
            """
            server.sendall(b"\\x81\\x05He")
            if not \(hasHook ? "True" : "False"): assert client.recv(4, socket.MSG_WAITALL) == b"\\x81\\x05He"
            ask()
            wait_until_nobody_listens()
            try: server.sendall(b"llo")
            except OSError: pass
            """
        )
        while proxy.opened.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
        let (_, exchanges) = await proxy.stop()
        let lines = try await output.split(separator: "\n")
        // A hook has not seen the incomplete message, so none of it was sent.
        #expect(lines.first == (hasHook ? "client 880203e9" : "client 6c6c6f880203e9"))
        #expect(lines.last == "server 1001")
        let exchange = try #require(exchanges.first { $0.response?.status == 101 })
        #expect(exchange.error?.code == "stopped")
        #expect(exchange.messages.count == (hasHook ? 0 : 1))
    }

    @Test("that are already closing end normally")
    func closing() async throws {
        let proxy = await ProxyHarness.start(drainTimeout: Self.drainTimeout)
        async let output = ends(
            of: proxy,
            """
            server.sendall(b"\\x88\\x02\\x0f\\xa0")
            assert client.recv(4, socket.MSG_WAITALL) == b"\\x88\\x02\\x0f\\xa0"
            ask()
            wait_until_nobody_listens()
            client.sendall(b"\\x88\\x82\\0\\0\\0\\0\\x0f\\xa0")
            client.shutdown(socket.SHUT_WR)
            server.shutdown(socket.SHUT_WR)
            """
        )
        while proxy.opened.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
        let (_, exchanges) = await proxy.stop()
        #expect(try await output == "client \nserver 4000\n")
        let exchange = try #require(exchanges.first { $0.response?.status == 101 })
        #expect(exchange.state == .completed)
    }

    @Test("that 'when' excludes pass like tunnels, without a frame of the proxy")
    func excluded() async throws {
        // The WebSocket is excluded and not reported; the request that `ask` sends is.
        let proxy = await ProxyHarness.start(
            when: try Filter("not request.header[\"Upgrade\"] exists"),
            drainTimeout: Self.drainTimeout
        )
        async let output = ends(
            of: proxy,
            """
            ask()
            wait_until_nobody_listens()
            server.sendall(b"\\x81\\x05Hello\\x88\\x02\\x0f\\xa0")
            client.sendall(b"\\x88\\x82\\0\\0\\0\\0\\x0f\\xa0")
            client.shutdown(socket.SHUT_WR)
            server.shutdown(socket.SHUT_WR)
            """
        )
        while proxy.opened.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        let (_, exchanges) = await proxy.stop()
        #expect(try await output == "client 810548656c6c6f88020fa0\nserver 4000\n")
        #expect(exchanges.map(\.response?.status) == [204])
    }

    private var passing: Topology.Stage {
        Topology.Stage(id: "hook", ScriptedStage(message: { _, _, _ in .pass }))
    }

    /// Opens a WebSocket through a proxy; both ends are sockets, `client` and `server`.
    ///
    /// Runs Python code and returns the output at both ends: bytes, and the code of a close frame.
    private func ends(of proxy: ProxyHarness, _ lines: String) async throws -> String {
        let program = """
            import socket, time
            proxy = ("127.0.0.1", \(proxy.address.port))
            listener = socket.create_server(("127.0.0.1", 0))
            port = listener.getsockname()[1]
            def head(s):
                data = b""
                while not data.endswith(b"\\r\\n\\r\\n"): data += s.recv(1)
            def connect(fields):
                s = socket.create_connection(proxy, 20)
                s.sendall(b"GET http://127.0.0.1:%d/ HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\n%s\\r\\n"
                    % (port, port, fields))
                accepted = listener.accept()[0]
                accepted.settimeout(20)
                head(accepted)
                return s, accepted
            # One that is answered, to tell that all before it has passed.
            def ask():
                s, accepted = connect(b"")
                accepted.sendall(b"HTTP/1.1 204 No Content\\r\\n\\r\\n")
                head(s)
            def wait_until_nobody_listens():
                for _ in range(2000):
                    try: socket.create_connection(proxy, 20).close()
                    except OSError: return
                    time.sleep(0.01)
            def rest(s):
                data = b""
                try:
                    while piece := s.recv(65536): data += piece
                except OSError: data += b"?"
                return data
            client, server = connect(b"Connection: Upgrade\\r\\nUpgrade: websocket\\r\\n")
            server.sendall(b"HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\n"
                b"Upgrade: websocket\\r\\n\\r\\n")
            head(client)
            \(lines)
            print("client", rest(client).hex())
            frame = rest(server)
            assert frame[:2] == b"\\x88\\x82" and len(frame) == 8, frame
            print("server", (frame[2] ^ frame[6]) << 8 | frame[3] ^ frame[7])
            """
        return try await command("/usr/bin/python3", ["-c", program])
    }
}
