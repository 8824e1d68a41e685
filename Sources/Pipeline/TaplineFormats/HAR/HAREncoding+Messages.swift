// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineJSON
internal import TaplineModel

/// Writes requests and responses of HAR 1.2.
extension HAREncoding {
    mutating func request(_ request: Request, _ rest: JSONValue?, to json: inout JSONWriter) {
        json.beginObject()
        text("method", request.method.span, "request.method", to: &json)
        url(request, rest, to: &json)
        text("httpVersion", request.version.span, "request.version", to: &json)
        let cookies = HARPairs.cookies(request.fields)
        list("cookies", cookies, part("cookies", of: rest), to: &json)
        headers(request.fields, part("headers", of: rest), to: &json)
        let items = HARPairs.query(request)
        list("queryString", items, part("queryString", of: rest), to: &json)
        let postData = object("postData", of: rest)
        if !request.body.bytes.isEmpty || postData != nil {
            self.postData(request, postData, to: &json)
        }
        if !json.kept("headersSize", of: rest) {
            json.key("headersSize")
            json.integer(-1)
        }
        if !json.kept("bodySize", of: rest) {
            json.key("bodySize")
            json.integer(Self.bodySize(request.body))
        }
        json.members(of: rest, except: Self.handledOfRequest)
        json.endObject()
    }

    /// The members of a request that have a place of their own.
    private static let handledOfRequest: [StaticString] = [
        "method", "url", "url_fragment", "httpVersion", "cookies", "headers", "queryString",
        "postData", "headersSize", "bodySize",
    ]

    private mutating func url(_ request: Request, _ rest: JSONValue?, to json: inout JSONWriter) {
        let url = request.url
        guard let fragment = part("url_fragment", of: rest), fragment.kind == .string else {
            return text("url", url.span, "request.url", to: &json)
        }
        var whole = Array(copying: url.span)
        whole.append(.ascii("#"))
        whole.append(copying: fragment.bytes)
        text("url", whole.span, "request.url", to: &json)
    }

    mutating func response(_ exchange: Exchange, _ rest: JSONValue?, to json: inout JSONWriter) {
        let isAbsent = exchange.response == nil
        let response = exchange.response ?? Response(status: 0, version: "")
        json.beginObject()
        json.key("status")
        json.integer(response.status)
        if !isAbsent || !json.kept("statusText", of: rest) {
            text("statusText", response.reason.span, "response.reason", to: &json)
        }
        if !isAbsent || !json.kept("httpVersion", of: rest) {
            text("httpVersion", response.version.span, "response.version", to: &json)
        }
        let cookies = HARPairs.setCookies(response.fields)
        list("cookies", cookies, part("cookies", of: rest), to: &json)
        headers(response.fields, part("headers", of: rest), to: &json)
        content(response, object("content", of: rest), to: &json)
        if !json.kept("redirectURL", of: rest) {
            let location = response.fields.first("Location") ?? ByteString()
            text("redirectURL", location.span, nil, to: &json)
        }
        if !json.kept("headersSize", of: rest) {
            json.key("headersSize")
            json.integer(-1)
        }
        if !json.kept("bodySize", of: rest) {
            json.key("bodySize")
            json.integer(response.body.size ?? -1)
        }
        let hasNotedFailure = part("_charlesStatus", of: rest) != nil
        if let failure = Self.failure(exchange, hasNotedFailure: hasNotedFailure) {
            json.key("_error")
            json.string(failure)
        } else {
            _ = json.kept("_error", of: rest)
        }
        json.members(of: rest, except: Self.handledOfResponse)
        json.endObject()
    }

    /// The members of a response that have a place of their own.
    private static let handledOfResponse: [StaticString] = [
        "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL",
        "headersSize", "bodySize", "_error",
    ]

    /// Writes a member with text; invalid UTF-8 is replaced and counted.
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
        _ details: JSONValue?,
        to json: inout JSONWriter
    ) {
        json.beginObject()
        text("name", name, nil, to: &json)
        text("value", value, nil, to: &json)
        json.members(of: details, except: ["name", "value"])
        json.endObject()
    }

    private mutating func headers(
        _ fields: FieldSection,
        _ rest: JSONValue?,
        to json: inout JSONWriter
    ) {
        var details = rest?.elements
        var placed = 0
        json.key("headers")
        json.beginArray()
        for position in fields.indices {
            let name = fields.name(at: position)
            let value = fields.value(at: position)
            if !isValidUTF8(name) || !isValidUTF8(value) { losses.count("headers") }
            let own = HARElementExtras.next(&details, at: position, named: name)
            if own != nil { placed += 1 }
            pair(name, value, own, to: &json)
        }
        json.endArray()
        if placed < HARElementExtras.count(rest) { losses.count("har.entry") }
    }

    /// Writes a list that HAR derives from other parts of the message.
    private mutating func list(
        _ key: StaticString,
        _ pairs: [HARPair],
        _ rest: JSONValue?,
        to json: inout JSONWriter
    ) {
        var details = rest?.elements
        var placed = 0
        json.key(key)
        json.beginArray()
        for position in pairs.indices {
            let item = pairs[position]
            let own = HARElementExtras.next(&details, at: position, named: item.name.span)
            if own != nil { placed += 1 }
            pair(item.name.span, item.value.span, own, to: &json)
        }
        json.endArray()
        if placed < HARElementExtras.count(rest) { losses.count("har.entry") }
    }

    /// The decoded content; the bytes unchanged if they cannot be decoded, without stating the
    /// coding.
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

    private mutating func postData(
        _ request: Request,
        _ rest: JSONValue?,
        to json: inout JSONWriter
    ) {
        let bytes = decoded(request.body, "request.body.coding")
        json.key("postData")
        json.beginObject()
        mimeType(request.body, request.fields, rest, to: &json)
        // HAR 1.2 has no `encoding` here, but tools that keep binary requests write it.
        content(bytes, rest, to: &json)
        if let params = part("params", of: rest), params.kind == .array {
            self.params(params, bytes, request.contentType, to: &json)
        }
        json.members(of: rest, except: ["mimeType", "text", "encoding", "_encoding", "params"])
        json.endObject()
    }

    /// Writes the fields of a form; the values of a multipart form are only in its text.
    private mutating func params(
        _ rest: JSONValue,
        _ bytes: [UInt8],
        _ type: ByteString,
        to json: inout JSONWriter
    ) {
        guard rest.tokenCount > 1, !type.span.hasMediaType("multipart/form-data") else {
            json.key("params")
            json.beginArray()
            var elements = rest.elements
            while let element = elements.next() {
                json.beginObject()
                if let name = element.member("name") {
                    json.key("name")
                    json.copy(name)
                }
                if let details = element.member("value"), details.kind == .object {
                    json.members(of: details, except: ["name", "value"])
                }
                json.endObject()
            }
            json.endArray()
            return
        }
        list("params", HARPairs.form(bytes.span), rest, to: &json)
    }

    private mutating func content(
        _ response: Response,
        _ rest: JSONValue?,
        to json: inout JSONWriter
    ) {
        let chunks = HARChunks.form(rest, of: response)
        let bytes =
            chunks == nil ? decoded(response.body, "response.body.coding") : response.body.bytes
        json.key("content")
        json.beginObject()
        if !json.kept("size", of: rest) {
            json.key("size")
            json.integer(response.body.decodedSize ?? bytes.count)
        }
        mimeType(response.body, response.fields, rest, to: &json)
        if let chunks {
            HARChunks.write(bytes, chunks, to: &json)
        } else {
            content(bytes, rest, to: &json)
        }
        json.members(of: rest, except: Self.handledOfContent)
        json.endObject()
    }

    /// The members of content that have a place of their own.
    private static let handledOfContent: [StaticString] = [
        "size", "mimeType", "text", "encoding", "_encoding", HARChunks.mark,
    ]

    private mutating func mimeType(
        _ body: Body,
        _ fields: FieldSection,
        _ rest: JSONValue?,
        to json: inout JSONWriter
    ) {
        if json.kept("mimeType", of: rest) { return }
        text("mimeType", Self.mimeType(body, fields).span, nil, to: &json)
    }

    /// Writes `text`, or base64 with `encoding`; if there is no content, the entry's original
    /// members.
    private func content(_ bytes: [UInt8], _ rest: JSONValue?, to json: inout JSONWriter) {
        if bytes.isEmpty {
            _ = json.kept("text", of: rest)
        } else if isValidUTF8(bytes.span) {
            json.key("text")
            json.string(bytes.span)
        } else {
            json.key("text")
            json.base64(bytes.span)
            json.key("encoding")
            json.string("base64" as StaticString)
            return
        }
        // The text is not base64, whatever a record declares.
        for name in ["encoding", "_encoding"] as [StaticString]
        where part(name, of: rest)?.isBase64 == false {
            _ = json.kept(name, of: rest)
        }
    }
}

extension JSONValue {
    /// Whether this is the name of base64.
    fileprivate var isBase64: Bool { kind == .string && bytes.equalsIgnoringCase("base64") }
}
