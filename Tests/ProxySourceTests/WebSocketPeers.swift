// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet

@testable import ProxySource

/// A route from a WebSocket client to its server.
enum WebSocketRoute: CaseIterable {
    /// Through a reverse proxy.
    case reverse
    /// Through CONNECT, in plain HTTP that the proxy reads.
    case connect
    /// Through CONNECT, in intercepted TLS.
    case secure
}

/// A server of the `websockets` package, and its clients, which use a proxy.
struct WebSocketOrigin {
    let origin: SecureOrigin
    let route: WebSocketRoute

    init(_ route: WebSocketRoute = .reverse, compresses: Bool = false) async throws {
        self.route = route
        let arguments = "\(route == .secure ? "tls" : "") \(compresses ? "deflate" : "")"
        origin = try await SecureOrigin(program: Self.server, argument: arguments)
    }

    /// Returns the settings of a proxy in front of it.
    func settings() -> ProxySettings {
        route == .reverse
            ? origin.upstream(host: "127.0.0.1", isSecure: false) : origin.intercepting()
    }

    /// Runs Python code in which `ws` is a connection through the proxy.
    func client(
        through proxy: SocketAddress,
        compresses: Bool = false,
        _ lines: String
    ) async throws -> String {
        let body = lines.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n")
        let program = """
            import asyncio, socket, ssl, sys, websockets
            def open_tunnel():
                s = socket.create_connection(("127.0.0.1", \(proxy.port)), 20)
                s.sendall(b"CONNECT localhost:\(origin.port) HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
                head = b""
                while not head.endswith(b"\\r\\n\\r\\n"): head += s.recv(1)
                return s
            async def main():
                options = dict(compression=\(compresses ? "'deflate'" : "None"), max_size=None)
                options.update(ping_interval=None, close_timeout=5)
                route, port = "\(route)", \(proxy.port)
                if route != "reverse":
                    port = \(origin.port)
                    options["sock"] = open_tunnel()
                if route == "secure":
                    context = ssl.create_default_context(cafile="\(origin.folder)/ca/root.pem")
                    options.update(ssl=context, server_hostname="localhost")
                scheme = "wss" if route == "secure" else "ws"
                async with websockets.connect(f"{scheme}://localhost:{port}/chat?a=1", **options) as ws:
            \(body)
            asyncio.run(asyncio.wait_for(main(), 30))
            """
        return try await command("/usr/bin/python3", ["-c", program])
    }

    /// Echoes each message, except for some that are commands.
    private static let server = """
        import asyncio, socket, ssl, struct, sys, websockets
        def linger(ws):
            s = ws.transport.get_extra_info("socket")
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        async def answer(ws):
            async for message in ws:
                if message == "close": await ws.close(4000, "so long")
                elif message == "leave": ws.transport.close()
                elif message == "reset":
                    linger(ws)
                    ws.transport.abort()
                elif message == "fragments": await ws.send(["one ", "two ", "three"])
                elif message == "ping": await (await ws.ping(b"from the server"))
                elif message == "flood":
                    for number in range(200): await ws.send("x" * 100_000)
                else: await ws.send(message)
        async def main():
            words = sys.argv[3].split()
            context = None
            if "tls" in words:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(sys.argv[1], sys.argv[2])
            options = dict(compression="deflate" if "deflate" in words else None, max_size=None)
            options.update(ping_interval=None, ssl=context)
            async with websockets.serve(answer, "127.0.0.1", 0, **options) as server:
                print(server.sockets[0].getsockname()[1], flush=True)
                await asyncio.Future()
        asyncio.run(main())
        """
}

/// A server that switches to WebSocket, or another requested protocol, and then sends any bytes.
///
/// It reports its input in a message.
struct RawWebSocketOrigin {
    let origin: SecureOrigin

    init() async throws { origin = try await SecureOrigin(program: Self.server) }

    /// Sends bytes both ways, and returns what reached the server and the client, in hexadecimal.
    func exchange(
        through proxy: SocketAddress,
        up: String,
        down: String,
        extensions: String = "",
        asking name: String = "websocket"
    ) async throws -> (server: String, client: String) {
        let program = """
            import socket
            s = socket.create_connection(("127.0.0.1", \(proxy.port)), 20)
            s.sendall(b"GET http://127.0.0.1:\(origin.port)/\(down) HTTP/1.1\\r\\n"
                b"Host: 127.0.0.1:\(origin.port)\\r\\nConnection: Upgrade\\r\\nUpgrade: \(name)\\r\\n"
                b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\nSec-WebSocket-Version: 13\\r\\n"
                b"Sec-WebSocket-Extensions: \(extensions)\\r\\n\\r\\n")
            head = b""
            while not head.endswith(b"\\r\\n\\r\\n"): head += s.recv(1)
            s.sendall(bytes.fromhex("\(up)"))
            s.shutdown(socket.SHUT_WR)
            data = b""
            while piece := s.recv(65536): data += piece
            at = data.rfind(b"\\x82")
            head = 4 if data[at + 1] == 126 else 2
            print(data[at + head:-2].decode(), data[:at].hex())
            """
        let output = try await command("/usr/bin/python3", ["-c", program])
        let parts = output.dropLast().split(separator: " ", omittingEmptySubsequences: false)
        return (String(parts.first ?? ""), String(parts.last ?? ""))
    }

    private static let server = """
        import re, socket, struct, threading
        def serve(s):
            head = b""
            while not head.endswith(b"\\r\\n\\r\\n"): head += s.recv(1)
            down = bytes.fromhex(head.split()[1].decode()[1:])
            found = re.search(rb"(?i)\\r\\n(sec-websocket-extensions: [^\\r]+)", head)
            extensions = found[1] + b"\\r\\n" if found else b""
            name = re.search(rb"(?i)\\r\\nupgrade: ([^\\r]+)", head)[1]
            s.sendall(b"HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\n"
                b"Upgrade: " + name + b"\\r\\n" + extensions + b"\\r\\n" + down)
            data = b""
            while piece := s.recv(65536): data += piece
            seen = data.hex().encode()
            length = bytes([len(seen)]) if len(seen) < 126 else b"\\x7e" + struct.pack(">H", len(seen))
            s.sendall(b"\\x82" + length + seen + b"\\x88\\x00")
            s.close()
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        while True: threading.Thread(target=serve, args=[listener.accept()[0]]).start()
        """
}

extension Exchange {
    /// Its messages as lines such as `up text hello`; only the size of long ones.
    var messageLines: [String] {
        messages.map { message in
            var line = "\(message.direction) \(message.type)"
            if let code = message.code { line += " \(code)" }
            let text = String(decoding: message.bytes, as: UTF8.self)
            if !text.isEmpty { line += text.utf8.count > 40 ? " (\(text.utf8.count))" : " \(text)" }
            return message.isTruncated ? line + " …" : line
        }
    }
}
