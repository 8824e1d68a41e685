// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel

/// The content of a request, and its type where Postman adds it.
extension PostmanRequest {
    mutating func setBody(
        _ value: JSONValue,
        of request: inout Request,
        _ items: inout ImportedItems
    ) {
        if value.member("disabled")?.asBool == true { return }
        var type: String?
        var content: [UInt8]
        switch value.text("mode") {
        case "raw":
            content = replaced(value.text("raw") ?? "")
            type = Self.rawType(value)
        case "urlencoded":
            content = form(value.member("urlencoded"))
            type = "application/x-www-form-urlencoded"
        case "formdata":
            let form = multipart(value.member("formdata"), &items)
            let boundary = Self.boundary(request) ?? form.boundary
            content = form.bytes(boundary)
            type = "multipart/form-data; boundary=\(boundary)"
        case "graphql":
            content = graphQL(value.member("graphql"))
            type = "application/json"
        case "file":
            items.lose("request.body (file)")
            return
        default: return
        }
        if content.isEmpty, value.text("mode") != "raw" { return }
        request.body = content.isEmpty ? Body([]) : .received(content, request.fields)
        if let type, !request.fields.contains("Content-Type") {
            request.fields.append(name: "Content-Type", value: type)
        }
        if !request.fields.contains("Content-Length") {
            request.fields.append(name: "Content-Length", value: "\(content.count)")
        }
    }

    /// The type that Postman adds for the language of a text.
    private static func rawType(_ value: JSONValue) -> String? {
        guard let options = value.member("options"), let raw = options.member("raw") else {
            return nil
        }
        return switch raw.text("language") {
        case "json": "application/json"
        case "xml": "application/xml"
        case "html": "text/html"
        case "javascript": "application/javascript"
        default: nil
        }
    }

    private static func boundary(_ request: Request) -> String? {
        guard request.mediaType == "multipart/form-data" else { return nil }
        return MultipartReader.boundary(of: request.contentType.span).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private mutating func form(_ list: JSONValue?) -> [UInt8] {
        guard let list else { return [] }
        var output: [UInt8] = []
        var elements = list.elements
        while let element = elements.next() {
            guard element.kind == .object, element.member("disabled")?.asBool != true else {
                continue
            }
            if !output.isEmpty { output.append(.ascii("&")) }
            output += PercentEncoding.encode(replaced(element.text("key") ?? "").span)
            output.append(.ascii("="))
            output += PercentEncoding.encode(replaced(element.text("value") ?? "").span)
        }
        return output
    }

    private mutating func multipart(
        _ list: JSONValue?,
        _ items: inout ImportedItems
    ) -> MultipartForm {
        var form = MultipartForm()
        guard let list else { return form }
        var elements = list.elements
        while let element = elements.next() {
            guard element.kind == .object, element.member("disabled")?.asBool != true else {
                continue
            }
            if element.text("type") == "file" {
                items.lose("request.body (file)")
                continue
            }
            var part = MultipartForm.Part(
                name: replaced(element.text("key") ?? ""),
                content: replaced(element.text("value") ?? "")
            )
            part.type = Array((element.text("contentType") ?? "").utf8)
            form.append(part)
        }
        return form
    }

    private mutating func graphQL(_ value: JSONValue?) -> [UInt8] {
        guard let value, value.kind == .object else { return [] }
        var json = JSONWriter()
        json.beginObject()
        json.key("query")
        json.string(String(decoding: replaced(value.text("query") ?? ""), as: UTF8.self))
        if let name = value.text("operationName"), !name.isEmpty {
            json.key("operationName")
            json.string(name)
        }
        let variables = replaced(value.text("variables") ?? "")
        if !variables.span.isBlankText {
            json.key("variables")
            json.raw(variables.span)
        }
        json.endObject()
        return Array(copying: json.bytes)
    }
}
