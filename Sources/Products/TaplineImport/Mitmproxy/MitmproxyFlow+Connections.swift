// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// The connections of a flow, and the messages of a WebSocket.
extension MitmproxyFlow {
    func connection() throws(RecordError) -> Connection {
        var connection = Connection()
        if let client = try dictionary("client_conn") {
            // Formats before 19 have other names.
            connection.client = try address(client["peername"] ?? client["address"])
            connection.tls = tls(client)
        }
        if let server = try dictionary("server_conn") {
            connection.server = try address(server["peername"] ?? server["ip_address"])
            connection.serverTLS = tls(server)
        }
        return connection
    }

    private func dictionary(_ name: String) throws(RecordError) -> [String: TNetValue]? {
        guard let value = members[name], value.isDictionary else { return nil }
        return try value.members(source)
    }

    /// `127.0.0.1:51234` of a host and a port; empty if there is none.
    private func address(_ value: TNetValue?) throws(RecordError) -> String {
        guard let parts = try value?.elements(source), parts.count >= 2,
            let host = parts[0].text(source), !host.isEmpty, let port = parts[1].integer(source)
        else { return "" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private func tls(_ connection: [String: TNetValue]) -> TLSInfo? {
        let flag =
            connection["tls"] ?? connection["tls_established"] ?? connection["ssl_established"]
        guard flag?.isTrue(source) == true else { return nil }
        func text(_ names: String...) -> String {
            for name in names {
                if let text = connection[name]?.text(source), !text.isEmpty { return text }
            }
            return ""
        }
        return TLSInfo(
            version: text("tls_version"),
            cipher: text("cipher", "cipher_name"),
            sni: text("sni"),
            alpn: text("alpn", "alpn_proto_negotiated")
        )
    }

    /// Adds the messages of a WebSocket, and its close frame.
    func addMessages(to exchange: inout Exchange, since start: Int64) throws(RecordError) {
        guard let socket = try dictionary("websocket") else { return }
        for element in try socket["messages"]?.elements(source) ?? [] {
            let parts = try element.elements(source)
            guard parts.count >= 4, let type = parts[0].integer(source),
                let bytes = parts[2].bytes(source)
            else { throw .shape("malformed message of a WebSocket", at: element.start) }
            exchange.messages.append(
                StreamMessage(
                    direction: parts[1].isTrue(source) ? .up : .down,
                    at: Self.offset(parts[3].seconds(source), start),
                    type: type == 1 ? "text" : "binary",
                    bytes: bytes,
                    size: bytes.count
                )
            )
        }
        guard let code = socket["close_code"]?.integer(source) else { return }
        let reason = socket["close_reason"]?.bytes(source) ?? []
        exchange.messages.append(
            StreamMessage(
                direction: socket["closed_by_client"]?.isTrue(source) == true ? .up : .down,
                at: Self.offset(socket["timestamp_end"]?.seconds(source), start),
                type: "close",
                code: code,
                bytes: reason,
                size: reason.count
            )
        )
    }

    private static func offset(_ time: Int64?, _ start: Int64) -> Microseconds? {
        guard let time, time >= start else { return nil }
        return Microseconds(time - start)
    }
}
