// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel

/// What was observed of one method of one route.
struct ObservedOperation {
    /// A parameter in a query or in the fields.
    private struct Parameter {
        var shape = ValueShape()
        /// In how many exchanges it occurred.
        var uses = 0
        /// Whether it occurred more than once in an exchange.
        var isRepeated = false
    }

    private var count = 0
    private var query: [String: Parameter] = [:]
    private var headers: [String: Parameter] = [:]
    private var bodies: [String: ObservedContent] = [:]
    private var bodyCount = 0
    private var responses: [Int: [String: ObservedContent]] = [:]
    /// The credentials that were sent: `basic`, `bearer`.
    private(set) var schemes: Set<String> = []
    private var anonymous = 0

    /// The largest number of parameters of a kind.
    private static let maxParameters = 100

    /// Adds an exchange with a response.
    mutating func observe(
        _ exchange: Exchange,
        _ response: Response,
        isRedacted: Bool,
        _ losses: inout LossReport
    ) {
        let request = exchange.request
        count += 1
        let text = Array(copying: request.target.span.extracting(request.queryRange))
        Self.observe(FormPairs.read(text), in: &query, &losses)
        Self.observe(Self.ownFields(request.fields), in: &headers, &losses)
        observeCredentials(request.fields)
        if !request.body.bytes.isEmpty {
            bodyCount += 1
            let type = Self.key(request.mediaType)
            bodies[type, default: ObservedContent()]
                .observe(request.body, request.fields, isRedacted: isRedacted, &losses)
        }
        var contents = responses[response.status] ?? [:]
        if !response.body.bytes.isEmpty {
            contents[Self.key(response.mediaType), default: ObservedContent()]
                .observe(response.body, response.fields, isRedacted: isRedacted, &losses)
        }
        responses[response.status] = contents
    }

    private static func key(_ type: ByteString) -> String {
        let text = type.text ?? ""
        let isPlain = text.utf8.allSatisfy { $0.isTokenByte || $0 == .ascii("/") }
        return text.contains("/") && isPlain ? text : "application/octet-stream"
    }

    private static func observe(
        _ pairs: [(name: String, value: [UInt8])],
        in parameters: inout [String: Parameter],
        _ losses: inout LossReport
    ) {
        var seen: Set<String> = []
        for pair in pairs {
            guard parameters[pair.name] != nil || parameters.count < maxParameters else {
                losses.count("parameters (too many)")
                return
            }
            let isFirst = seen.insert(pair.name).inserted
            parameters[pair.name, default: Parameter()].shape.observe(text: pair.value.span)
            parameters[pair.name]?.uses += isFirst ? 1 : 0
            if !isFirst { parameters[pair.name]?.isRepeated = true }
        }
    }

    /// The fields that belong to the API: those that begin with `X-`, but were not added by
    /// proxies, and conditions.
    private static func ownFields(_ fields: FieldSection) -> [(name: String, value: [UInt8])] {
        let proxies = ["x-forwarded-", "x-real-ip", "x-envoy-", "x-amzn-", "x-b3-"]
        let known = ["idempotency-key", "if-match", "if-none-match", "prefer"]
        return fields.indices.compactMap { position in
            let name = ByteString(fields.name(at: position)).description
            let key = name.lowercased()
            let isOwn = key.hasPrefix("x-") && !proxies.contains { key.hasPrefix($0) }
            guard isOwn || known.contains(key), name.isToken else { return nil }
            return (key, Array(copying: fields.value(at: position)))
        }
    }

    private mutating func observeCredentials(_ fields: FieldSection) {
        guard let value = fields.first("Authorization") else {
            anonymous += 1
            return
        }
        let scheme = value.description.prefix { $0 != " " }.lowercased()
        if ["basic", "bearer"].contains(scheme) { schemes.insert(scheme) }
    }

    // MARK: Output

    /// Writes an Operation Object (OpenAPI 3.1 §4.8.10).
    func write(_ id: String, to json: inout JSONWriter) {
        json.beginObject()
        json.member("operationId", id)
        json.member("description", "Observed \(count) times.")
        if !query.isEmpty || !headers.isEmpty {
            json.key("parameters")
            json.beginArray()
            for name in query.keys.sorted() { write(name, query[name], "query", to: &json) }
            for name in headers.keys.sorted() { write(name, headers[name], "header", to: &json) }
            json.endArray()
        }
        if !bodies.isEmpty {
            json.key("requestBody")
            json.beginObject()
            json.key("content")
            Self.write(bodies, to: &json)
            if bodyCount == count { json.member("required", true) }
            json.endObject()
        }
        writeResponses(to: &json)
        writeSecurity(to: &json)
        json.endObject()
    }

    private func write(
        _ name: String,
        _ parameter: Parameter?,
        _ place: String,
        to json: inout JSONWriter
    ) {
        guard let parameter else { return }
        json.beginObject()
        json.member("name", name)
        json.member("in", place)
        if parameter.uses == count { json.member("required", true) }
        json.key("schema")
        if parameter.isRepeated {
            json.beginObject()
            json.member("type", "array")
            json.key("items")
            parameter.shape.writeSchema(to: &json)
            json.endObject()
        } else {
            parameter.shape.writeSchema(to: &json)
        }
        json.endObject()
    }

    private static func write(_ contents: [String: ObservedContent], to json: inout JSONWriter) {
        json.beginObject()
        for type in contents.keys.sorted() {
            json.key(type.utf8.span)
            contents[type]?.write(to: &json)
        }
        json.endObject()
    }

    private func writeResponses(to json: inout JSONWriter) {
        json.key("responses")
        json.beginObject()
        for status in responses.keys.sorted() {
            json.key("\(status)".utf8.span)
            json.beginObject()
            let reason = Response.reason(of: status)
            json.member("description", reason.isEmpty ? "Status \(status)" : reason)
            if let contents = responses[status], !contents.isEmpty {
                json.key("content")
                Self.write(contents, to: &json)
            }
            json.endObject()
        }
        json.endObject()
    }

    private func writeSecurity(to json: inout JSONWriter) {
        guard !schemes.isEmpty else { return }
        json.key("security")
        json.beginArray()
        for scheme in schemes.sorted() {
            json.beginObject()
            json.key(scheme.utf8.span)
            json.beginArray()
            json.endArray()
            json.endObject()
        }
        if anonymous > 0 {
            json.beginObject()
            json.endObject()
        }
        json.endArray()
    }
}
