// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineJSON
internal import TaplineModel

/// HAR 1.2, to JSON: the entry.
struct HAREncoding {
    var isFirst = true
    var losses = LossReport()
    var maxDecodedBytes = 64 << 20
    private var scratch: [UInt8] = []

    mutating func entry(_ exchange: Exchange, to json: inout JSONWriter) {
        json.beginObject()
        scratch.removeAll(keepingCapacity: true)
        exchange.started.appendRFC3339(to: &scratch)
        json.key("startedDateTime")
        json.string(scratch.span)
        json.key("time")
        json.thousandths(total(exchange.timing))
        json.key("request")
        request(exchange.request, to: &json)
        json.key("response")
        response(exchange, to: &json)
        json.key("cache")
        json.beginObject()
        json.endObject()
        timings(exchange.timing, to: &json)
        if let address = Self.host(exchange.connection.server) {
            json.text("serverIPAddress", address)
        }
        own(exchange, to: &json)
        json.endObject()
        countLosses(exchange)
    }

    /// `time` is not optional in HAR: without a total it is the sum of the phases.
    private func total(_ timing: Timing) -> Int64 {
        if let total = timing.total { return total.count }
        let phases = [
            timing.dns, timing.connect, timing.tls, timing.send, timing.wait, timing.receive,
        ]
        return phases.reduce(0) { $0 &+ max(0, $1?.count ?? 0) }
    }

    /// `connect` covers `ssl`; -1 stands for what does not apply.
    private func timings(_ timing: Timing, to json: inout JSONWriter) {
        json.key("timings")
        json.beginObject()
        json.key("dns")
        json.thousandths(timing.dns?.count ?? -1000)
        json.key("connect")
        if timing.connect == nil && timing.tls == nil {
            json.thousandths(-1000)
        } else {
            json.thousandths((timing.connect?.count ?? 0) &+ (timing.tls?.count ?? 0))
        }
        json.key("ssl")
        json.thousandths(timing.tls?.count ?? -1000)
        json.key("send")
        json.thousandths(timing.send?.count ?? 0)
        json.key("wait")
        json.thousandths(timing.wait?.count ?? 0)
        json.key("receive")
        json.thousandths(timing.receive?.count ?? 0)
        json.endObject()
    }

    /// Members with an underscore, which HAR leaves to tools.
    private mutating func own(_ exchange: Exchange, to json: inout JSONWriter) {
        if exchange.id != ExchangeID(high: 0, low: 0) {
            scratch.removeAll(keepingCapacity: true)
            exchange.id.append(to: &scratch)
            json.key("_id")
            json.string(scratch.span)
        }
        if !exchange.tags.isEmpty {
            json.key("_tags")
            json.beginObject()
            for tag in exchange.tags {
                json.key(tag.name.utf8.span)
                json.string(tag.value)
            }
            json.endObject()
        }
        if exchange.messages.isEmpty { return }
        json.key("_webSocketMessages")
        json.beginArray()
        for message in exchange.messages { webSocket(message, exchange.started, to: &json) }
        json.endArray()
    }

    private mutating func webSocket(
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
        if message.isTruncated { losses.count("messages.truncated") }
        if message.type == "event" { losses.count("messages.type") }
    }

    /// The host of `host:port`.
    private static func host(_ address: String) -> String? {
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

    private mutating func countLosses(_ exchange: Exchange) {
        if !exchange.source.isEmpty { losses.count("source") }
        if !exchange.connection.client.isEmpty { losses.count("client") }
        if exchange.connection.isReused != nil { losses.count("connection.reused") }
        if exchange.connection.tls != nil { losses.count("tls") }
        if exchange.connection.serverTLS != nil { losses.count("server_tls") }
        if !exchange.request.trailers.isEmpty { losses.count("request.trailers") }
        if exchange.request.body.isTruncated { losses.count("request.body.truncated") }
        if let response = exchange.response {
            if !response.trailers.isEmpty { losses.count("response.trailers") }
            if !response.interim.isEmpty { losses.count("response.interim") }
            if response.body.isTruncated { losses.count("response.body.truncated") }
        }
        if exchange.bytes != nil { losses.count("bytes") }
        if !exchange.original.isEmpty { losses.count("original") }
        if exchange.error?.code.isEmpty == false { losses.count("error.code") }
    }
}
