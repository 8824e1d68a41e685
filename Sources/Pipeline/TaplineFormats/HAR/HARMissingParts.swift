// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Completes messages from the lists of HAR, if a tool left the original parts out.
///
/// Some tools write `queryString` for a URL without a query, and `cookies` without the fields.
enum HARMissingParts {
    /// Sets a missing method, and adds a query and a Cookie field from their lists.
    static func complete(
        _ request: inout Request,
        from value: JSONValue,
        _ notes: inout HARNotes
    ) throws(RecordError) {
        if request.method.isEmpty {
            // The default of browsers (the Fetch Standard); with content, the method of forms.
            request.method = request.body.bytes.isEmpty ? "GET" : "POST"
            notes.findings.count("request.method (missing, read as GET, or as POST with content)")
        }
        if let list = value.member("queryString"), request.queryRange.isEmpty {
            try addQuery(list, to: &request, &notes)
        }
        guard let list = value.member("cookies"), isList(list), !request.fields.contains("Cookie")
        else { return }
        var field: [UInt8] = []
        var elements = list.elements
        while let element = elements.next() {
            guard let pair = pair(element, &notes) else { continue }
            if !field.isEmpty { field += "; ".utf8 }
            field += pair
        }
        if field.isEmpty { return }
        request.fields.append(name: "Cookie".utf8.span, value: field.span)
        notes.findings.count("request.cookies (no Cookie field, added)")
    }

    /// Adds Set-Cookie fields from their list.
    static func complete(
        _ response: inout Response,
        from value: JSONValue,
        _ notes: inout HARNotes
    ) throws(RecordError) {
        guard let list = value.member("cookies"), isList(list),
            !response.fields.contains("Set-Cookie")
        else { return }
        var isAdded = false
        var elements = list.elements
        while let element = elements.next() {
            guard var field = pair(element, &notes) else { continue }
            appendAttributes(of: element, to: &field)
            response.fields.append(name: "Set-Cookie".utf8.span, value: field.span)
            isAdded = true
        }
        if isAdded {
            notes.findings.count("response.cookies (no Set-Cookie fields, added)")
        }
    }

    private static func isList(_ value: JSONValue) -> Bool {
        value.kind == .array && value.tokenCount > 1
    }

    private static func addQuery(
        _ list: JSONValue,
        to request: inout Request,
        _ notes: inout HARNotes
    ) throws(RecordError) {
        guard isList(list), !request.method.span.equals("CONNECT") else { return }
        var query: [UInt8] = []
        var elements = list.elements
        while let element = elements.next() {
            guard let name = element.member("name"), name.kind == .string else {
                notes.losses.count("request.queryString")
                continue
            }
            if !query.isEmpty { query.append(.ascii("&")) }
            query += PercentEncoding.encode(name.bytes)
            guard let value = element.member("value"), value.isScalar else { continue }
            query.append(.ascii("="))
            query += PercentEncoding.encode(value.bytes)
        }
        if query.isEmpty { return }
        var target = Array(copying: request.target.span)
        if target.last != .ascii("?") { target.append(.ascii("?")) }
        request.target = ByteString(target + query)
        notes.findings.count("request.queryString (not in the URL, added)")
    }

    /// `name=value`; `nil` if it cannot be written as one cookie in a field.
    private static func pair(_ element: JSONValue, _ notes: inout HARNotes) -> [UInt8]? {
        guard let name = element.member("name"), name.kind == .string, isSafe(name.bytes) else {
            notes.losses.count("cookies")
            return nil
        }
        var pair = Array(copying: name.bytes)
        pair.append(.ascii("="))
        if let value = element.member("value"), value.isScalar {
            guard isSafe(value.bytes) else {
                notes.losses.count("cookies")
                return nil
            }
            pair.append(copying: value.bytes)
        }
        return pair
    }

    /// Appends the attributes of Set-Cookie (RFC 6265 section 4.1.1).
    private static func appendAttributes(of cookie: JSONValue, to field: inout [UInt8]) {
        var members = cookie.members
        while let member = members.next() {
            let value = member.value
            for (key, attribute) in texts where member.key.matches(key) {
                guard value.kind == .string, value.bytes.count > 0, isSafe(value.bytes) else {
                    continue
                }
                field += "; \(attribute)=".utf8
                if attribute == "Expires", let date = Timestamp(rfc3339: value.bytes) {
                    date.appendHTTPDate(to: &field)
                } else {
                    field.append(copying: value.bytes)
                }
            }
            for (key, attribute) in flags where member.key.matches(key) && value.asBool == true {
                field += "; \(attribute)".utf8
            }
        }
    }

    private static let texts: [(StaticString, String)] = [
        ("path", "Path"), ("domain", "Domain"), ("expires", "Expires"), ("sameSite", "SameSite"),
    ]

    private static let flags: [(StaticString, String)] = [
        ("httpOnly", "HttpOnly"), ("secure", "Secure"),
    ]

    private static func isSafe(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            let byte = text[index]
            if byte < 0x20 || byte == 0x7F || byte == .ascii(";") { return false }
        }
        return true
    }
}

extension JSONValue {
    /// Whether this is a string, a number or a boolean, whose bytes are its text.
    var isScalar: Bool { kind != .object && kind != .array && kind != .null }
}
