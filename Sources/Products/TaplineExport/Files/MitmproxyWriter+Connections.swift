// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The states of the connections to client and server.
extension MitmproxyWriter {
    func client(_ exchange: Exchange, _ start: Int64, _ end: Int64) -> [UInt8] {
        let tls = exchange.connection.tls
        let address = Self.address(exchange.connection.client) ?? Self.address("", 0)
        return TNetString.dictionary(
            common(tls, "client", exchange.id, start, end) + [
                ("peername", address), ("sockname", Self.address("", 0)),
                ("mitmcert", TNetString.null), ("proxy_mode", TNetString.text("regular")),
            ]
        )
    }

    func server(_ exchange: Exchange, _ start: Int64, _ end: Int64) -> [UInt8] {
        let tls = exchange.connection.serverTLS ?? exchange.connection.tls
        let (host, port) = exchange.request.hostAndPort
        let peer = Self.address(exchange.connection.server) ?? TNetString.null
        return TNetString.dictionary(
            common(tls, "server", exchange.id, start, end) + [
                ("peername", peer), ("sockname", TNetString.null),
                ("address", Self.address(host.description, port ?? 0)),
                ("timestamp_tcp_setup", TNetString.null), ("via", TNetString.null),
            ]
        )
    }

    private func common(
        _ tls: TLSInfo?,
        _ side: String,
        _ id: ExchangeID,
        _ start: Int64,
        _ end: Int64
    ) -> [(String, [UInt8])] {
        func text(_ value: String?) -> [UInt8] {
            guard let value, !value.isEmpty else { return TNetString.null }
            return TNetString.text(value)
        }
        let alpn = tls.flatMap { $0.alpn.isEmpty ? nil : Array($0.alpn.utf8) }
        return [
            ("id", TNetString.text("\(id)-\(side)")),
            ("transport_protocol", TNetString.text("tcp")),
            ("alpn", alpn.map(TNetString.bytes) ?? TNetString.null),
            ("alpn_offers", TNetString.list([])),
            ("certificate_list", TNetString.list([])),
            ("cipher", text(tls?.cipher)),
            ("cipher_list", TNetString.list([])),
            ("error", TNetString.null),
            ("sni", text(tls?.sni)),
            ("timestamp_start", TNetString.seconds(microseconds: start)),
            ("timestamp_end", TNetString.seconds(microseconds: end)),
            ("timestamp_tls_setup", TNetString.null),
            ("tls", TNetString.bool(tls != nil)),
            ("tls_version", text(tls?.version)),
        ]
    }

    private static func address(_ host: String, _ port: Int) -> [UInt8] {
        TNetString.list([TNetString.text(host), TNetString.integer(port)])
    }

    /// `127.0.0.1:51234` as a pair; `nil` if this is no address.
    private static func address(_ text: String) -> [UInt8]? {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...])
        else { return nil }
        return address(text[..<colon].filter { $0 != "[" && $0 != "]" }, port)
    }
}
