// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Members of request and response that the exchange does not represent.
extension HARUnmappedMembers {
    mutating func request(
        _ value: JSONValue,
        _ request: borrowing Request,
        _ notes: inout HARNotes
    ) {
        let mark = openObject("request")
        var members = value.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if key.matches("method") || key.matches("httpVersion") {
                continue
            } else if key.matches("url") {
                fragment(value, &notes)
            } else if key.matches("headers") {
                headers(value, &notes)
            } else if key.matches("cookies") {
                list("cookies", value, "request.cookies", HARPairs.cookies(request.fields), &notes)
            } else if key.matches("queryString") {
                let items = HARPairs.query(request)
                list("queryString", value, "request.queryString", items, &notes)
            } else if key.matches("postData"), value.kind == .object {
                postData(value, request, &notes)
            } else if key.matches("headersSize") {
                if value.asInt64 != -1 { keep(member, &notes) }
            } else if key.matches("bodySize") {
                let written = HAREncoding.bodySize(request.body)
                if value.asInt64 != Int64(written) { keep(member, &notes) }
            } else if key.matches("url_fragment") {
                notes.losses.count("request.url_fragment")
            } else if !key.matches("postData") {
                keep(member, &notes)
            }
        }
        close(mark)
    }

    mutating func response(
        _ value: JSONValue,
        _ exchange: borrowing Exchange,
        _ notes: inout HARNotes
    ) {
        let isAbsent = exchange.response == nil
        let response = exchange.response ?? Response(status: 0, version: "")
        let mark = openObject("response")
        var members = value.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if key.matches("status") {
                continue
            } else if key.matches("statusText") || key.matches("httpVersion") {
                // Without a response, a tool's statements about it are kept anyway.
                if isAbsent, value.kind == .string, value.bytes.count > 0 { keep(member, &notes) }
            } else if key.matches("headers") {
                headers(value, &notes)
            } else if key.matches("cookies") {
                let cookies = HARPairs.setCookies(response.fields)
                list("cookies", value, "response.cookies", cookies, &notes)
            } else if key.matches("content"), value.kind == .object {
                content(value, response, &notes)
            } else if key.matches("redirectURL") {
                let location = response.fields.first("Location") ?? ByteString()
                let isSame = value.kind == .string && value.bytes.equals(location.span)
                if !isSame { keep(member, &notes) }
            } else if key.matches("headersSize") {
                if value.asInt64 != -1 { keep(member, &notes) }
            } else if key.matches("bodySize") {
                if value.asInt64 != Int64(response.body.size ?? -1) { keep(member, &notes) }
            } else if key.matches("_error") {
                if value.kind != .string || value.bytes.isEmpty { keep(member, &notes) }
            } else if !key.matches("content") {
                keep(member, &notes)
            }
        }
        close(mark)
    }

    /// The fragment of the URL, which is not part of a request (RFC 9110 section 7.1).
    private mutating func fragment(_ url: JSONValue, _ notes: inout HARNotes) {
        guard let hash = url.bytes.firstIndex(of: .ascii("#")),
            hasRoom(for: url.bytes.count - hash, &notes)
        else { return }
        json.key("url_fragment")
        json.string(url.bytes.extracting(hash + 1..<url.bytes.count))
    }

    private mutating func content(
        _ value: JSONValue,
        _ response: borrowing Response,
        _ notes: inout HARNotes
    ) {
        let mark = openObject("content")
        if let form = notes.chunks {
            json.key(HARChunks.mark)
            json.string(HARChunks.name(form))
        }
        var members = value.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if key.matches("size") {
                let written = response.body.decodedSize ?? response.body.bytes.count
                // For pieces, a tool's size has another meaning, which a writer could not derive.
                if notes.chunks != nil || value.asInt64 != Int64(written) { keep(member, &notes) }
            } else if key.matches(HARChunks.mark) {
                notes.losses.count("content.text_chunks")
            } else if !isTextOrType(member, response.body, response.fields) {
                keep(member, &notes)
            }
        }
        close(mark)
    }

    private mutating func postData(
        _ value: JSONValue,
        _ request: borrowing Request,
        _ notes: inout HARNotes
    ) {
        let mark = openObject("postData")
        let isEmpty = request.body.bytes.isEmpty
        var members = value.members
        while let member = members.next() {
            let key = member.key
            if key.matches("params") {
                params(member.value, request, &notes)
            } else if isEmpty && key.matches("mimeType")
                || !isTextOrType(member, request.body, request.fields)
            {
                keep(member, &notes)
            }
        }
        close(mark)
    }

    /// Whether a member is the text of a body, or a type that the writer derives.
    private func isTextOrType(
        _ member: JSONMember,
        _ body: borrowing Body,
        _ fields: borrowing FieldSection
    ) -> Bool {
        let key = member.key
        let value = member.value
        if key.matches("text") { return value.kind == .string && value.bytes.count > 0 }
        if key.matches("encoding") || key.matches("_encoding") {
            return value.kind == .string && value.bytes.equalsIgnoringCase("base64")
        }
        guard key.matches("mimeType") else { return false }
        let written = HAREncoding.mimeType(body, fields)
        return value.kind == .string && value.bytes.equals(written.span)
    }
}

// MARK: - Lists

extension HARUnmappedMembers {
    /// Keeps comments of header fields; `at` counts the fields that result from the list.
    private mutating func headers(_ value: JSONValue, _ notes: inout HARNotes) {
        if Self.holdsPairsAlone(value) { return }
        let mark = openList("headers")
        var position = 0
        var elements = value.elements
        while let element = elements.next() {
            guard let name = element.member("name"), name.kind == .string else { continue }
            if HARDecoding.isPseudo(name.bytes) { continue }
            let count = Self.fieldCount(element)
            if count > 0 { keepDetails(of: element, at: position, &notes) }
            position += count
        }
        close(mark)
    }

    /// Whether each element has a name and a value and nothing else, as in most files.
    private static func holdsPairsAlone(_ list: JSONValue) -> Bool {
        var elements = list.elements
        while let element = elements.next() {
            // An object, two keys and two values.
            guard element.tokenCount == 5 else { return false }
            var members = element.members
            while let member = members.next() { if member.isDetail { return false } }
        }
        return true
    }

    /// The number of fields that an element becomes: one per line, and per value of a list.
    private static func fieldCount(_ element: JSONValue) -> Int {
        guard let value = element.member("value") else { return 1 }
        guard value.kind == .array else { return value.lineCount }
        var count = 0
        var values = value.elements
        while let value = values.next() { count += value.lineCount }
        return count
    }

    /// Keeps details of a list whose names and values come from the URL or from fields.
    private mutating func list(
        _ key: StaticString,
        _ value: JSONValue,
        _ field: StaticString,
        _ pairs: [HARPair],
        _ notes: inout HARNotes
    ) {
        guard value.kind == .array, value.tokenCount > 1 else { return }
        let mark = openList(key)
        var next = 0
        var isLost = false
        var elements = value.elements
        while let element = elements.next() {
            guard let position = Self.position(of: element, in: pairs, from: next) else {
                isLost = true
                continue
            }
            keepDetails(of: element, named: pairs[position].name, at: position, &notes)
            next = position + 1
        }
        close(mark)
        if isLost { notes.losses.count(field) }
    }

    /// The maximum number of pairs to skip when matching a list with its source.
    private static let maxSkippedPairs = 64

    private static func position(
        of element: JSONValue,
        in pairs: [HARPair],
        from first: Int
    ) -> Int? {
        guard first < pairs.count, let name = element.member("name"), name.kind == .string else {
            return nil
        }
        let value = element.member("value")
        for position in first..<min(pairs.count, first + maxSkippedPairs) {
            if let value, value.isScalar {
                if pairs[position].says(name.bytes, value.bytes) { return position }
            } else if pairs[position].says(name.bytes, Span()) {
                return position
            }
        }
        return nil
    }

    /// Keeps names and details of a form's fields; their values are in the body.
    private mutating func params(
        _ value: JSONValue,
        _ request: borrowing Request,
        _ notes: inout HARNotes
    ) {
        guard value.kind == .array else { return }
        if value.tokenCount == 1 {
            json.key("params")
            json.copy(value)
            return
        }
        let type = request.contentType
        let isMultipart = type.span.hasMediaType("multipart/form-data")
        guard isMultipart || type.span.hasMediaType(HARPostData.formType) else {
            return notes.losses.count("postData.params")
        }
        let pairs = isMultipart ? [] : HARPairs.form(request.body.bytes.span)
        let mark = openList("params")
        var next = 0
        var isLost = false
        var elements = value.elements
        while let element = elements.next() {
            let position = isMultipart ? next : Self.position(of: element, in: pairs, from: next)
            if let position {
                let name = isMultipart ? nil : pairs[position].name
                keepDetails(of: element, named: name, at: position, isMark: true, &notes)
                next = position + 1
            } else {
                isLost = true
            }
        }
        close(mark)
        if isLost { notes.losses.count("postData.params") }
    }
}

extension JSONValue {
    /// The number of lines in a header value.
    fileprivate var lineCount: Int {
        guard kind == .string else { return 1 }
        var count = 1
        var start = 0
        while let end = bytes.firstIndex(of: 0x0A, from: start) {
            count += 1
            start = end + 1
        }
        return count
    }
}
