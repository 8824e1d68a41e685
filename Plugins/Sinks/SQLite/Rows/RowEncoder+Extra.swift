// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel

/// The column `extra`: all parts of a record without a column of their own.
extension RowEncoder {
    /// Writes the less common parts, nested as in the record schema; returns `false` if there are
    /// none.
    mutating func extra(_ exchange: borrowing Exchange) -> Bool {
        writer.removeAll()
        writer.beginObject()
        let start = writer.count
        connection(exchange.connection)
        if RowEncoder.hasNotes(exchange.request.body) {
            writer.key("request")
            writer.beginObject()
            notes(exchange.request.body)
            writer.endObject()
        }
        if let response = exchange.response {
            self.response(response, requestVersion: exchange.request.version)
        }
        messages(exchange.messages)
        if let bytes = exchange.bytes { counts(bytes) }
        original(exchange.original)
        if let firstEvent = exchange.timing.firstEvent {
            writer.key("timing")
            writer.beginObject()
            writer.key("first_event_ms")
            writer.thousandths(firstEvent.count)
            writer.endObject()
        }
        if exchange.hasExtra, var extra = exchange.extra {
            // Notes have a table of their own.
            extra.notes = []
            ExtraEncoding.members(extra, to: &writer)
        }
        if !exchange.har.isEmpty {
            writer.key("har")
            writer.raw(exchange.har.span)
        }
        if writer.count == start { return false }
        writer.endObject()
        return true
    }

    private mutating func connection(_ connection: Connection) {
        if let isReused = connection.isReused {
            writer.key("connection")
            writer.beginObject()
            writer.key("reused")
            writer.bool(isReused)
            writer.endObject()
        }
        if let tls = connection.tls {
            writer.key("tls")
            handshake(tls)
        }
        if let tls = connection.serverTLS {
            writer.key("server_tls")
            handshake(tls)
        }
    }

    private mutating func handshake(_ tls: TLSInfo) {
        writer.beginObject()
        if !tls.version.isEmpty {
            writer.key("version")
            writer.string(tls.version)
        }
        if !tls.cipher.isEmpty {
            writer.key("cipher")
            writer.string(tls.cipher)
        }
        if !tls.sni.isEmpty {
            writer.key("sni")
            writer.string(tls.sni)
        }
        if !tls.alpn.isEmpty {
            writer.key("alpn")
            writer.string(tls.alpn)
        }
        if let handshake = tls.handshake {
            writer.key("handshake")
            writer.beginObject()
            writer.key("up")
            writer.integer(handshake.up)
            writer.key("down")
            writer.integer(handshake.down)
            writer.endObject()
        }
        writer.endObject()
    }

    private static func hasNotes(_ body: borrowing Body) -> Bool {
        !body.coding.isEmpty || body.isTruncated || body.decodedSize != nil
            || !body.contentType.isEmpty
    }

    /// The properties of a body other than its bytes and size.
    private mutating func notes(_ body: borrowing Body) {
        writer.key("body")
        writer.beginObject()
        if body.isTruncated {
            writer.key("truncated")
            writer.bool(true)
        }
        if !body.coding.isEmpty {
            writer.key("coding")
            text(body.coding.span)
        }
        if let size = body.decodedSize {
            writer.key("decoded_size")
            writer.integer(size)
        }
        if !body.contentType.isEmpty {
            writer.key("content_type")
            text(body.contentType.span)
        }
        writer.endObject()
    }

    private mutating func response(_ response: borrowing Response, requestVersion: ByteString) {
        let hasNotes = RowEncoder.hasNotes(response.body)
        let hasVersion = response.version != requestVersion
        guard hasNotes || hasVersion || !response.interim.isEmpty else { return }
        writer.key("response")
        writer.beginObject()
        if hasVersion {
            writer.key("version")
            text(response.version.span)
        }
        if hasNotes { notes(response.body) }
        if !response.interim.isEmpty {
            writer.key("interim")
            writer.beginArray()
            for interim in response.interim {
                writer.beginObject()
                writer.key("status")
                writer.integer(interim.status)
                if !interim.reason.isEmpty {
                    writer.key("reason")
                    text(interim.reason.span)
                }
                writer.key("headers")
                section(interim.fields)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
    }

    private mutating func messages(_ messages: [StreamMessage]) {
        guard !messages.isEmpty else { return }
        writer.key("messages")
        writer.beginArray()
        for message in messages {
            writer.beginObject()
            writer.key("dir")
            writer.string(message.direction == .up ? "up" : "down" as StaticString)
            if let at = message.at {
                writer.key("at_ms")
                writer.thousandths(at.count)
            }
            writer.key("type")
            writer.string(message.type)
            if !message.event.isEmpty {
                writer.key("event")
                writer.string(message.event)
            }
            if !message.eventID.isEmpty {
                writer.key("id")
                writer.string(message.eventID)
            }
            if let code = message.code {
                writer.key("code")
                writer.integer(code)
            }
            if isValidUTF8(message.bytes.span) {
                writer.key("text")
                writer.string(message.bytes.span)
            } else {
                writer.key("base64")
                writer.base64(message.bytes.span)
            }
            if let size = message.size {
                writer.key("size")
                writer.integer(size)
            }
            if message.isTruncated {
                writer.key("truncated")
                writer.bool(true)
            }
            writer.endObject()
        }
        writer.endArray()
    }

    private mutating func counts(_ bytes: ByteCounts) {
        writer.key("bytes")
        writer.beginObject()
        writer.key("up")
        counts(bytes.up)
        writer.key("down")
        counts(bytes.down)
        writer.key("exact")
        writer.bool(bytes.isExact)
        writer.endObject()
    }

    private mutating func counts(_ direction: ByteCounts.Direction) {
        writer.beginObject()
        writer.key("line")
        writer.integer(direction.line)
        writer.key("headers")
        writer.integer(direction.headers)
        writer.key("body")
        writer.integer(direction.body)
        writer.endObject()
    }

    private mutating func original(_ original: borrowing Original) {
        guard !original.isEmpty else { return }
        writer.key("original")
        writer.beginObject()
        if let method = original.method {
            writer.key("method")
            text(method.span)
        }
        if let url = original.url {
            writer.key("url")
            text(url.span)
        }
        if let status = original.status {
            writer.key("status")
            writer.integer(status)
        }
        writer.endObject()
    }
}
