// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Parses entries of HAR 1.2, and the parts common to both messages.
enum HARDecoding {
    static var blank: Exchange {
        Exchange(
            id: ExchangeID(high: 0, low: 0),
            request: Request(
                method: ByteString(),
                target: ByteString(),
                scheme: ByteString(),
                version: ByteString()
            )
        )
    }

    /// Values outside the messages that are collected until the whole entry has been read.
    struct Extras {
        var serverAddress = ""
        var failure: String?
        var hasFailed = false
        var ssl: Microseconds?
        var blocked: Microseconds?
    }

    static func entry(
        _ entry: JSONValue,
        _ exchange: inout Exchange,
        _ notes: inout HARNotes
    ) throws(RecordError) {
        try entry.requireObject("entry")
        var extras = Extras()
        var hasRequest = false
        var members = entry.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if value.isNull { continue }
            if key.matches("startedDateTime") {
                exchange.started = HARTime.read(value, &notes)
            } else if key.matches("time") {
                exchange.timing.total = value.harTime(&notes)
            } else if key.matches("request") {
                try request(value, &exchange.request, &notes)
                hasRequest = true
            } else if key.matches("response") {
                exchange.response = try response(value, &extras, &notes)
            } else if key.matches("timings") {
                try timings(value, &exchange.timing, &extras, &notes)
            } else if key.matches("serverIPAddress") {
                extras.serverAddress = value.asString ?? ""
            } else {
                other(key, value, &exchange, &notes)
            }
        }
        if !hasRequest { throw entry.wrong("missing key 'request'") }
        finish(&exchange, extras)
        if let messages = entry.member("_webSocketMessages"), !messages.isNull {
            var found = HARNotes()
            do {
                exchange.messages = try webSocketMessages(messages, exchange.started, &found)
                notes.add(found)
            } catch {
                notes.findings.count("_webSocketMessages (unexpected form, kept unchanged)")
                notes.keepsMessages = true
            }
        }
        HAREvents.read(entry, &exchange, &notes)
        HARExtra.read(entry, &exchange, &notes)
    }

    /// Parses keys outside the messages: those of Tapline, and comments; `HARUnmappedMembers` handles the
    /// others.
    private static func other(
        _ key: JSONValue,
        _ value: JSONValue,
        _ exchange: inout Exchange,
        _ notes: inout HARNotes
    ) {
        if key.matches("comment") {
            guard let text = value.asString, !text.isEmpty else { return }
            if let tag = exchange.tags["comment"], tag != text {
                notes.losses.count("_tags.comment")
            }
            exchange.tags["comment"] = text
        } else if key.matches("_id") || key.matches("_tapline_id") {
            // Other tools use the name `_id` for their own ids, so a value in another form is not
            // an error.
            if value.kind == .string, let id = ExchangeID(value.bytes) { exchange.id = id }
        } else if key.matches("_tags") || key.matches("_tapline_tags") {
            guard areTags(value) else { return }
            var members = value.members
            while let member = members.next() {
                guard let name = member.key.asString, let text = member.value.asString else {
                    continue
                }
                if name == "comment", let comment = exchange.tags[name], comment != text {
                    notes.losses.count("_tags.comment")
                } else {
                    exchange.tags[name] = text
                }
            }
        }
    }

    /// Whether a value has the form of tags: other tools use the name for their own lists.
    static func areTags(_ value: JSONValue) -> Bool {
        guard value.kind == .object, value.tokenCount <= 1 + 2 * RecordDecoding.maxTags else {
            return false
        }
        var members = value.members
        while let member = members.next() {
            if member.value.kind != .string { return false }
        }
        return true
    }

    private static func timings(
        _ value: JSONValue,
        _ timing: inout Timing,
        _ extras: inout Extras,
        _ notes: inout HARNotes
    ) throws(RecordError) {
        try value.requireObject("timings")
        var members = value.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if key.matches("dns") {
                timing.dns = value.harTime(&notes)
            } else if key.matches("connect") {
                timing.connect = value.harTime(&notes)
            } else if key.matches("ssl") {
                extras.ssl = value.harTime(&notes)
            } else if key.matches("send") {
                timing.send = value.harTime(&notes)
            } else if key.matches("wait") {
                timing.wait = value.harTime(&notes)
            } else if key.matches("receive") {
                timing.receive = value.harTime(&notes)
            } else if key.matches("blocked") {
                extras.blocked = value.harTime(&notes)
            }
        }
    }

    /// Sets the values that are known only when the whole entry has been read.
    private static func finish(_ exchange: inout Exchange, _ extras: Extras) {
        if let ssl = extras.ssl {
            exchange.timing.tls = ssl
            if let connect = exchange.timing.connect, connect >= ssl,
                connectIncludesTLS(exchange.timing, ssl, extras.blocked)
            {
                exchange.timing.connect = Microseconds(connect.count - ssl.count)
            }
        }
        if !extras.serverAddress.isEmpty {
            exchange.connection.server = address(extras.serverAddress, exchange.request.port)
        }
        exchange.state = exchange.response == nil || extras.hasFailed ? .failed : .completed
        if exchange.state == .failed {
            let message = extras.failure ?? ""
            let isAborted = aborts.contains { message.hasPrefix($0) }
            if isAborted { exchange.state = .cancelled }
            exchange.error = ExchangeError(
                code: isAborted ? "aborted" : "failed",
                message: message
            )
        }
    }

    /// What Chrome, Firefox and mitmproxy write if the client aborted the request.
    static let aborts = [
        "net::ERR_ABORTED", "NS_BINDING_ABORTED", "Client disconnected", "stream reset by client",
    ]

    /// Whether `connect` includes the TLS handshake.
    ///
    /// HAR 1.2 requires that; mitmproxy writes the two separately. The sum of all phases, compared
    /// with `time`, shows which applies.
    private static func connectIncludesTLS(
        _ timing: Timing,
        _ ssl: Microseconds,
        _ blocked: Microseconds?
    ) -> Bool {
        guard let total = timing.total else { return true }
        var sum = 0.0
        let phases = [
            blocked, timing.dns, timing.connect, timing.send, timing.wait, timing.receive,
        ]
        for phase in phases { sum += phase?.milliseconds ?? 0 }
        let included = abs(total.milliseconds - sum)
        let apart = abs(total.milliseconds - sum - ssl.milliseconds)
        return included <= apart
    }

    /// Address and port; some tools include the port, some put IPv6 addresses in brackets.
    static func address(_ text: String, _ port: Int?) -> String {
        let colons = text.utf8.count { $0 == 0x3A }
        if text.utf8.first == 0x5B {
            return text.utf8.last == 0x5D ? port.map { "\(text):\($0)" } ?? text : text
        }
        if colons == 1 { return text }
        let host = colons > 1 ? "[\(text)]" : text
        return port.map { "\(host):\($0)" } ?? host
    }

    private static func webSocketMessages(
        _ value: JSONValue,
        _ started: Timestamp,
        _ notes: inout HARNotes
    ) throws(RecordError) -> [StreamMessage] {
        try value.requireArray("_webSocketMessages")
        var result: [StreamMessage] = []
        var elements = value.elements
        while let element = elements.next() {
            if let message = try HARWebSocket.message(element, started, &notes) {
                result.append(message)
            } else {
                notes.losses.count("_webSocketMessages.error")
            }
        }
        return result
    }
}
