// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel

/// Reads a request of a collection: an object, or only its URL.
struct PostmanRequest {
    /// The maximum number of JSON tokens of an authorization.
    private static let maxTokens = 1000

    private(set) var variables: PostmanVariables

    init(_ variables: PostmanVariables) { self.variables = variables }

    mutating func read(
        _ value: JSONValue,
        _ document: JSONDocument,
        _ outerAuth: Int?,
        _ items: inout ImportedItems
    ) throws(RecordError) -> Request {
        var request = Request()
        let target = value.kind == .object ? value.member("url")?.index : value.index
        guard let target else { throw .shape("missing key 'url' in a request", at: value.offset) }
        try setURL(document.value(at: target), document, &request)
        let authority = request.authority
        request.fields.append(name: "Host".utf8.span, value: authority.span)
        if let method = value.text("method"), !method.isEmpty {
            request.method = ByteString(replaced(method))
        }
        if let list = value.member("header") {
            addFields(list, to: &request)
        }
        if let auth = Self.auth(of: value) ?? outerAuth {
            addAuthorization(document.value(at: auth), to: &request, &items)
        }
        if let body = value.member("body"), body.kind == .object {
            setBody(body, of: &request, &items)
        }
        return request
    }

    mutating func replaced(_ text: String) -> [UInt8] {
        variables.replaced(Array(text.utf8))
    }

    // MARK: URL

    private mutating func setURL(
        _ value: JSONValue,
        _ document: JSONDocument,
        _ request: inout Request
    ) throws(RecordError) {
        var url: [UInt8]
        if value.kind == .string {
            url = Array(copying: value.bytes)
        } else if let raw = value.text("raw") {
            url = Array(raw.utf8)
        } else {
            url = Self.assembled(value)
        }
        url = variables.replaced(url)
        if url.isEmpty { throw .shape("the URL of a request is empty", at: value.offset) }
        if URLParts(url.span) == nil { url = Array("http://".utf8) + url }
        guard let parts = URLParts(url.span), !parts.hostPort.isEmpty else {
            throw .shape("malformed URL of a request", at: value.offset)
        }
        request.setURL(url.span)
        if let list = value.member("variable") { replaceSegments(list, in: &request) }
    }

    /// A URL of the parts `protocol`, `host`, `port`, `path` and `query`.
    private static func assembled(_ value: JSONValue) -> [UInt8] {
        var url = Array("\(value.text("protocol") ?? "http")://".utf8)
        url += joined(value.member("host"), by: .ascii("."))
        if let port = value.text("port"), !port.isEmpty { url += ":\(port)".utf8 }
        url.append(.ascii("/"))
        url += joined(value.member("path"), by: .ascii("/"))
        var separator = UInt8.ascii("?")
        guard let list = value.member("query") else { return url }
        var elements = list.elements
        while let element = elements.next() {
            guard element.kind == .object, element.member("disabled")?.asBool != true else {
                continue
            }
            url.append(separator)
            separator = .ascii("&")
            url += (element.text("key") ?? "").utf8
            if let text = element.text("value") { url += "=\(text)".utf8 }
        }
        return url
    }

    private static func joined(_ value: JSONValue?, by separator: UInt8) -> [UInt8] {
        guard let value else { return [] }
        if value.kind == .string { return Array(copying: value.bytes) }
        var output: [UInt8] = []
        var elements = value.elements
        var isFirst = true
        while let element = elements.next() {
            if !isFirst { output.append(separator) }
            isFirst = false
            output += (element.asString ?? element.text("value") ?? "").utf8
        }
        return output
    }

    /// Replaces segments `:name` of the path by the values of `variable`.
    private mutating func replaceSegments(_ list: JSONValue, in request: inout Request) {
        var values: [[UInt8]: [UInt8]] = [:]
        var elements = list.elements
        while let element = elements.next() {
            guard element.kind == .object, let key = element.text("key") ?? element.text("id"),
                let value = element.text("value"), !value.isEmpty
            else { continue }
            values[Array(key.utf8)] = replaced(value)
        }
        guard !values.isEmpty else { return }
        let target = Array(copying: request.target.span)
        let end = target.firstIndex(of: .ascii("?")) ?? target.count
        let segments = target[..<end].split(
            separator: .ascii("/"),
            omittingEmptySubsequences: false
        )
        var path: [UInt8] = []
        for (index, segment) in segments.enumerated() {
            if index > 0 { path.append(.ascii("/")) }
            let value = segment.first == .ascii(":") ? values[Array(segment.dropFirst())] : nil
            path += value ?? Array(segment)
            // The values are a part of the file, but may be repeated.
            if path.count > 1 << 20 { return }
        }
        request.target = ByteString(path + target[end...])
    }

    // MARK: Fields

    /// The fields of a list of keys and values, or of lines.
    static func fields(_ list: JSONValue, _ change: ([UInt8]) -> [UInt8]) -> FieldSection {
        var fields = FieldSection()
        func add(_ name: [UInt8], _ value: [UInt8]) {
            let name = change(name)
            guard !name.isEmpty, !name.contains(where: \.endsField) else { return }
            let value = change(value).filter { !$0.endsField }
            fields.append(name: name.span, value: value.span)
        }
        if list.kind == .string {
            for line in Array(copying: list.bytes).split(separator: 0x0A) {
                guard let colon = line.firstIndex(of: .ascii(":")) else { continue }
                let value = Array(line[(colon + 1)...].filter { $0 != 0x0D })
                add(Array(line[..<colon]), Array(value[value.span.trimmed(0..<value.count)]))
            }
            return fields
        }
        var elements = list.elements
        while let element = elements.next() {
            guard element.kind == .object, element.member("disabled")?.asBool != true else {
                continue
            }
            add(
                Array((element.text("key") ?? "").utf8),
                Array((element.text("value") ?? "").utf8)
            )
        }
        return fields
    }

    private mutating func addFields(_ list: JSONValue, to request: inout Request) {
        var variables = variables
        let found = Self.fields(list) { variables.replaced($0) }
        self.variables = variables
        // A field in the list takes the place of the one that Postman adds.
        if found.contains("Host") { request.fields.removeAll("Host") }
        for position in found.indices {
            request.fields.append(name: found.name(at: position), value: found.value(at: position))
        }
    }

    /// The index of the authorization of a request or a folder; `nil` if there is none.
    static func auth(of value: JSONValue) -> Int? {
        guard let auth = value.member("auth"), !auth.isNull else { return nil }
        return auth.index
    }

    private mutating func addAuthorization(
        _ auth: JSONValue,
        to request: inout Request,
        _ items: inout ImportedItems
    ) {
        // Every request searches the authorization of its folder.
        guard auth.tokenCount <= Self.maxTokens else { return items.lose("auth (too large)") }
        guard auth.kind == .object, let type = auth.text("type"), type != "noauth" else { return }
        func parameter(_ name: String, _ list: JSONValue?) -> String {
            guard let list else { return "" }
            var members = list.members
            while let member = members.next() {
                if member.key.asString == name { return member.value.asString ?? "" }
            }
            var elements = list.elements
            while let element = elements.next() {
                if element.text("key") == name { return element.text("value") ?? "" }
            }
            return ""
        }
        var field = ("Authorization", "")
        switch type {
        case "basic":
            let list = auth.member("basic")
            let pair = replaced("\(parameter("username", list)):\(parameter("password", list))")
            field.1 = "Basic " + String(decoding: pair.base64, as: UTF8.self)
        case "bearer": field.1 = "Bearer \(parameter("token", auth.member("bearer")))"
        case "apikey" where parameter("in", auth.member("apikey")) != "query":
            let list = auth.member("apikey")
            field = (parameter("key", list), parameter("value", list))
        default:
            items.lose("auth (computed by Postman)")
            return
        }
        let value = replaced(field.1).filter { !$0.endsField }
        guard !field.0.isEmpty, !request.fields.contains(field.0) else { return }
        request.fields.append(name: field.0.utf8.span, value: value.span)
    }
}
