// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel

/// Requests, URLs and responses of a collection.
extension PostmanWriter {
    func write(
        _ request: OutgoingRequest,
        _ exchange: Exchange,
        _ losses: inout LossReport
    ) {
        json.beginObject()
        json.member("method", request.method)
        // Otherwise the collection's own authorization would be added.
        json.key("auth")
        json.beginObject()
        json.member("type", "noauth")
        json.endObject()
        json.key("header")
        json.beginArray()
        for field in request.fields {
            guard let value = field.text else {
                losses.count("request.headers (not UTF-8)")
                continue
            }
            if value.contains("{{") { losses.count("request.headers ({{ }})") }
            write(field.name, value)
        }
        json.endArray()
        writeURL(request, &losses)
        if !request.body.isEmpty {
            writeBody(request, exchange.request.mediaType.description, &losses)
        }
        let notes = exchange.extra?.notes.map(\.text).filter { !$0.isEmpty } ?? []
        json.member(
            "description",
            (["started \(exchange.started.rfc3339)"] + notes).joined(separator: "\n")
        )
        json.endObject()
    }

    private func write(_ name: String, _ value: String) {
        json.beginObject()
        json.member("key", name)
        json.member("value", value)
        json.endObject()
    }

    // MARK: URL

    private func writeURL(_ request: OutgoingRequest, _ losses: inout LossReport) {
        let (url, isChanged) = request.url()
        if isChanged { losses.count("request.target") }
        let bytes = Array(url.utf8)
        let parts = AuthorityParts(request.authority.utf8.span)
        let authority = Array(request.authority.utf8)
        let host = String(decoding: authority[parts.host], as: UTF8.self)
        json.key("url")
        json.beginObject()
        json.member("raw", url)
        json.member("protocol", request.scheme)
        json.key("host")
        list(host.hasPrefix("[") ? [host] : host.split(separator: ".").map(String.init))
        if let port = parts.port {
            json.member("port", String(decoding: authority[port], as: UTF8.self))
        }
        let start = request.scheme.utf8.count + 3 + authority.count
        let text = Array(bytes[start...])
        let target = TargetParts(text.span)
        let path = String(decoding: text[target.path], as: UTF8.self).dropFirst()
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        json.key("path")
        list(segments)
        writeQuery(target.query.map { Array(text[$0]) })
        writeVariables(segments.filter { $0.hasPrefix(":") })
        json.endObject()
    }

    private func list(_ texts: [String]) {
        json.beginArray()
        for text in texts { json.string(text) }
        json.endArray()
    }

    private func writeQuery(_ query: [UInt8]?) {
        guard let query else { return }
        json.key("query")
        json.beginArray()
        for item in query.split(separator: .ascii("&"), omittingEmptySubsequences: false) {
            let pair = item.split(
                separator: .ascii("="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            json.beginObject()
            json.member("key", String(decoding: pair.first ?? [], as: UTF8.self))
            json.key("value")
            if pair.count > 1 {
                json.string(String(decoding: pair[1], as: UTF8.self))
            } else {
                json.null()
            }
            json.endObject()
        }
        json.endArray()
    }

    /// A segment `:name` is a variable in Postman: it gets itself as its value.
    private func writeVariables(_ segments: [String]) {
        guard !segments.isEmpty else { return }
        var known: Set<String> = []
        json.key("variable")
        json.beginArray()
        for segment in segments where known.insert(segment).inserted {
            write(String(segment.dropFirst()), segment)
        }
        json.endArray()
    }

    // MARK: Content

    private func writeBody(
        _ request: OutgoingRequest,
        _ type: String,
        _ losses: inout LossReport
    ) {
        json.key("body")
        json.beginObject()
        if let text = String(validating: request.body, as: UTF8.self) {
            json.member("mode", "raw")
            json.member("raw", Self.escaped(text, type, &losses))
            json.key("options")
            json.beginObject()
            json.key("raw")
            json.beginObject()
            json.member("language", Self.language(type))
            json.endObject()
            json.endObject()
        } else {
            losses.count("request.body (binary)")
            json.member("mode", "file")
            json.key("file")
            json.beginObject()
            json.endObject()
        }
        json.endObject()
    }

    private static func language(_ type: String) -> String {
        if ByteString(type).isJSONMediaType { return "json" }
        if type.hasSuffix("/xml") || type.hasSuffix("+xml") { return "xml" }
        return type == "text/html" ? "html" : "text"
    }

    /// Content without `{{`, where its type has another way to write braces.
    private static func escaped(
        _ text: String,
        _ type: String,
        _ losses: inout LossReport
    ) -> String {
        guard text.contains("{{") else { return text }
        if type == "application/x-www-form-urlencoded" {
            losses.count("request.body ({{ }} encoded)")
            return text.replacing("{{", with: "%7B%7B")
        }
        // In valid JSON, two opening braces are adjacent in strings only.
        if ByteString(type).isJSONMediaType, isJSON(text) {
            losses.count("request.body ({{ }} encoded)")
            return text.replacing("{{", with: "{\\u007b")
        }
        losses.count("request.body ({{ }})")
        return text
    }

    private static func isJSON(_ text: String) -> Bool {
        var parser = JSONParser()
        let bytes = Array(text.utf8)
        return (try? parser.parse(bytes.span)) != nil
    }

    func write(
        _ response: Response,
        of request: OutgoingRequest,
        _ exchange: Exchange,
        _ losses: inout LossReport
    ) {
        let reason =
            response.reason.isEmpty
            ? Response.reason(of: response.status) : response.reason.description
        json.beginObject()
        json.member("name", "\(response.status) \(reason)")
        json.key("originalRequest")
        var counted = LossReport()
        write(request, exchange, &counted)
        json.member("status", reason)
        json.member("code", response.status)
        if let total = exchange.timing.total {
            json.member("responseTime", Int(clamping: total.count / 1000))
        }
        json.key("header")
        json.beginArray()
        for position in response.fields.indices {
            let name = ByteString(response.fields.name(at: position))
            write(name.description, ByteString(response.fields.value(at: position)).description)
        }
        json.endArray()
        json.key("cookie")
        list([])
        let content = ReadableContent(response.body, response.fields, limit: 16 << 20)
        if response.body.isTruncated { losses.count("response.body.truncated") }
        if let content, let text = String(validating: content.bytes, as: UTF8.self) {
            json.member("body", text)
        } else {
            losses.count("response.body (binary)")
        }
        json.endObject()
    }
}
