// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineJSON
internal import TaplineModel

/// Writes entries of HAR 1.2.
struct HAREncoding {
    var isFirst = true
    var losses = LossReport()
    var maxDecodedBytes = 64 << 20
    private var scratch: [UInt8] = []

    /// Writes an entry.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - rest: The other members of its original entry, as collected by `HARUnmappedMembers`.
    ///   - json: Receives the entry.
    mutating func entry(_ exchange: Exchange, _ rest: JSONValue?, to json: inout JSONWriter) {
        json.beginObject()
        let isKept =
            exchange.started.microseconds == 0 && json.kept("startedDateTime", of: rest)
        if !isKept {
            scratch.removeAll(keepingCapacity: true)
            exchange.started.appendRFC3339(to: &scratch)
            json.key("startedDateTime")
            json.string(scratch.span)
        }
        if !json.kept("time", of: rest) {
            json.key("time")
            json.thousandths(Self.total(exchange.timing))
        }
        json.key("request")
        request(exchange.request, object("request", of: rest), to: &json)
        json.key("response")
        response(exchange, object("response", of: rest), to: &json)
        if !json.kept("cache", of: rest) {
            json.key("cache")
            json.beginObject()
            json.endObject()
        }
        timings(exchange.timing, object("timings", of: rest), to: &json)
        if !json.kept("serverIPAddress", of: rest),
            let address = Self.host(exchange.connection.server)
        {
            json.text("serverIPAddress", address)
        }
        own(exchange, rest, to: &json)
        json.members(of: rest, except: Self.handled)
        json.endObject()
        HARLosses.count(
            exchange,
            hasNotedFailure: Self.hasNotedFailure(rest),
            hasNotedServer: part("serverIPAddress", of: rest) != nil,
            &losses
        )
    }

    /// A member that is an object; counts a member of another kind as lost.
    @_lifetime(copy rest)
    mutating func object(_ name: StaticString, of rest: JSONValue?) -> JSONValue? {
        guard let value = part(name, of: rest) else { return nil }
        if value.kind == .object { return value }
        losses.count("har.entry")
        return nil
    }

    /// The members of an entry that have a place of their own.
    private static let handled: [StaticString] = [
        "startedDateTime", "time", "request", "response", "cache", "timings", "serverIPAddress",
        "comment", "_id", "_tapline_id", "_tags", "_tapline_tags", "_webSocketMessages",
        "_eventSourceMessages", "_tapline",
    ]

    /// HAR requires `time`: if the total is unknown, it is the sum of the phases.
    static func total(_ timing: Timing) -> Int64 {
        if let total = timing.total { return total.count }
        let phases = [
            timing.dns, timing.connect, timing.tls, timing.send, timing.wait, timing.receive,
        ]
        return phases.reduce(0) { $0 &+ max(0, $1?.count ?? 0) }
    }

    private static let phases: [StaticString] = [
        "dns", "connect", "ssl", "send", "wait", "receive",
    ]

    /// The duration of the phase with an index in `phases`, in microseconds; -1000 if it does not
    /// apply.
    ///
    /// `connect` includes `ssl`.
    private static func phase(_ index: Int, _ timing: Timing) -> Int64 {
        switch index {
        case 0: return timing.dns?.count ?? -1000
        case 1:
            if timing.connect == nil && timing.tls == nil { return -1000 }
            return (timing.connect?.count ?? 0) &+ (timing.tls?.count ?? 0)
        case 2: return timing.tls?.count ?? -1000
        case 3: return timing.send?.count ?? 0
        case 4: return timing.wait?.count ?? 0
        default: return timing.receive?.count ?? 0
        }
    }

    /// The value written for a phase; `nil` if the key is not a phase.
    static func phase(_ key: JSONValue, _ timing: Timing) -> Int64? {
        for index in phases.indices where key.matches(phases[index]) {
            return phase(index, timing)
        }
        return nil
    }

    private func timings(_ timing: Timing, _ rest: JSONValue?, to json: inout JSONWriter) {
        json.key("timings")
        json.beginObject()
        for index in Self.phases.indices where !json.kept(Self.phases[index], of: rest) {
            json.key(Self.phases[index])
            json.thousandths(Self.phase(index, timing))
        }
        json.members(of: rest, except: Self.phases)
        json.endObject()
    }

    /// Writes the comment, and members with an underscore, which HAR reserves for tools.
    ///
    /// If another tool uses the names `_id` and `_tags`, Tapline's get longer names.
    private mutating func own(_ exchange: Exchange, _ rest: JSONValue?, to json: inout JSONWriter) {
        let notes = HARExtra.comment(of: exchange)
        if let comment = exchange.tags["comment"] {
            json.text("comment", comment)
        } else if !json.kept("comment", of: rest), let notes {
            json.text("comment", notes)
        }
        let hasID = json.kept("_id", of: rest)
        if exchange.id != ExchangeID(high: 0, low: 0) {
            scratch.removeAll(keepingCapacity: true)
            exchange.id.append(to: &scratch)
            json.key(hasID ? "_tapline_id" : "_id")
            json.string(scratch.span)
        }
        let hasTags = json.kept("_tags", of: rest)
        // A comment that is equal to the notes would be read as those.
        let isOwn = { (tag: Tags.Tag) in
            tag.name != "comment" || tag.value.isEmpty || tag.value == notes
        }
        if exchange.tags.contains(where: isOwn) {
            json.key(hasTags ? "_tapline_tags" : "_tags")
            json.beginObject()
            for tag in exchange.tags where isOwn(tag) {
                json.key(tag.name.utf8.span)
                json.string(tag.value)
            }
            json.endObject()
        }
        if exchange.messages.contains(where: \.isOfWebSocket) {
            json.key("_webSocketMessages")
            json.beginArray()
            for message in exchange.messages where message.isOfWebSocket {
                webSocket(message, exchange.started, to: &json)
            }
            json.endArray()
        } else {
            _ = json.kept("_webSocketMessages", of: rest)
        }
        if exchange.messages.contains(where: \.isEvent) {
            HAREvents.write(exchange.messages, exchange.started, to: &json)
        } else {
            _ = json.kept("_eventSourceMessages", of: rest)
        }
        let isOther = json.kept("_tapline", of: rest)
        if HARExtra.has(exchange) {
            if isOther { losses.count("_tapline") } else { HARExtra.write(exchange, to: &json) }
        }
    }

    private func webSocket(
        _ message: StreamMessage,
        _ started: Timestamp,
        to json: inout JSONWriter
    ) {
        json.beginObject()
        json.key("type")
        json.string(message.direction == .up ? "send" as StaticString : "receive")
        // Seconds since 1970, as Chrome and mitmproxy write them.
        json.key("time")
        let (time, over) = started.microseconds.addingReportingOverflow(message.at?.count ?? 0)
        json.double(Double(over ? started.microseconds : time) / 1_000_000)
        let opcode = HARWebSocket.opcode(message.type)
        let isText = opcode == 1 && isValidUTF8(message.bytes.span)
        json.key("opcode")
        json.integer(isText || opcode != 1 ? opcode : 2)
        json.key("data")
        if isText {
            json.string(message.bytes.span)
        } else {
            json.base64(HARWebSocket.payload(message).span)
        }
        json.endObject()
    }

    /// The host of `host:port`.
    static func host(_ address: String) -> String? {
        if address.isEmpty { return nil }
        let text = Substring(address)
        if text.first == "[" {
            return text.dropFirst().firstIndex(of: "]").map {
                String(text[text.index(after: text.startIndex)..<$0])
            }
        }
        guard let colon = text.lastIndex(of: ":") else { return address }
        return String(text[..<colon])
    }

    /// The size of a request's content; -1 if unknown.
    static func bodySize(_ body: borrowing Body) -> Int {
        body.size ?? (body.isAbsent ? 0 : -1)
    }

    /// The content type: from the recording if it differs from the fields, otherwise from the
    /// fields.
    static func mimeType(_ body: borrowing Body, _ fields: borrowing FieldSection) -> ByteString {
        body.contentType.isEmpty ? body.contentType(fields) : body.contentType
    }

    /// Whether a member other than `_error` states that the exchange failed.
    static func hasNotedFailure(_ rest: JSONValue?) -> Bool {
        part("_charlesStatus", of: part("response", of: rest)) != nil
    }

    /// The value of `_error`; `nil` if the entry states the failure without it.
    static func failure(_ exchange: borrowing Exchange, hasNotedFailure: Bool) -> String? {
        guard let error = exchange.error else { return nil }
        if !error.message.isEmpty { return error.message }
        if exchange.state == .cancelled { return aborted }
        let isNoted = exchange.response == nil || hasNotedFailure
        return isNoted && error.code == "failed" ? nil : error.code
    }

    private static let aborted = "net::ERR_ABORTED"
}
