// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TaplineSystem
import Testing

@testable import ProxySource

/// Tests for inspected tunnels whose client does not speak first.
@Suite("Tunnels with a silent client", .timeLimit(.minutes(3)))
struct ServerProbeTests {
    /// Waits for hours if neither side speaks, so that only the tested condition ends the wait.
    private func settings(_ origin: SecureOrigin, hosts: String) -> ProxySettings {
        var settings = origin.intercepting()
        settings.interception?.hosts = [Glob(hosts)]
        settings.timeouts.opening = Microseconds(3_600_000_000)
        settings.timeouts.silence = Microseconds(10_000)
        return settings
    }

    /// Runs Python code with a tunnel `s` to `listener`, both of which belong to the test.
    private func run(_ proxy: ProxyHarness, _ lines: String) async throws -> String {
        let program = """
            import socket, ssl
            listener = socket.create_server(("127.0.0.1", 0))
            listener.settimeout(20)
            s = socket.create_connection(("127.0.0.1", \(proxy.address.port)), 20)
            s.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n" % listener.getsockname()[1])
            head = b""
            while not head.endswith(b"\\r\\n\\r\\n"): head += s.recv(1)
            server = listener.accept()[0]
            server.settimeout(20)
            \(lines)
            """
        return try await command("/usr/bin/python3", ["-c", program])
    }

    @Test("pass as soon as the server has spoken", arguments: ["*", "*.shop.test"])
    func serverFirst(hosts: String) async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(settings(origin, hosts: hosts))
        let output = try await run(
            proxy,
            """
            server.sendall(b"220 ")
            print(s.recv(4, socket.MSG_WAITALL).decode())
            s.sendall(b"GET / HTTP/1.1\\r\\n\\r\\n")
            print(server.recv(18, socket.MSG_WAITALL).decode().split()[0])
            server.sendall(b"bye")
            server.close()
            print(s.recv(3, socket.MSG_WAITALL).decode())
            s.close()
            """
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "220 \nGET\nbye\n")
        #expect(exchanges.map(\.request.method) == ["CONNECT"])
        #expect(exchanges.first?.state == .completed)
        #expect(exchanges.first?.bytes?.down.body == 7)
        #expect(exchanges.first?.connection.server.hasPrefix("127.0.0.1:") == true)
        #expect(exchanges.first?.timing.connect != nil)
    }

    @Test("pass if the server closes without sending anything")
    func serverEnds() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(settings(origin, hosts: "*"))
        let output = try await run(
            proxy,
            """
            server.close()
            again = listener.accept()[0]
            again.close()
            print(s.recv(1))
            s.close()
            """
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "b''\n")
        #expect(exchanges.map(\.state) == [.completed])
    }

    @Test("are read if the client speaks after all, and the server's connection is closed")
    func clientFirst() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(settings(origin, hosts: "*"))
        let output = try await run(
            proxy,
            """
            context = ssl.create_default_context(cafile="\(origin.folder)/ca/root.pem")
            secure = context.wrap_socket(s, server_hostname="late.test")
            print(secure.version(), server.recv(1))
            secure.close()
            """
        )
        _ = await proxy.stop()
        #expect(output == "TLSv1.3 b''\n")
    }

    @Test("end if the client disconnects")
    func clientGoes() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(settings(origin, hosts: "*"))
        let output = try await run(proxy, "s.close()\nprint(server.recv(1))")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "b''\n")
        #expect(exchanges.map(\.state) == [.cancelled])
    }

    @Test("pass eventually if neither side speaks")
    func silence() async throws {
        let origin = try await SecureOrigin()
        var settings = settings(origin, hosts: "*")
        settings.timeouts.opening = Microseconds(10_000)
        let proxy = await ProxyHarness.start(settings, drainTimeout: Microseconds(1_000_000))
        async let output = run(proxy, "print(server.recv(1), s.recv(1))")
        // It is reported once it passes.
        while proxy.opened.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        let (_, exchanges) = await proxy.stop()
        #expect(try await output == "b'' b''\n")
        #expect(exchanges.map(\.request.method) == ["CONNECT"])
    }
}
