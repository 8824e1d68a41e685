// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel

/// A flow of mitmproxy as an exchange.
///
/// Formats differ in the names of some members, and all names are accepted.
/// **Source**: the methods `get_state` of mitmproxy, and its module `mitmproxy.io.compat`.
struct MitmproxyFlow {
    let source: [UInt8]
    let members: [String: TNetValue]
    /// `http`, `tcp` and others.
    let kind: String
    /// The id, a UUID.
    let id: String

    init(_ value: TNetValue, _ source: [UInt8]) throws(RecordError) {
        guard value.isDictionary else {
            throw .shape("wrong flow; expected a dictionary", at: value.start)
        }
        let members = try value.members(source)
        guard let version = members["version"] else {
            throw .shape("missing key 'version' in a flow", at: value.start)
        }
        guard let number = version.integer(source), number >= 4 else {
            throw .shape(
                "the flow was written by a version of mitmproxy before 4; save it with a later one",
                at: version.start
            )
        }
        guard let kind = members["type"]?.text(source) else {
            throw .shape("missing key 'type' in a flow", at: value.start)
        }
        self.kind = kind
        id = members["id"]?.text(source) ?? ""
        self.members = members
        self.source = source
    }

    /// Converts an HTTP flow.
    func exchange(
        _ fallbackStart: Timestamp,
        _ items: inout ImportedItems
    ) throws(RecordError) -> Exchange {
        guard let value = members["request"], value.isDictionary else {
            throw .shape("missing key 'request' in a flow", at: 0)
        }
        let request = try value.members(source)
        let start = time(request, "timestamp_start") ?? time(members, "timestamp_created")
        let started = start.map { Timestamp(microseconds: $0) } ?? fallbackStart
        var exchange = Exchange.imported(try self.request(request), started: started)
        if let id = ExchangeID(id), id.isVersion7 { exchange.id = id }
        if let value = members["response"], value.isDictionary {
            let response = try value.members(source)
            exchange.response = try self.response(response)
            exchange.timing = timing(request, response)
        }
        try setEnd(of: &exchange)
        exchange.connection = try connection()
        try addMessages(to: &exchange, since: started.microseconds)
        addNotes(to: &exchange)
        if members["backup"].map({ !$0.isNull }) == true { items.lose("backup") }
        if members["is_replay"].map({ !$0.isNull }) == true { items.lose("is_replay") }
        return exchange
    }

    // MARK: Messages

    private func request(_ request: [String: TNetValue]) throws(RecordError) -> Request {
        guard let method = bytes(request, "method"), !method.isEmpty else {
            throw .shape("missing key 'method' in a request", at: 0)
        }
        let fields = try self.fields(request["headers"])
        let isConnect = method == Array("CONNECT".utf8)
        let scheme = bytes(request, "scheme") ?? []
        let stated = self.authority(request, scheme, fields)
        let authority = Request.authority(stated.span)
        var made = Request(
            method: ByteString(method),
            target: isConnect ? authority : ByteString(bytes(request, "path") ?? []),
            scheme: Request.scheme(scheme.span),
            authority: authority,
            version: version(request),
            fields: fields,
            body: body(request, fields)
        )
        if made.target.isEmpty { made.target = "/" }
        if let trailers = request["trailers"] { made.trailers = try self.fields(trailers) }
        return made
    }

    /// The server that the request was sent to, as `Host` writes it if that names the same one.
    private func authority(
        _ request: [String: TNetValue],
        _ scheme: [UInt8],
        _ fields: FieldSection
    ) -> [UInt8] {
        let stated = bytes(request, "authority") ?? []
        guard var host = request["host"]?.text(source), !host.isEmpty else {
            if !stated.isEmpty { return stated }
            return fields.first("Host").map { Array(copying: $0.span) } ?? []
        }
        if host.contains(":"), !host.hasPrefix("[") { host = "[\(host)]" }
        let port = request["port"]?.integer(source) ?? 0
        let usual = scheme == Array("https".utf8) ? 443 : 80
        let withPort = "\(host):\(port)"
        for candidate in [ByteString(stated), fields.first("Host") ?? ByteString()] {
            let isSame =
                candidate.span.equalsIgnoringCase(withPort)
                || port == usual && candidate.span.equalsIgnoringCase(host)
            if isSame { return Array(copying: candidate.span) }
        }
        return Array((port == usual || port == 0 ? host : withPort).utf8)
    }

    private func response(_ response: [String: TNetValue]) throws(RecordError) -> Response {
        guard let code = response["status_code"], let status = code.integer(source),
            0...999 ~= status
        else { throw .shape("wrong value of 'status_code'; expected a status code", at: 0) }
        let fields = try self.fields(response["headers"])
        var made = Response(
            status: status,
            reason: ByteString(bytes(response, "reason") ?? []),
            version: version(response),
            fields: fields,
            body: body(response, fields)
        )
        if let trailers = response["trailers"] { made.trailers = try self.fields(trailers) }
        return made
    }

    private func version(_ message: [String: TNetValue]) -> ByteString {
        let version = ByteString(bytes(message, "http_version") ?? [])
        return version == "HTTP/2.0" ? "HTTP/2" : version
    }

    private func body(_ message: [String: TNetValue], _ fields: FieldSection) -> Body {
        if let bytes = bytes(message, "content") { return .received(bytes, fields) }
        // Content that mitmproxy streamed was not kept.
        guard let length = fields.statedLength, length > 0 else { return Body() }
        return Body(bytes: [], size: length, isTruncated: true)
    }

    private func fields(_ value: TNetValue?) throws(RecordError) -> FieldSection {
        var fields = FieldSection()
        for element in try value?.elements(source) ?? [] {
            let pair = try element.elements(source)
            guard pair.count == 2, let name = pair[0].bytes(source),
                let text = pair[1].bytes(source)
            else { throw .shape("malformed field; expected a name and a value", at: element.start) }
            fields.append(name: name.span, value: text.span)
        }
        return fields
    }

    // MARK: Parts

    private func bytes(_ members: [String: TNetValue], _ name: String) -> [UInt8]? {
        members[name]?.bytes(source)
    }

    private func time(_ members: [String: TNetValue], _ name: String) -> Int64? {
        members[name]?.seconds(source)
    }

    private func timing(
        _ request: [String: TNetValue],
        _ response: [String: TNetValue]
    ) -> Timing {
        let moments = [
            time(request, "timestamp_start"), time(request, "timestamp_end"),
            time(response, "timestamp_start"), time(response, "timestamp_end"),
        ]
        func between(_ first: Int, _ second: Int) -> Microseconds? {
            guard let start = moments[first], let end = moments[second], end >= start else {
                return nil
            }
            return Microseconds(end - start)
        }
        var timing = Timing()
        timing.send = between(0, 1)
        timing.wait = between(1, 2)
        timing.receive = between(2, 3)
        timing.total = between(0, 3)
        return timing
    }

    private func setEnd(of exchange: inout Exchange) throws(RecordError) {
        guard let value = members["error"], value.isDictionary else {
            if exchange.response == nil { exchange.markWithoutResponse() }
            return
        }
        let message = try value.members(source)["msg"]?.text(source) ?? ""
        let isKilled = message == "Connection killed."
        exchange.state = isKilled ? .cancelled : .failed
        exchange.error = ExchangeError(code: isKilled ? "killed" : "failed", message: message)
    }

    private func addNotes(to exchange: inout Exchange) {
        let comment = members["comment"]?.text(source) ?? ""
        var mark = members["marked"]?.text(source) ?? ""
        if members["marked"]?.isTrue(source) == true { mark = ":default:" }
        guard !comment.isEmpty || !mark.isEmpty else { return }
        var extra = ExchangeExtra()
        extra.notes = [ExchangeNote(text: comment, mark: mark)]
        exchange.extra = extra
    }
}
