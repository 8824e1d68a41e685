// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin

/// Writes records, without their messages, in record schema v1.
///
/// Keys with unknown values are left out.
enum RecordEncoding {
    static func record(
        _ record: Record,
        to json: inout JSONWriter,
        _ scratch: inout [UInt8],
        hasContent: Bool = true
    ) {
        exchange(
            record.exchange,
            digests: (record.requestDigest, record.responseDigest),
            to: &json,
            &scratch,
            hasContent: hasContent
        )
    }

    static func exchange(
        _ exchange: borrowing Exchange,
        digests: (request: Digest?, response: Digest?),
        to json: inout JSONWriter,
        _ scratch: inout [UInt8],
        hasContent: Bool = true
    ) {
        json.beginObject()
        json.key("v")
        json.integer(1)
        head(exchange, to: &json, &scratch)
        timing(exchange.timing, to: &json)
        connection(exchange.connection, to: &json)
        json.key("request")
        let requestContent = BodyContent(digest: digests.request, isWritten: hasContent)
        request(exchange.request, requestContent, to: &json, &scratch)
        if let message = exchange.response {
            json.key("response")
            let content = BodyContent(digest: digests.response, isWritten: hasContent)
            response(message, content, to: &json, &scratch)
        }
        if !exchange.messages.isEmpty { messages(exchange.messages, to: &json) }
        if let counts = exchange.bytes { bytes(counts, to: &json) }
        if !exchange.original.isEmpty { original(exchange.original, to: &json) }
        if !exchange.tags.isEmpty {
            json.key("tags")
            json.beginObject()
            for tag in exchange.tags {
                json.key(tag.name.utf8.span)
                json.string(tag.value)
            }
            json.endObject()
        }
        if let error = exchange.error {
            json.key("error")
            json.beginObject()
            json.text("code", error.code)
            json.text("message", error.message)
            json.endObject()
        }
        if exchange.hasExtra, let extra = exchange.extra {
            ExtraEncoding.members(extra, to: &json)
        }
        if !exchange.har.isEmpty {
            json.key("har")
            json.raw(exchange.har.span)
        }
        json.endObject()
    }

    private static func head(
        _ exchange: borrowing Exchange,
        to json: inout JSONWriter,
        _ scratch: inout [UInt8]
    ) {
        scratch.removeAll(keepingCapacity: true)
        exchange.id.append(to: &scratch)
        json.key("id")
        json.string(scratch.span)
        json.text("source", exchange.source)
        json.key("state")
        switch exchange.state {
        case .completed: json.string("completed" as StaticString)
        case .failed: json.string("failed" as StaticString)
        case .cancelled: json.string("cancelled" as StaticString)
        }
        scratch.removeAll(keepingCapacity: true)
        exchange.started.appendRFC3339(to: &scratch)
        json.key("started")
        json.string(scratch.span)
    }

    private static func timing(_ timing: Timing, to json: inout JSONWriter) {
        if timing == Timing() { return }
        json.key("timing")
        json.beginObject()
        json.milliseconds("dns_ms", timing.dns)
        json.milliseconds("connect_ms", timing.connect)
        json.milliseconds("tls_ms", timing.tls)
        json.milliseconds("send_ms", timing.send)
        json.milliseconds("wait_ms", timing.wait)
        json.milliseconds("first_event_ms", timing.firstEvent)
        json.milliseconds("receive_ms", timing.receive)
        json.milliseconds("total_ms", timing.total)
        json.endObject()
    }

    private static func connection(_ connection: Connection, to json: inout JSONWriter) {
        json.text("client", connection.client)
        json.text("server", connection.server)
        if let reused = connection.isReused {
            json.key("connection")
            json.beginObject()
            json.key("reused")
            json.bool(reused)
            json.endObject()
        }
        if let info = connection.tls {
            json.key("tls")
            tls(info, to: &json)
        }
        if let info = connection.serverTLS {
            json.key("server_tls")
            tls(info, to: &json)
        }
    }

    private static func tls(_ tls: TLSInfo, to json: inout JSONWriter) {
        json.beginObject()
        json.text("version", tls.version)
        json.text("cipher", tls.cipher)
        json.text("sni", tls.sni)
        json.text("alpn", tls.alpn)
        if let handshake = tls.handshake {
            json.key("handshake")
            json.beginObject()
            json.key("up")
            json.integer(handshake.up)
            json.key("down")
            json.integer(handshake.down)
            json.endObject()
        }
        json.endObject()
    }

    private static func messages(_ messages: [StreamMessage], to json: inout JSONWriter) {
        json.key("messages")
        json.beginArray()
        for message in messages {
            json.beginObject()
            json.key("dir")
            json.string(message.direction == .up ? "up" as StaticString : "down")
            json.milliseconds("at_ms", message.at)
            json.text("type", message.type)
            json.text("event", message.event)
            json.text("id", message.eventID)
            json.count("code", message.code)
            if !message.bytes.isEmpty { json.content(message.bytes.span) }
            json.count("size", message.size)
            if message.isTruncated {
                json.key("truncated")
                json.bool(true)
            }
            json.endObject()
        }
        json.endArray()
    }

    private static func bytes(_ counts: ByteCounts, to json: inout JSONWriter) {
        json.key("bytes")
        json.beginObject()
        json.key("up")
        direction(counts.up, to: &json)
        json.key("down")
        direction(counts.down, to: &json)
        json.key("exact")
        json.bool(counts.isExact)
        json.endObject()
    }

    private static func direction(_ counts: ByteCounts.Direction, to json: inout JSONWriter) {
        json.beginObject()
        json.count("line", counts.line)
        json.count("headers", counts.headers)
        json.count("body", counts.body)
        json.endObject()
    }

    private static func original(_ original: Original, to json: inout JSONWriter) {
        json.key("original")
        json.beginObject()
        if let method = original.method {
            json.key("method")
            json.bytes(method.span)
        }
        if let url = original.url {
            json.key("url")
            json.bytes(url.span)
        }
        json.count("status", original.status)
        json.endObject()
    }
}
