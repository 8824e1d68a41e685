// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineJSON
internal import TaplineModel

/// HAR 1.2, to JSON: request and response.
extension HAREncoding {
    mutating func request(_ request: Request, to json: inout JSONWriter) {
        json.beginObject()
        text("method", request.method.span, "request.method", to: &json)
        let url = request.url
        text("url", url.span, "request.url", to: &json)
        text("httpVersion", request.version.span, "request.version", to: &json)
        json.key("cookies")
        json.beginArray()
        for value in request.fields.all("Cookie") { cookies(value.span, to: &json) }
        json.endArray()
        headers(request.fields, to: &json)
        queryString(request, to: &json)
        if !request.body.bytes.isEmpty { postData(request, to: &json) }
        json.key("headersSize")
        json.integer(-1)
        json.key("bodySize")
        json.integer(request.body.size ?? (request.body.isAbsent ? 0 : -1))
        json.endObject()
    }

    mutating func response(_ exchange: Exchange, to json: inout JSONWriter) {
        let response = exchange.response ?? Response(status: 0, version: "")
        json.beginObject()
        json.key("status")
        json.integer(response.status)
        text("statusText", response.reason.span, "response.reason", to: &json)
        text("httpVersion", response.version.span, "response.version", to: &json)
        json.key("cookies")
        json.beginArray()
        for value in response.fields.all("Set-Cookie") { setCookie(value.span, to: &json) }
        json.endArray()
        headers(response.fields, to: &json)
        content(response, to: &json)
        let location = response.fields.first("Location") ?? ByteString()
        text("redirectURL", location.span, nil, to: &json)
        json.key("headersSize")
        json.integer(-1)
        json.key("bodySize")
        json.integer(response.body.size ?? -1)
        if let error = exchange.error {
            json.key("_error")
            json.string(
                exchange.state == .cancelled && error.message.isEmpty
                    ? "net::ERR_ABORTED" : error.message.isEmpty ? error.code : error.message
            )
        }
        json.endObject()
    }

    /// A member with text; what is not UTF-8 is replaced and counted.
    private mutating func text(
        _ key: StaticString,
        _ bytes: Span<UInt8>,
        _ field: StaticString?,
        to json: inout JSONWriter
    ) {
        json.key(key)
        json.lossyText(bytes)
        if let field, !isValidUTF8(bytes) { losses.count(field) }
    }

    private mutating func pair(
        _ name: Span<UInt8>,
        _ value: Span<UInt8>,
        to json: inout JSONWriter
    ) {
        json.beginObject()
        text("name", name, nil, to: &json)
        text("value", value, nil, to: &json)
        json.endObject()
    }

    private mutating func headers(_ fields: FieldSection, to json: inout JSONWriter) {
        json.key("headers")
        json.beginArray()
        for position in fields.indices {
            let name = fields.name(at: position)
            let value = fields.value(at: position)
            if !isValidUTF8(name) || !isValidUTF8(value) { losses.count("headers") }
            pair(name, value, to: &json)
        }
        json.endArray()
    }

    private mutating func queryString(_ request: Request, to json: inout JSONWriter) {
        json.key("queryString")
        json.beginArray()
        let target = request.target.span
        var items = QueryItems(request.queryRange)
        while let item = items.next(in: target) {
            let name = PercentEncoding.decode(target.extracting(item.name), plusIsSpace: true)
            let value = PercentEncoding.decode(target.extracting(item.value), plusIsSpace: true)
            pair(name.span, value.span, to: &json)
        }
        json.endArray()
    }

    /// Decoded content; where it cannot be decoded the bytes as they are, and no coding to say so.
    private mutating func decoded(_ body: Body, _ field: StaticString) -> [UInt8] {
        if body.coding.isEmpty || body.bytes.isEmpty { return body.bytes }
        var limits = DecodingLimits()
        limits.maxOutputBytes = maxDecodedBytes
        let codings = ContentCoding.list(body.coding.span)
        do {
            return try ContentCoding.decode(body.bytes.span, codings: codings, limits: limits)
        } catch {
            losses.count(field)
            return body.bytes
        }
    }

    /// The type of content: as the recording had it beside the fields, otherwise as in these.
    private mutating func mimeType(
        _ body: Body,
        _ fields: FieldSection,
        to json: inout JSONWriter
    ) {
        let noted = body.contentType
        text("mimeType", (noted.isEmpty ? body.contentType(fields) : noted).span, nil, to: &json)
    }

    private mutating func postData(_ request: Request, to json: inout JSONWriter) {
        let bytes = decoded(request.body, "request.body.coding")
        json.key("postData")
        json.beginObject()
        mimeType(request.body, request.fields, to: &json)
        json.key("text")
        if isValidUTF8(bytes.span) {
            json.string(bytes.span)
        } else {
            // HAR 1.2 has no `encoding` here; tools that keep binary requests write it all the same.
            json.base64(bytes.span)
            json.key("encoding")
            json.string("base64" as StaticString)
        }
        json.endObject()
    }

    private mutating func content(_ response: Response, to json: inout JSONWriter) {
        let bytes = decoded(response.body, "response.body.coding")
        json.key("content")
        json.beginObject()
        json.key("size")
        json.integer(response.body.decodedSize ?? bytes.count)
        mimeType(response.body, response.fields, to: &json)
        if !bytes.isEmpty {
            json.key("text")
            if isValidUTF8(bytes.span) {
                json.string(bytes.span)
            } else {
                json.base64(bytes.span)
                json.key("encoding")
                json.string("base64" as StaticString)
            }
        }
        json.endObject()
    }

    /// The pairs of a Cookie field (RFC 6265 section 4.2.1).
    private mutating func cookies(_ value: Span<UInt8>, to json: inout JSONWriter) {
        var start = 0
        while start < value.count {
            let end = value.firstIndex(of: .ascii(";"), from: start) ?? value.count
            cookie(value, start..<end, to: &json)
            start = end + 1
        }
    }

    /// Name and value of a Set-Cookie field; its attributes stand in the header.
    private mutating func setCookie(_ value: Span<UInt8>, to json: inout JSONWriter) {
        cookie(value, 0..<(value.firstIndex(of: .ascii(";")) ?? value.count), to: &json)
    }

    private mutating func cookie(
        _ value: Span<UInt8>,
        _ range: Range<Int>,
        to json: inout JSONWriter
    ) {
        let range = value.trimmed(range)
        if range.isEmpty { return }
        let text = value.extracting(range)
        guard let equals = text.firstIndex(of: .ascii("=")) else {
            return pair(Span(), text, to: &json)
        }
        pair(
            text.extracting(0..<equals),
            text.extracting(equals + 1..<text.count),
            to: &json
        )
    }
}
