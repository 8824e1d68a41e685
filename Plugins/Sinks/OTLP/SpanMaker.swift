// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Describes exchanges as spans, by the semantic conventions for HTTP.
///
/// It sees sealed records only, so that everything it uses has been redacted.
///
/// **Source**: OpenTelemetry Semantic Conventions 1.37, "HTTP spans".
struct SpanMaker: Sendable {
    var kind = OTLPKind.client
    /// The fields of requests that become attributes, in lower case.
    var requestHeaders: [String] = []
    /// The fields of responses that become attributes, in lower case.
    var responseHeaders: [String] = []
    /// How many messages of an exchange become events.
    var maxEvents = 0
    /// The maximum size of an attribute in bytes.
    var maxAttributeBytes = 4096

    /// The methods that the conventions know; others are `_OTHER`.
    private static let methods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    /// Makes the span of an exchange.
    func span(of exchange: Exchange) -> OTLPSpan {
        let parent = TraceParent(exchange.request.fields)
        // The ids of an exchange are random enough for traces and spans.
        let own = exchange.id
        let trace = parent?.trace ?? TraceID(high: own.high, low: own.low == 0 ? 1 : own.low)
        var span = OTLPSpan(trace: trace, id: own.low == 0 ? 1 : own.low)
        span.parent = parent?.span
        span.flags = parent?.flags ?? 0
        if parent != nil { span.traceState = text(exchange.request.fields.first("tracestate")) }
        span.kind = kind
        span.start = Self.nanoseconds(exchange.started.microseconds)
        let total = max(exchange.timing.total?.count ?? 0, 0)
        span.end = Self.nanoseconds(exchange.started.microseconds.addingClamped(total))
        span.duration = exchange.timing.total.map { Double(max($0.count, 0)) / 1e6 }
        span.status = exchange.response?.status
        addRequest(exchange.request, to: &span)
        addConnection(exchange.connection, to: &span)
        addResponse(of: exchange, to: &span)
        addHeaders(of: exchange, to: &span)
        span.attributes.append(OTLPAttribute("tapline.exchange.id", "\(own)"))
        if !exchange.source.isEmpty {
            span.attributes.append(OTLPAttribute("tapline.source", cut(exchange.source)))
        }
        addEvents(exchange, to: &span)
        return span
    }

    // MARK: Parts

    private func addRequest(_ request: Request, to span: inout OTLPSpan) {
        let method = text(request.method)
        let isKnown = Self.methods.contains(method)
        // Names of spans have few values, and a path has many.
        span.name = isKnown ? method : "HTTP"
        var attributes = [OTLPAttribute("http.request.method", isKnown ? method : "_OTHER")]
        if !isKnown { attributes.append(OTLPAttribute("http.request.method_original", method)) }
        let url = fullURL(request)
        attributes.append(OTLPAttribute("url.full", url))
        let target = request.target
        let path = ByteString(target.span.extracting(request.pathRange))
        attributes.append(OTLPAttribute("url.path", text(path)))
        let query = ByteString(target.span.extracting(request.queryRange))
        if !query.isEmpty { attributes.append(OTLPAttribute("url.query", text(query))) }
        if !request.scheme.isEmpty {
            attributes.append(OTLPAttribute("url.scheme", text(request.scheme).lowercased()))
        }
        let (host, port) = request.hostAndPort
        if !host.isEmpty { attributes.append(OTLPAttribute("server.address", address(host))) }
        if let port { attributes.append(OTLPAttribute("server.port", port)) }
        if let version = Self.version(request.version) {
            attributes.append(OTLPAttribute("network.protocol.version", version))
        }
        if let agent = request.fields.first("User-Agent") {
            attributes.append(OTLPAttribute("user_agent.original", text(agent)))
        }
        if let size = request.body.size {
            attributes.append(OTLPAttribute("http.request.body.size", size))
        }
        span.summary = "\(isKnown ? method : "HTTP") \(url)"
        span.attributes += attributes
    }

    private func addConnection(_ connection: Connection, to span: inout OTLPSpan) {
        let peer = span.kind == .client ? connection.server : connection.client
        guard !peer.isEmpty else { return }
        let range = Connection.address(in: peer.utf8.span)
        let bytes = Array(peer.utf8)
        let host = ByteString(Array(bytes[range]))
        span.attributes.append(OTLPAttribute("network.peer.address", address(host)))
        let rest = Array(bytes[range.upperBound...].dropFirst())
        if let port = rest.span.decimal {
            span.attributes.append(OTLPAttribute("network.peer.port", port))
        }
    }

    private func addResponse(of exchange: Exchange, to span: inout OTLPSpan) {
        var failure: String?
        if let response = exchange.response {
            span.attributes.append(OTLPAttribute("http.response.status_code", response.status))
            if let size = response.body.size {
                span.attributes.append(OTLPAttribute("http.response.body.size", size))
            }
            // For a server, a 4xx status is not an error: the client has made a mistake.
            let least = span.kind == .client ? 400 : 500
            if response.status >= least { failure = "\(response.status)" }
            span.summary += " \(response.status)"
        }
        if exchange.state != .completed {
            let code = exchange.error?.code ?? ""
            failure = code.isEmpty ? exchange.state.name : cut(code)
            span.errorMessage = cut(exchange.error?.message ?? "")
            span.summary += " \(failure ?? "")"
        }
        span.isError = failure != nil
        if let failure { span.attributes.append(OTLPAttribute("error.type", failure)) }
    }

    private func addHeaders(of exchange: Exchange, to span: inout OTLPSpan) {
        for name in requestHeaders {
            let values = exchange.request.fields.all(name).map { text($0) }
            guard !values.isEmpty else { continue }
            span.attributes.append(OTLPAttribute("http.request.header.\(name)", values))
        }
        guard let response = exchange.response else { return }
        for name in responseHeaders {
            let values = response.fields.all(name).map { text($0) }
            guard !values.isEmpty else { continue }
            span.attributes.append(OTLPAttribute("http.response.header.\(name)", values))
        }
    }

    /// Adds messages without their content.
    private func addEvents(_ exchange: Exchange, to span: inout OTLPSpan) {
        guard maxEvents > 0 else { return }
        for message in exchange.messages.prefix(maxEvents) {
            let at = exchange.started.microseconds.addingClamped(message.at?.count ?? 0)
            let direction = message.direction == .up ? "up" : "down"
            let size = message.size ?? message.bytes.count
            let event = OTLPSpan.Event(
                time: Self.nanoseconds(at),
                name: "tapline.message",
                attributes: [
                    OTLPAttribute("tapline.message.direction", direction),
                    OTLPAttribute("tapline.message.type", cut(message.type)),
                    OTLPAttribute("tapline.message.size", size),
                ]
            )
            span.events.append(event)
        }
        span.droppedEvents = max(exchange.messages.count - maxEvents, 0)
    }

    // MARK: Values

    /// The URL; a user and a password in it are masked, as the conventions say.
    private func fullURL(_ request: Request) -> String {
        let url = request.url
        guard let parts = URLParts(url.span), !parts.userInfo.isEmpty else { return text(url) }
        var bytes = Array(copying: url.span.extracting(0..<parts.userInfo.lowerBound))
        bytes += Array("REDACTED:REDACTED".utf8)
        bytes.append(copying: url.span.extracting(parts.userInfo.upperBound..<url.count))
        return text(ByteString(bytes))
    }

    /// The text of bytes, with invalid UTF-8 replaced, up to the limit.
    private func text(_ bytes: ByteString?) -> String { cut(bytes.map { "\($0)" } ?? "") }

    /// Cuts a text at the limit, between two characters.
    private func cut(_ text: String) -> String {
        guard text.utf8.count > maxAttributeBytes else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: maxAttributeBytes)
        while end > text.startIndex, UTF8.isContinuation(text.utf8[end]) {
            end = text.utf8.index(before: end)
        }
        return String(text[..<end])
    }

    /// An address without the brackets of IPv6.
    private func address(_ host: ByteString) -> String {
        let name = text(host)
        guard name.hasPrefix("["), name.hasSuffix("]") else { return name }
        return String(name.dropFirst().dropLast())
    }

    /// `1.1` for `HTTP/1.1`, `2` for `HTTP/2` and `HTTP/2.0`.
    private static func version(_ version: ByteString) -> String? {
        let name = "\(version)"
        guard name.hasPrefix("HTTP/") else { return nil }
        let number = name.dropFirst(5)
        guard !number.isEmpty, number.utf8.count <= 8 else { return nil }
        let isWhole = number.hasSuffix(".0") && number != "1.0"
        return String(isWhole ? number.dropLast(2) : number)
    }

    /// Nanoseconds since 1970; 0 for earlier times, and at most what 64 bits hold.
    private static func nanoseconds(_ microseconds: Int64) -> UInt64 {
        UInt64(max(microseconds, 0)).multipliedClamped(by: 1000)
    }
}

extension OTLPSpan {
    /// The severity of the log record.
    var severity: (number: UInt64, text: String) {
        if let status, status < 500, errorMessage.isEmpty, isError { return (13, "WARN") }
        return isError ? (17, "ERROR") : (9, "INFO")
    }
}
