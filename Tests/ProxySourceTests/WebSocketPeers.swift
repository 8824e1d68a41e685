// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TestSupport

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
        origin = try await SecureOrigin(program: "websocket_server", argument: arguments)
    }

    /// Returns the settings of a proxy in front of it.
    func settings() -> ProxySettings {
        route == .reverse
            ? origin.upstream(host: "127.0.0.1", isSecure: false) : origin.intercepting()
    }

    /// Connects through the proxy, and calls a function in `websocket_client.py`.
    func client(
        through proxy: SocketAddress,
        compresses: Bool = false,
        _ function: String,
        _ arguments: [String] = []
    ) async throws -> String {
        try await Python.run(
            "websocket_client",
            ["\(route)", "\(proxy.port)", "\(origin.port)", origin.authority]
                + [compresses ? "deflate" : "", function] + arguments
        )
    }
}

/// A server that switches to WebSocket, or another requested protocol, and then sends any bytes.
///
/// It reports its input in a message.
struct RawWebSocketOrigin {
    let origin: SecureOrigin

    init() async throws { origin = try await SecureOrigin(program: "raw_websocket_server") }

    /// Sends bytes both ways, and returns what reached the server and the client, in hexadecimal.
    func exchange(
        through proxy: SocketAddress,
        up: String,
        down: String,
        extensions: String = "",
        asking name: String = "websocket"
    ) async throws -> (server: String, client: String) {
        let output = try await Python.run(
            "raw_websocket_client",
            ["\(proxy.port)", "\(origin.port)", name, extensions, down, up]
        )
        let parts = output.dropLast().split(separator: " ", omittingEmptySubsequences: false)
        return (String(parts.first ?? ""), String(parts.last ?? ""))
    }
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
