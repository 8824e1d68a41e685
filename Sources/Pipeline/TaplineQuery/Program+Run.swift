// SPDX-License-Identifier: MIT

internal import TaplineModel

extension Program {
    /// Follows the tests from the entry to the result.
    func run(_ exchange: borrowing Exchange) -> Bool {
        var position = entry
        // Each test points only at a result or at a test that was emitted before it.
        while position >= 0 {
            let test = tests[position]
            position = holds(test, exchange) ? test.onTrue : test.onFalse
        }
        return position == Program.holds
    }

    private func holds(_ test: Test, _ exchange: borrowing Exchange) -> Bool {
        if test.test == .never { return false }
        switch test.field {
        case .id, .source, .state, .started, .duration, .error, .client, .server, .tlsVersion,
            .tag, .env, .correlation, .bytesUp, .bytesDown, .grpcService, .grpcMethod, .grpcStatus:
            return holdsForExchange(test, exchange)
        case .method, .url, .scheme, .host, .port, .path, .route, .query, .requestVersion,
            .requestHeader, .requestCookie, .requestBody, .requestJSON, .requestSize:
            return holdsForRequest(test, exchange.request)
        case .status, .statusClass, .contentType, .responseVersion, .responseHeader,
            .responseCookie, .responseBody, .responseJSON, .responseSize:
            return holdsForResponse(test, exchange)
        case .any, .json, .messageText, .note, .mark:
            return holdsForContent(test, exchange)
        }
    }

    private func holdsForExchange(_ test: Test, _ exchange: borrowing Exchange) -> Bool {
        switch test.field {
        case .id: holds(test, exchange.id.description.utf8.span)
        case .source: holdsUnlessEmpty(test, exchange.source.utf8.span)
        case .state: holds(test, exchange.state.name.utf8.span)
        case .started: holds(test, exchange.started.microseconds)
        case .duration: holds(test, exchange.timing.total?.count)
        case .error: exchange.error.map { holds(test, $0.code.utf8.span) } ?? false
        case .client: holdsUnlessEmpty(test, exchange.connection.client.utf8.span)
        case .server: holdsUnlessEmpty(test, exchange.connection.server.utf8.span)
        case .tlsVersion:
            exchange.connection.tls.map { holdsUnlessEmpty(test, $0.version.utf8.span) } ?? false
        case .tag: holdsForTag(test, exchange.tags)
        case .correlation:
            Correlation.find(in: exchange).map { holds(test, $0.span) } ?? false
        case .grpcService:
            GRPCCall.service(exchange).map { holdsUnlessEmpty(test, $0.span) } ?? false
        case .grpcMethod:
            GRPCCall.method(exchange).map { holdsUnlessEmpty(test, $0.span) } ?? false
        case .grpcStatus:
            GRPCCall.status(exchange).map { holdsUnlessEmpty(test, $0.utf8.span) } ?? false
        case .bytesUp: holds(test, exchange.bytes.map { Int64($0.up.total) })
        case .bytesDown: holds(test, exchange.bytes.map { Int64($0.down.total) })
        default: holds(test, text.span.extracting(test.key))
        }
    }

    private func holdsForRequest(_ test: Test, _ request: borrowing Request) -> Bool {
        switch test.field {
        case .method: holdsUnlessEmpty(test, request.method.span)
        case .url: holdsUnlessEmpty(test, request.url.span)
        case .scheme: holdsUnlessEmpty(test, request.scheme.span)
        case .host:
            holdsUnlessEmpty(test, request.authority.span.extracting(request.hostRange))
        case .port: holds(test, request.port.map { Int64($0) })
        case .path: holdsUnlessEmpty(test, request.target.span.extracting(request.pathRange))
        case .route: holdsForRoute(test, request.target.span.extracting(request.pathRange))
        case .query: holdsForQuery(test, request.target.span, request.queryRange)
        case .requestVersion: holdsUnlessEmpty(test, request.version.span)
        case .requestHeader: holdsForField(test, request.fields)
        case .requestCookie: holdsForCookie(test, request.fields, "cookie", allPairs: true)
        case .requestBody: holdsForBody(test, request.body)
        case .requestJSON: holdsForJSON(test, request.body)
        default: holds(test, request.body.size.map { Int64($0) })
        }
    }

    private func holdsForResponse(_ test: Test, _ exchange: borrowing Exchange) -> Bool {
        switch test.field {
        case .status:
            let status = exchange.response?.status ?? 0
            return holds(test, status == 0 ? nil : Int64(status))
        case .statusClass:
            guard let name = Program.statusClass(exchange.response?.status ?? 0) else {
                return false
            }
            return holds(test, name.utf8.span)
        case .responseSize:
            return holds(test, (exchange.response?.body.size).map { Int64($0) })
        default:
            guard let response = exchange.response else { return false }
            return switch test.field {
            case .contentType: holdsUnlessEmpty(test, response.mediaType.span)
            case .responseVersion: holdsUnlessEmpty(test, response.version.span)
            case .responseHeader: holdsForField(test, response.fields)
            case .responseCookie:
                holdsForCookie(test, response.fields, "set-cookie", allPairs: false)
            case .responseJSON: holdsForJSON(test, response.body)
            default: holdsForBody(test, response.body)
            }
        }
    }

    /// None of these strings allocates, since strings of up to 15 bytes are stored inline.
    static func statusClass(_ status: Int) -> String? {
        switch status {
        case 100...199: "1xx"
        case 200...299: "2xx"
        case 300...399: "3xx"
        case 400...499: "4xx"
        case 500...599: "5xx"
        default: nil
        }
    }
}

// MARK: - Repeated fields

extension Program {
    private func holdsForField(_ test: Test, _ fields: borrowing FieldSection) -> Bool {
        let name = text.span.extracting(test.key)
        var start = 0
        while let position = fields.firstIndex(of: name, from: start) {
            if holds(test, fields.value(at: position)) { return true }
            start = position + 1
        }
        return false
    }

    private func holdsForTag(_ test: Test, _ tags: borrowing Tags) -> Bool {
        let name = text.span.extracting(test.key)
        for position in 0..<tags.count where tags[position].name.utf8.span.equals(name) {
            return holds(test, tags[position].value.utf8.span)
        }
        return false
    }

    /// Names and values are compared after decoding; a plus sign is a space (WHATWG URL §5.1).
    private func holdsForQuery(_ test: Test, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let name = text.span.extracting(test.key)
        var items = QueryItems(range)
        while let item = items.next(in: bytes) {
            let isWanted = Program.decoding(bytes.extracting(item.name)) { $0.equals(name) }
            guard isWanted else { continue }
            if Program.decoding(bytes.extracting(item.value), { holds(test, $0) }) { return true }
        }
        return false
    }

    /// Percent-decodes the bytes, which are copied only if they contain an escape.
    static func decoding<Result>(
        _ bytes: Span<UInt8>,
        _ body: (Span<UInt8>) -> Result
    ) -> Result {
        for index in bytes.indices
        where bytes[index] == .ascii("%") || bytes[index] == .ascii("+") {
            return body(PercentEncoding.decode(bytes, plusIsSpace: true).span)
        }
        return body(bytes)
    }

    /// Compares a body; an empty body counts as absent.
    func holdsForBody(_ test: Test, _ body: borrowing Body) -> Bool {
        if test.test == .exists { return !body.bytes.isEmpty || body.size ?? 0 > 0 }
        guard !body.bytes.isEmpty else { return false }
        guard !body.coding.isEmpty else { return holds(test, body.bytes.span) }
        guard let decoded = BodyText.decode(body, limit: maxDecodedBytes) else { return false }
        return holds(test, decoded.span)
    }
}
