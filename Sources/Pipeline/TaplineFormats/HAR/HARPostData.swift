// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineJSON
internal import TaplineModel

/// The content of a request: `text`, or `params` if a tool has parsed the form.
enum HARPostData {
    static let formType = "application/x-www-form-urlencoded"

    static func bytes(_ value: JSONValue, _ notes: inout HARNotes) throws(RecordError) -> [UInt8] {
        try value.requireObject("postData")
        if let text = value.member("text"), !text.isNull {
            let bytes = try text.requireString("text")
            if isBase64(value) { return text.harBase64(&notes) }
            if bytes.count > 0 { return Array(copying: bytes) }
        }
        guard let params = value.member("params"), !params.isNull else { return [] }
        try params.requireArray("params")
        if params.tokenCount == 1 { return [] }
        let type = value.member("mimeType")?.asString ?? ""
        if type.utf8.span.hasMediaType("multipart/form-data") {
            let boundary = MultipartReader.boundary(of: type.utf8.span)
            return try multipart(params, boundary ?? Array(madeBoundary(params).utf8))
        }
        return try form(params)
    }

    /// The content type: from the recording, or a form if that was parsed.
    static func type(_ value: JSONValue) -> ByteString {
        if let type = value.member("mimeType"), type.kind == .string, type.bytes.count > 0 {
            return ByteString(type.bytes)
        }
        return hasParamsAlone(value) ? ByteString(formType) : ByteString()
    }

    /// Sets the generated boundary if the type has none.
    static func complete(_ body: inout Body, _ value: JSONValue, _ notes: inout HARNotes) {
        guard let type = value.member("mimeType")?.asString,
            type.utf8.span.hasMediaType("multipart/form-data"),
            MultipartReader.boundary(of: type.utf8.span) == nil,
            hasParamsAlone(value), let params = value.member("params")
        else { return }
        body.contentType = ByteString("\(type); boundary=\(madeBoundary(params))")
        notes.findings.count("postData.mimeType (no boundary, added)")
    }

    /// Whether the content is only in `params`.
    static func hasParamsAlone(_ value: JSONValue) -> Bool {
        if let text = value.member("text"), text.kind == .string, text.bytes.count > 0 {
            return false
        }
        guard let params = value.member("params") else { return false }
        return params.kind == .array && params.tokenCount > 1
    }

    /// A boundary that none of the values contains, derived from their hash.
    private static func madeBoundary(_ params: JSONValue) -> String {
        let digest = SHA256.hash(params.bytes)
        return "tapline-\(String(digest.word0, radix: 16))\(String(digest.word1, radix: 16))"
    }

    /// Not in HAR 1.2, but written by tools that keep binary requests.
    private static func isBase64(_ value: JSONValue) -> Bool {
        if let encoding = value.member("encoding"), encoding.matches("base64") { return true }
        if let encoding = value.member("_encoding"), encoding.matches("base64") { return true }
        return false
    }

    /// Builds `a=1&b=2`, as a browser would send it (the URL Standard's urlencoded serialising).
    private static func form(_ params: JSONValue) throws(RecordError) -> [UInt8] {
        var output: [UInt8] = []
        var elements = params.elements
        while let param = elements.next() {
            try param.requireObject("params")
            if !output.isEmpty { output.append(.ascii("&")) }
            if let name = param.member("name"), !name.isNull {
                output += PercentEncoding.encode(try name.requireString("name"))
            }
            output.append(.ascii("="))
            if let content = param.member("value"), !content.isNull {
                output += PercentEncoding.encode(try content.requireString("value"))
            }
        }
        return output
    }

    /// Builds a multipart form (RFC 7578) with the boundary of the Content-Type.
    private static func multipart(
        _ params: JSONValue,
        _ boundary: [UInt8]
    ) throws(RecordError) -> [UInt8] {
        var output: [UInt8] = []
        var elements = params.elements
        while let param = elements.next() {
            try param.requireObject("params")
            output += "--".utf8
            output += boundary
            output += "\r\nContent-Disposition: form-data".utf8
            for (key, name) in [("name", "name"), ("fileName", "filename")] {
                guard let value = parameter(param, key), value.kind == .string else { continue }
                output += "; \(name)=\"".utf8
                appendQuoted(value.bytes, to: &output)
                output.append(.ascii("\""))
            }
            if let type = param.member("contentType"), type.kind == .string {
                output += "\r\nContent-Type: ".utf8
                appendQuoted(type.bytes, to: &output)
            }
            output += "\r\n\r\n".utf8
            if let content = param.member("value"), content.kind == .string {
                output.append(copying: content.bytes)
            }
            output += "\r\n".utf8
        }
        output += "--".utf8
        output += boundary
        output += "--\r\n".utf8
        return output
    }

    /// Appends text of a part's head, with special characters escaped as in browsers (the HTML
    /// Standard, multipart form data).
    private static func appendQuoted(_ text: Span<UInt8>, to output: inout [UInt8]) {
        for index in text.indices {
            switch text[index] {
            case 0x0D: output += "%0D".utf8
            case 0x0A: output += "%0A".utf8
            case .ascii("\""): output += "%22".utf8
            case let byte: output.append(byte)
            }
        }
    }

    @_lifetime(copy param)
    private static func parameter(_ param: JSONValue, _ key: String) -> JSONValue? {
        key == "name" ? param.member("name") : param.member("fileName")
    }
}

extension Span<UInt8> {
    /// Whether a Content-Type has this media type, ignoring parameters.
    func hasMediaType(_ type: String) -> Bool {
        let length = type.utf8.count
        guard count >= length, extracting(0..<length).equalsIgnoringCase(type) else { return false }
        return count == length || self[length] == .ascii(";") || self[length].isBlank
    }
}
