// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineModel
package import TaplinePlugin

/// Writes flows of mitmproxy 10 and later (flow format 21).
///
/// **Source**: the methods `get_state` of mitmproxy, and its module `mitmproxy.io.compat`.
package struct MitmproxyWriter: ExportWriter {
    /// The format's version; later versions of mitmproxy convert it.
    private static let version = 21

    /// Creates a writer.
    package init() {}

    package mutating func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        let exchange = record.exchange
        let url = exchange.request.url
        guard URLParts(url.span) != nil || exchange.request.method == "CONNECT" else {
            losses.count("request (url)")
            return losses
        }
        let start = exchange.started.microseconds
        let end = Self.time(start, exchange.timing.total)
        let failure: [UInt8] =
            exchange.error.map { error in
                let text = error.message.isEmpty ? error.code : error.message
                let time = TNetString.seconds(microseconds: end)
                return TNetString.dictionary([("msg", TNetString.text(text)), ("timestamp", time)])
            } ?? TNetString.null
        let notes = exchange.extra?.notes.map(\.text).filter { !$0.isEmpty } ?? []
        if !exchange.tags.isEmpty { losses.count("tags") }
        if !exchange.original.isEmpty { losses.count("original") }
        output += TNetString.dictionary([
            ("version", TNetString.integer(Self.version)),
            ("type", TNetString.text("http")),
            ("id", TNetString.text(exchange.id.description)),
            ("error", failure),
            ("client_conn", client(exchange, start, end)),
            ("server_conn", server(exchange, start, end)),
            ("intercepted", TNetString.bool(false)),
            ("is_replay", TNetString.null),
            ("marked", TNetString.text("")),
            ("metadata", TNetString.dictionary([])),
            ("comment", TNetString.text(notes.joined(separator: "\n"))),
            ("timestamp_created", TNetString.seconds(microseconds: start)),
            ("backup", TNetString.null),
            ("request", request(exchange, start, &losses)),
            ("response", response(exchange, end, &losses)),
            ("websocket", webSocket(exchange, end)),
        ])
        return losses
    }

    private static func time(_ start: Int64, _ offset: Microseconds?) -> Int64 {
        let (sum, isOver) = start.addingReportingOverflow(offset?.count ?? 0)
        return isOver ? start : sum
    }

    // MARK: Messages

    private func request(
        _ exchange: Exchange,
        _ start: Int64,
        _ losses: inout LossReport
    ) -> [UInt8] {
        let request = exchange.request
        let (host, port) = request.hostAndPort
        let isCoded = !request.body.coding.isEmpty
        if request.body.isTruncated { losses.count("request.body.truncated") }
        let fields = fields(fields(request), of: request.body, isCoded, "request", &losses)
        let name = Array(copying: host.span).filter { $0 != .ascii("[") && $0 != .ascii("]") }
        return TNetString.dictionary([
            ("http_version", TNetString.bytes(Self.version(request.version))),
            ("headers", fields),
            ("content", TNetString.bytes(request.body.bytes)),
            ("trailers", Self.trailers(request.trailers)),
            ("timestamp_start", TNetString.seconds(microseconds: start)),
            ("timestamp_end", TNetString.seconds(microseconds: start)),
            ("host", TNetString.text(String(decoding: name, as: UTF8.self))),
            ("port", TNetString.integer(port ?? 0)),
            ("method", TNetString.bytes(Array(copying: request.method.span))),
            ("scheme", TNetString.bytes(Array(copying: request.scheme.span))),
            (
                "authority",
                TNetString.bytes(
                    hasAuthority(request) ? Array(copying: request.authority.span) : []
                )
            ),
            ("path", TNetString.bytes(path(request))),
        ])
    }

    /// Only HTTP/2 and later and CONNECT have an authority of their own.
    private func hasAuthority(_ request: Request) -> Bool {
        request.version.isLaterHTTP || request.method == "CONNECT"
    }

    /// The fields of a request, with the authority in `Host` if it is nowhere else.
    private func fields(_ request: Request) -> FieldSection {
        guard !hasAuthority(request), !request.fields.contains("Host") else {
            return request.fields
        }
        var fields: FieldSection = ["Host": request.authority.description]
        for position in request.fields.indices {
            fields.append(
                name: request.fields.name(at: position),
                value: request.fields.value(at: position)
            )
        }
        return fields
    }

    private func path(_ request: Request) -> [UInt8] {
        guard let parts = URLParts(request.target.span) else {
            return Array(copying: request.target.span)
        }
        return Array(copying: parts.originForm(of: request.target.span).span)
    }

    private func response(
        _ exchange: Exchange,
        _ end: Int64,
        _ losses: inout LossReport
    ) -> [UInt8] {
        guard let response = exchange.response else { return TNetString.null }
        let isCoded = !response.body.coding.isEmpty
        if response.body.isTruncated { losses.count("response.body.truncated") }
        if !response.interim.isEmpty { losses.count("response.interim") }
        let fields = fields(response.fields, of: response.body, isCoded, "response", &losses)
        let time = TNetString.seconds(microseconds: end)
        return TNetString.dictionary([
            ("http_version", TNetString.bytes(Self.version(response.version))),
            ("headers", fields),
            ("content", TNetString.bytes(response.body.bytes)),
            ("trailers", Self.trailers(response.trailers)),
            ("timestamp_start", time),
            ("timestamp_end", time),
            ("status_code", TNetString.integer(response.status)),
            ("reason", TNetString.bytes(Array(copying: response.reason.span))),
        ])
    }

    private static func version(_ version: ByteString) -> [UInt8] {
        switch version.description {
        case "": Array("HTTP/1.1".utf8)
        case "HTTP/2": Array("HTTP/2.0".utf8)
        default: Array(copying: version.span)
        }
    }

    /// The fields, as they fit the kept content: mitmproxy decodes it as Content-Encoding states,
    /// and sends it with the given length.
    private func fields(
        _ fields: FieldSection,
        of body: Body,
        _ isCoded: Bool,
        _ message: String,
        _ losses: inout LossReport
    ) -> [UInt8] {
        let hasContent = !body.bytes.isEmpty
        var pairs: [[UInt8]] = []
        for position in fields.indices {
            let name = Array(copying: fields.name(at: position))
            var value = Array(copying: fields.value(at: position))
            if name.first == .ascii(":") { continue }
            if name.span.equalsIgnoringCase("content-encoding"), hasContent, !isCoded {
                if message == "request" {
                    losses.count("request.body.coding")
                } else {
                    losses.count("response.body.coding")
                }
                continue
            }
            if name.span.equalsIgnoringCase("transfer-encoding"), hasContent { continue }
            if name.span.equalsIgnoringCase("content-length"), hasContent {
                value = Array("\(body.bytes.count)".utf8)
            }
            pairs.append(TNetString.list([TNetString.bytes(name), TNetString.bytes(value)]))
        }
        // Without a length, content that was chunked would not be sent.
        if hasContent, !fields.contains("Content-Length") {
            let name = TNetString.bytes(Array("content-length".utf8))
            let value = TNetString.bytes(Array("\(body.bytes.count)".utf8))
            pairs.append(TNetString.list([name, value]))
        }
        return TNetString.list(pairs)
    }

    private static func trailers(_ fields: FieldSection) -> [UInt8] {
        guard !fields.isEmpty else { return TNetString.null }
        return TNetString.list(
            fields.indices.map { position in
                TNetString.list([
                    TNetString.bytes(Array(copying: fields.name(at: position))),
                    TNetString.bytes(Array(copying: fields.value(at: position))),
                ])
            }
        )
    }

    /// The messages of a WebSocket; `null` if this is none.
    private func webSocket(_ exchange: Exchange, _ end: Int64) -> [UInt8] {
        let messages = exchange.messages.filter(\.isData)
        let close = exchange.messages.last { $0.type == "close" }
        guard !messages.isEmpty || close != nil else { return TNetString.null }
        let start = exchange.started.microseconds
        let list = messages.map { message in
            TNetString.list([
                TNetString.integer(message.type == "text" ? 1 : 2),
                TNetString.bool(message.direction == .up),
                TNetString.bytes(message.bytes),
                TNetString.seconds(microseconds: Self.time(start, message.at)),
                TNetString.bool(false),
                TNetString.bool(false),
            ])
        }
        let reason = close.map { String(decoding: $0.bytes, as: UTF8.self) }
        return TNetString.dictionary([
            ("messages", TNetString.list(list)),
            (
                "closed_by_client",
                close.map { TNetString.bool($0.direction == .up) } ?? TNetString.null
            ),
            ("close_code", close?.code.map(TNetString.integer) ?? TNetString.null),
            ("close_reason", reason.map(TNetString.text) ?? TNetString.null),
            ("timestamp_end", TNetString.seconds(microseconds: end)),
        ])
    }
}

extension ByteString {
    /// Whether this is the version of a protocol with an authority apart from `Host`.
    fileprivate var isLaterHTTP: Bool {
        description.hasPrefix("HTTP/2") || description.hasPrefix("HTTP/3")
    }
}
