// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Parses records, without their messages, in record schema v1.
///
/// Values are filled in place: an exchange is large, and copying one costs as much as parsing it.
enum RecordDecoding {
    /// The maximum number of tags; each is compared with those before it.
    static let maxTags = 1024

    static func exchange(
        _ record: JSONValue,
        _ exchange: inout Exchange
    ) throws(RecordError) {
        try record.requireObject("record")
        var hasVersion = false
        var hasRequest = false
        var hasState = false
        var members = record.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if value.isNull { continue }
            if key.matches("v") {
                try version(value)
                hasVersion = true
            } else if key.matches("id") {
                exchange.id = try id(value)
            } else if key.matches("source") {
                exchange.source = try value.requireText("source")
            } else if key.matches("state") {
                exchange.state = try state(value)
                hasState = true
            } else if key.matches("started") {
                exchange.started = try timestamp(value)
            } else if key.matches("timing") {
                try timing(value, &exchange.timing)
            } else if key.matches("request") {
                try request(value, &exchange.request)
                hasRequest = true
            } else if key.matches("response") {
                var message = Response(status: 0, version: ByteString())
                try response(value, &message)
                exchange.response = consume message
            } else if key.matches("bytes") {
                exchange.bytes = try counts(value)
            } else if key.matches("messages") {
                exchange.messages = try messages(value)
            } else if key.matches("tags") {
                try tags(value, &exchange.tags)
            } else if key.matches("error") {
                exchange.error = try error(value)
            } else if key.matches("original") {
                try original(value, &exchange.original)
            } else if key.matches("har") {
                try value.requireObject("har")
                var json = JSONWriter(capacity: value.bytes.count)
                json.copy(value)
                exchange.har = ByteString(json.bytes)
            } else if try !connection(key, value, &exchange.connection) {
                _ = try ExtraDecoding.member(key, value, &exchange)
            }
        }
        if !hasVersion { throw record.wrong("missing key 'v'; expected 1, the record version") }
        if !hasRequest { throw record.wrong("missing key 'request'") }
        if !hasState { exchange.state = exchange.response == nil ? .failed : .completed }
    }

    private static func version(_ value: JSONValue) throws(RecordError) {
        guard let version = value.asInt64 else { throw value.wrong("v", expected: "1") }
        if version != 1 {
            throw value.wrong("unknown record version; found \(version), expected 1")
        }
    }

    private static func id(_ value: JSONValue) throws(RecordError) -> ExchangeID {
        guard let id = ExchangeID(try value.requireString("id")) else {
            throw value.wrong("malformed 'id'; expected a UUID")
        }
        return id
    }

    private static func state(_ value: JSONValue) throws(RecordError) -> ExchangeState {
        if value.matches("completed") { return .completed }
        if value.matches("failed") { return .failed }
        if value.matches("cancelled") { return .cancelled }
        _ = try value.requireString("state")
        throw value.wrong("unknown 'state'; expected completed, failed or cancelled")
    }

    private static func timestamp(_ value: JSONValue) throws(RecordError) -> Timestamp {
        guard let started = Timestamp(rfc3339: try value.requireString("started")) else {
            throw value.wrong("malformed 'started'; expected a date and time as in RFC 3339")
        }
        return started
    }

    static func timing(_ value: JSONValue, _ timing: inout Timing) throws(RecordError) {
        try value.requireObject("timing")
        var members = value.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if value.isNull { continue }
            if key.matches("dns_ms") {
                timing.dns = try value.requireMilliseconds("dns_ms")
            } else if key.matches("connect_ms") {
                timing.connect = try value.requireMilliseconds("connect_ms")
            } else if key.matches("tls_ms") {
                timing.tls = try value.requireMilliseconds("tls_ms")
            } else if key.matches("send_ms") {
                timing.send = try value.requireMilliseconds("send_ms")
            } else if key.matches("wait_ms") {
                timing.wait = try value.requireMilliseconds("wait_ms")
            } else if key.matches("first_event_ms") {
                timing.firstEvent = try value.requireMilliseconds("first_event_ms")
            } else if key.matches("receive_ms") {
                timing.receive = try value.requireMilliseconds("receive_ms")
            } else if key.matches("total_ms") {
                timing.total = try value.requireMilliseconds("total_ms")
            }
        }
    }

    /// Parses a key of the connection; returns whether it is one.
    static func connection(
        _ key: JSONValue,
        _ value: JSONValue,
        _ connection: inout Connection
    ) throws(RecordError) -> Bool {
        if key.matches("client") {
            connection.client = try value.requireText("client")
        } else if key.matches("server") {
            connection.server = try value.requireText("server")
        } else if key.matches("connection") {
            try value.requireObject("connection")
            if let reused = value.member("reused"), !reused.isNull {
                connection.isReused = try reused.requireBool("reused")
            }
        } else if key.matches("tls") {
            connection.tls = try tls(value, "tls")
        } else if key.matches("server_tls") {
            connection.serverTLS = try tls(value, "server_tls")
        } else {
            return false
        }
        return true
    }

    private static func tls(_ value: JSONValue, _ key: StaticString) throws(RecordError) -> TLSInfo
    {
        try value.requireObject(key)
        func part(_ name: StaticString) throws(RecordError) -> String {
            guard let member = value.member(name), !member.isNull else { return "" }
            return try member.requireText(name)
        }
        return TLSInfo(
            version: try part("version"),
            cipher: try part("cipher"),
            sni: try part("sni"),
            alpn: try part("alpn"),
            handshake: try handshake(value)
        )
    }

    private static func handshake(
        _ tls: JSONValue
    ) throws(RecordError) -> TLSInfo.Handshake? {
        guard let value = tls.member("handshake"), !value.isNull else { return nil }
        try value.requireObject("handshake")
        func count(_ name: StaticString) throws(RecordError) -> Int {
            guard let member = value.member(name), !member.isNull else { return 0 }
            return try member.requireCount(name)
        }
        return TLSInfo.Handshake(up: try count("up"), down: try count("down"))
    }

    static func counts(_ value: JSONValue) throws(RecordError) -> ByteCounts {
        try value.requireObject("bytes")
        var counts = ByteCounts()
        var members = value.members
        while let member = members.next() {
            if member.value.isNull { continue }
            if member.key.matches("up") {
                try direction(member.value, "up", &counts.up)
            } else if member.key.matches("down") {
                try direction(member.value, "down", &counts.down)
            } else if member.key.matches("exact") {
                counts.isExact = try member.value.requireBool("exact")
            }
        }
        return counts
    }

    private static func direction(
        _ value: JSONValue,
        _ key: StaticString,
        _ counts: inout ByteCounts.Direction
    ) throws(RecordError) {
        try value.requireObject(key)
        var members = value.members
        while let member = members.next() {
            if member.value.isNull { continue }
            if member.key.matches("line") {
                counts.line = try member.value.requireCount("line")
            } else if member.key.matches("headers") {
                counts.headers = try member.value.requireCount("headers")
            } else if member.key.matches("body") {
                counts.body = try member.value.requireCount("body")
            }
        }
    }

    private static func tags(_ value: JSONValue, _ tags: inout Tags) throws(RecordError) {
        try value.requireObject("tags")
        var members = value.members
        while let member = members.next() {
            if tags.count >= maxTags {
                throw member.key.wrong("too many tags; expected at most \(maxTags)")
            }
            if let name = member.key.asString { tags[name] = try member.value.requireText("tags") }
        }
    }

    private static func error(_ value: JSONValue) throws(RecordError) -> ExchangeError {
        try value.requireObject("error")
        var error = ExchangeError(code: "")
        if let code = value.member("code"), !code.isNull {
            error.code = try code.requireText("code")
        }
        if let message = value.member("message"), !message.isNull {
            error.message = try message.requireText("message")
        }
        return error
    }

    static func original(
        _ value: JSONValue,
        _ original: inout Original
    ) throws(RecordError) {
        try value.requireObject("original")
        var members = value.members
        while let member = members.next() {
            if member.value.isNull { continue }
            if member.key.matches("method") {
                original.method = try member.value.requireBytes("method")
            } else if member.key.matches("url") {
                original.url = try member.value.requireBytes("url")
            } else if member.key.matches("status") {
                original.status = try member.value.requireStatus("status")
            }
        }
    }
}
