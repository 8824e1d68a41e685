// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Parses requests and responses of HAR 1.2.
extension HARDecoding {
    static func request(
        _ value: JSONValue,
        _ request: inout Request,
        _ notes: inout HARNotes
    ) throws(RecordError) {
        try value.requireObject("request")
        var size: Int?
        var hasURL = false
        var members = value.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if value.isNull { continue }
            if key.matches("method") {
                request.method = try value.harBytes("method", &notes)
            } else if key.matches("url") {
                let url = try value.requireString("url")
                // The fragment is not sent (RFC 9110 section 7.1); `HARUnmappedMembers` keeps it.
                let end = url.firstIndex(of: .ascii("#")) ?? url.count
                request.setURL(url.extracting(0..<end))
                hasURL = true
            } else if key.matches("httpVersion") {
                request.version = try version(value)
            } else if key.matches("headers") {
                try headers(value, &request.fields, &notes)
            } else if key.matches("bodySize") {
                size = value.harSize(&notes)
            } else if key.matches("postData") {
                request.body.bytes = try HARPostData.bytes(value, &notes)
                request.body.contentType = HARPostData.type(value)
                HARPostData.complete(&request.body, value, &notes)
                if request.body.bytes.isEmpty { continue }
                // Otherwise an absent size would suggest that there was no content.
                request.body.size = request.body.bytes.count
            }
        }
        if !hasURL { throw value.wrong("missing key 'url' in 'request'") }
        try HARMissingParts.complete(&request, from: value, &notes)
        request.body.noteContentType(request.body.contentType, request.fields)
        if let size, size > 0 {
            request.body.size = size
            request.body.isTruncated = request.body.bytes.isEmpty
        }
    }

    /// Parses a response; returns `nil` if the entry states that there was none.
    static func response(
        _ value: JSONValue,
        _ extras: inout Extras,
        _ notes: inout HARNotes
    ) throws(RecordError) -> Response? {
        try value.requireObject("response")
        var response = Response(status: 0, version: "")
        var sizes = Sizes()
        var members = value.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if value.isNull { continue }
            if key.matches("status") {
                response.status = try value.harStatus("status", &notes)
            } else if key.matches("statusText") {
                response.reason = try value.harBytes("statusText", &notes)
            } else if key.matches("httpVersion") {
                response.version = try version(value)
            } else if key.matches("headers") {
                try headers(value, &response.fields, &notes)
            } else if key.matches("content") {
                try content(value, &response.body, &notes)
            } else if key.matches("bodySize") {
                sizes.body = value.harSize(&notes)
            } else if key.matches("headersSize") {
                sizes.headers = value.harSize(&notes)
            } else if key.matches("_transferSize") {
                sizes.transfer = value.harSize(&notes)
            } else if key.matches("_error") {
                extras.failure = value.asString
                extras.hasFailed = extras.failure?.isEmpty == false
            } else if key.matches("_charlesStatus") {
                if !isComplete(value) { extras.hasFailed = true }
            }
        }
        if response.status == 0, response.fields.isEmpty, response.body.bytes.isEmpty { return nil }
        try HARMissingParts.complete(&response, from: value, &notes)
        finish(&response.body, sizes)
        if notes.chunks != nil { HARChunks.complete(&response) }
        response.body.noteContentType(response.body.contentType, response.fields)
        return response
    }

    /// The sizes in an entry; the best one becomes the size on the wire.
    private struct Sizes {
        var body: Int?
        var headers: Int?
        var transfer: Int?
    }

    private static func finish(_ body: inout Body, _ sizes: Sizes) {
        body.size = sizes.body
        if body.size == nil, let transfer = sizes.transfer, let headers = sizes.headers,
            transfer > 0, headers > 0, transfer >= headers
        {
            body.size = transfer - headers
        }
        if body.bytes.isEmpty, body.decodedSize ?? 0 > 0 { body.isTruncated = true }
        if body.decodedSize == 0, body.bytes.isEmpty, body.size ?? 0 == 0 {
            body.decodedSize = nil
        }
    }

    private static func isComplete(_ value: JSONValue) -> Bool {
        value.bytes.equalsIgnoringCase("complete")
    }

    /// Tools spell the version in different ways: `h2`, `http/2.0`, `HTTP/2`.
    static func version(_ value: JSONValue) throws(RecordError) -> ByteString {
        let text = value.kind == .number ? value.bytes : try value.requireString("httpVersion")
        for (known, names) in versions {
            for name in names where text.equalsIgnoringCase(name) { return ByteString(known) }
        }
        return ByteString(text)
    }

    private static let versions = [
        ("HTTP/1.1", ["http/1.1", "1.1"]), ("HTTP/1.0", ["http/1.0", "1.0"]),
        ("HTTP/2", ["h2", "http/2", "http/2.0", "h2c", "2", "2.0"]),
        ("HTTP/3", ["h3", "http/3", "http/3.0", "3", "3.0"]),
        ("", ["unknown"]),
    ]

    /// Parses fields.
    ///
    /// Pseudo-header fields are not fields (RFC 9113 section 8.3): method, URL and status have
    /// their values. Chrome joins repeated fields into a value of several lines; Polly.js writes a
    /// list of values.
    static func headers(
        _ value: JSONValue,
        _ fields: inout FieldSection,
        _ notes: inout HARNotes
    ) throws(RecordError) {
        try value.requireArray("headers")
        fields = FieldSection()
        // A header takes five tokens; 22 of its characters are `{"name":"","value":""}`.
        let count = value.tokenCount / 5
        fields.reserveCapacity(fields: count, bytes: max(0, value.bytes.count - 22 * count))
        var elements = value.elements
        while let element = elements.next() {
            try element.requireObject("headers")
            guard let name = element.member("name") else {
                throw element.wrong("missing key 'name' in 'headers'")
            }
            let nameBytes = try name.requireString("name")
            if isPseudo(nameBytes) {
                if !pseudo.contains(where: { nameBytes.equals($0) }) {
                    notes.losses.count("headers (pseudo-header fields)")
                }
                continue
            }
            guard let content = element.member("value"), !content.isNull else {
                fields.append(name: nameBytes, value: Span())
                continue
            }
            if content.kind == .array {
                if content.tokenCount == 1 { notes.losses.count("headers (without a value)") }
                var values = content.elements
                while let value = values.next() { try append(nameBytes, value, to: &fields) }
            } else {
                try append(nameBytes, content, to: &fields)
            }
        }
    }

    /// The pseudo-header fields whose values are in method, URL and status.
    private static let pseudo = [":method", ":scheme", ":authority", ":path", ":status"]

    /// Whether a name is that of a pseudo-header field.
    static func isPseudo(_ name: Span<UInt8>) -> Bool {
        name.count > 0 && name[0] == .ascii(":")
    }

    private static func append(
        _ name: Span<UInt8>,
        _ content: JSONValue,
        to fields: inout FieldSection
    ) throws(RecordError) {
        var text = content.bytes
        switch content.kind {
        case .string, .number, .true, .false: break
        case .null: text = Span()
        case .object, .array: throw content.wrong("value", expected: "a string")
        }
        var start = 0
        while let end = text.firstIndex(of: 0x0A, from: start) {
            fields.append(name: name, value: text.extracting(start..<end))
            start = end + 1
        }
        fields.append(name: name, value: text.extracting(start..<text.count))
    }

    /// The content: decoded text, or base64 of the decoded bytes.
    private static func content(
        _ value: JSONValue,
        _ body: inout Body,
        _ notes: inout HARNotes
    ) throws(RecordError) {
        try value.requireObject("content")
        var text: JSONValue?
        var isBase64 = false
        var isBinary = false
        var members = value.members
        while let member = members.next() {
            let key = member.key
            let value = member.value
            if value.isNull { continue }
            if key.matches("size") {
                body.decodedSize = value.harSize(&notes)
            } else if key.matches("text") {
                _ = try value.requireString("text")
                text = value
            } else if key.matches("encoding") {
                if value.kind != .string { notes.findings.count("encoding (not a string)") }
                isBase64 = value.kind == .string && value.bytes.equalsIgnoringCase("base64")
            } else if key.matches("mimeType") {
                if value.kind == .string { body.contentType = ByteString(value.bytes) }
            } else if key.matches("_isBinary") {
                isBinary = value.asBool == true
            }
        }
        guard let text else { return }
        if isBase64 || isBinary, text.bytes.count > 0, text.bytes[0] == .ascii("[") {
            let form: HARChunks.Form = isBase64 ? .base64 : .hex
            if let bytes = HARChunks.decode(text.bytes, form) {
                body.bytes = bytes
                body.decodedSize = nil
                notes.chunks = form
                return
            }
        }
        body.bytes = isBase64 ? text.harBase64(&notes) : Array(copying: text.bytes)
    }
}
