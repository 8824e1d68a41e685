// SPDX-License-Identifier: MIT

internal import TaplineJSON
package import TaplineModel

extension FieldReference {
    /// How many bytes of a coded body are decoded.
    private static let maxDecodedBytes = FilterLimits().maxDecodedBytes

    /// Returns the value in an exchange, in the unit of the field; the first one if it repeats.
    ///
    /// Numbers in JSON are texts, as written. Hosts and schemes are in lower case, as they compare
    /// without regard to it.
    ///
    /// - Parameter exchange: The exchange.
    /// - Returns: The value; `nil` if a comparison with the field would not hold.
    package func value(in exchange: borrowing Exchange) -> FilterValue? {
        switch field {
        case .id, .source, .state, .started, .duration, .error, .client, .server, .tlsVersion,
            .tag, .correlation, .bytesUp, .bytesDown, .grpcService, .grpcMethod, .grpcStatus:
            ofExchange(exchange)
        case .method, .url, .scheme, .host, .port, .path, .route, .query, .requestVersion,
            .requestHeader, .requestCookie, .requestBody, .requestJSON, .requestSize:
            ofRequest(exchange.request)
        case .status, .statusClass, .contentType, .responseVersion, .responseHeader,
            .responseCookie, .responseBody, .responseJSON, .responseSize:
            exchange.response.flatMap { ofResponse($0) }
        case .json:
            json(exchange.request.body) ?? exchange.response.flatMap { json($0.body) }
        case .messageText:
            exchange.messages.first.map { .text($0.bytes) }
        case .note, .mark: note(exchange)
        case .any, .env: nil
        }
    }

    private func ofExchange(_ exchange: borrowing Exchange) -> FilterValue? {
        switch field {
        case .id: Self.text(exchange.id.description.utf8.span)
        case .source: Self.text(exchange.source.utf8.span)
        case .state: Self.text(exchange.state.name.utf8.span)
        case .started: .whole(exchange.started.microseconds)
        case .duration: exchange.timing.total.map { .whole($0.count) }
        case .error: exchange.error.map { .text(Array($0.code.utf8)) }
        case .client: Self.text(exchange.connection.client.utf8.span)
        case .server: Self.text(exchange.connection.server.utf8.span)
        case .tlsVersion: exchange.connection.tls.flatMap { Self.text($0.version.utf8.span) }
        case .tag:
            exchange.tags.first { $0.name.utf8.elementsEqual(key) }
                .map { .text(Array($0.value.utf8)) }
        case .correlation:
            Correlation.find(in: exchange).map { .text(Array(copying: $0.span)) }
        case .grpcService: GRPCCall.service(exchange).flatMap { Self.text($0.span) }
        case .grpcMethod: GRPCCall.method(exchange).flatMap { Self.text($0.span) }
        case .grpcStatus: GRPCCall.status(exchange).flatMap { Self.text($0.utf8.span) }
        case .bytesUp: exchange.bytes.map { .whole(Int64($0.up.total)) }
        default: exchange.bytes.map { .whole(Int64($0.down.total)) }
        }
    }

    private func ofRequest(_ request: borrowing Request) -> FilterValue? {
        switch field {
        case .method: Self.text(request.method.span)
        case .url: Self.text(request.url.span)
        case .scheme: Self.lowercased(request.scheme.span)
        case .host: Self.lowercased(request.authority.span.extracting(request.hostRange))
        case .port: request.port.map { .whole(Int64($0)) }
        case .path: Self.text(request.target.span.extracting(request.pathRange))
        case .route: Self.route(request.target.span.extracting(request.pathRange))
        case .query: query(request.target.span, request.queryRange)
        case .requestVersion: Self.text(request.version.span)
        case .requestHeader: header(request.fields)
        case .requestCookie: cookie(request.fields)
        case .requestBody: Self.body(request.body)
        case .requestJSON: json(request.body)
        default: request.body.size.map { .whole(Int64($0)) }
        }
    }

    private func ofResponse(_ response: borrowing Response) -> FilterValue? {
        switch field {
        case .status: response.status == 0 ? nil : .whole(Int64(response.status))
        case .statusClass:
            Program.statusClass(response.status).flatMap { Self.text($0.utf8.span) }
        case .contentType: Self.text(response.mediaType.span)
        case .responseVersion: Self.text(response.version.span)
        case .responseHeader: header(response.fields)
        case .responseCookie: cookie(response.fields, isSet: true)
        case .responseBody: Self.body(response.body)
        case .responseJSON: json(response.body)
        default: response.body.size.map { .whole(Int64($0)) }
        }
    }

    private func note(_ exchange: borrowing Exchange) -> FilterValue? {
        guard exchange.hasExtra, let notes = exchange.extra?.notes else { return nil }
        let texts = notes.lazy.map { field == .note ? $0.text : $0.mark }
        return texts.first { !$0.isEmpty }.map { .text(Array($0.utf8)) }
    }
}

// MARK: - Parts of messages

extension FieldReference {
    /// The text; `nil` if it is empty.
    private static func text(_ bytes: Span<UInt8>) -> FilterValue? {
        bytes.isEmpty ? nil : .text(Array(copying: bytes))
    }

    private static func lowercased(_ bytes: Span<UInt8>) -> FilterValue? {
        bytes.isEmpty ? nil : .text(Array(copying: bytes).map(\.asciiLowercased))
    }

    private static func route(_ path: Span<UInt8>) -> FilterValue? {
        var template: [UInt8] = []
        PathTemplate.make(path, into: &template)
        return template.isEmpty ? nil : .text(template)
    }

    private func query(_ target: Span<UInt8>, _ range: Range<Int>) -> FilterValue? {
        var items = QueryItems(range)
        while let item = items.next(in: target) {
            let isWanted = Program.decoding(target.extracting(item.name)) { $0.equals(key.span) }
            guard isWanted else { continue }
            return Program.decoding(target.extracting(item.value)) { .text(Array(copying: $0)) }
        }
        return nil
    }

    private func header(_ fields: borrowing FieldSection) -> FilterValue? {
        fields.firstIndex(of: key.span, from: 0).map {
            .text(Array(copying: fields.value(at: $0)))
        }
    }

    private func cookie(_ fields: borrowing FieldSection, isSet: Bool = false) -> FilterValue? {
        guard let cookie = fields.firstCookie(key.span, isSet: isSet) else { return nil }
        return .text(Array(copying: fields.value(at: cookie.position).extracting(cookie.value)))
    }

    /// The decoded content; `nil` if it is empty or has an unknown coding.
    private static func body(_ body: borrowing Body) -> FilterValue? {
        guard !body.bytes.isEmpty else { return nil }
        guard !body.coding.isEmpty else { return .text(body.bytes) }
        return BodyText.decode(body, limit: maxDecodedBytes).map { .text($0) }
    }
}

// MARK: - JSON

extension FieldReference {
    /// The first value at the path that is neither an array nor an object.
    private func json(_ body: borrowing Body) -> FilterValue? {
        guard let path, case .text(let bytes) = Self.body(body) else { return nil }
        guard let first = bytes.first(where: { !Program.isSpace($0) }),
            Program.beginsJSON(first)
        else { return nil }
        var parser = JSONParser(surrogates: .replace)
        do throws(JSONError) {
            let document = try parser.parse(bytes.span)
            return Self.first(document.root, path.steps[...])
        } catch {
            return nil
        }
    }

    /// **Limits**: as deep as the path has steps.
    private static func first(
        _ value: JSONValue,
        _ steps: ArraySlice<JSONPath.Step>
    ) -> FilterValue? {
        guard let step = steps.first else {
            return value.kind == .object || value.kind == .array
                ? nil : .text(Array(copying: value.bytes))
        }
        var members = value.members
        while let member = members.next() {
            switch step {
            case .member(let name) where member.key.bytes.equals(name.span): break
            case .every: break
            default: continue
            }
            if let found = first(member.value, steps.dropFirst()) { return found }
        }
        var elements = value.elements
        var index = 0
        while let element = elements.next() {
            if step == .every || step == .element(index),
                let found = first(element, steps.dropFirst())
            {
                return found
            }
            index += 1
        }
        return nil
    }
}
