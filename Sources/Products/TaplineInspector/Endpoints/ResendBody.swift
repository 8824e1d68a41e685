// SPDX-License-Identifier: MIT

internal import TaplineExport
internal import TaplineJSON
internal import TaplineModel

/// What `POST /api/resend` is asked to send.
struct ResendBody {
    /// The recorded exchange that the request repeats; `nil` for a new request.
    private(set) var original: ExchangeID?
    private(set) var request = Request()

    /// Reads the body of a call.
    ///
    /// - Throws: `APIError` that names the first wrong part.
    init(_ bytes: [UInt8]) throws(APIError) {
        var parser = JSONParser(maxDepth: 8)
        let document: JSONDocument
        do throws(JSONError) {
            document = try parser.parse(bytes.span)
        } catch {
            throw APIError(400, "bad_json", "the body is not JSON")
        }
        if let of = document.root.member("of"), !of.isNull {
            guard let text = of.asString, let id = ExchangeID(text) else {
                throw Self.wrong("of", "expected the id of an exchange")
            }
            original = id
        }
        guard let value = document.root.member("request"), value.kind == .object else {
            throw .missing("request")
        }
        try readLine(value)
        try readFields(value)
        try readContent(value)
    }

    private static func wrong(_ name: String, _ message: String) -> APIError {
        APIError(400, "bad_request", "wrong value of '\(name)'; \(message)")
    }

    private mutating func readLine(_ value: JSONValue) throws(APIError) {
        guard let method = value.member("method")?.asString, method.isToken, method != "CONNECT"
        else { throw Self.wrong("method", "expected a method of HTTP other than CONNECT") }
        request.method = ByteString(method)
        guard let url = value.member("url")?.asString else { throw .missing("url") }
        let bytes = url.utf8.span
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), let parts = URLParts(bytes) else {
            throw Self.wrong("url", "expected a URL such as https://shop.test/cart?x=1")
        }
        let scheme = ByteString(bytes.extracting(parts.scheme)).text?.lowercased() ?? ""
        guard scheme == "http" || scheme == "https" else {
            throw Self.wrong("url", "expected http or https")
        }
        guard parts.userInfo.isEmpty else {
            throw Self.wrong("url", "a user belongs into the field Authorization")
        }
        let authority = ByteString(bytes.extracting(parts.hostPort))
        guard authority.text?.isAuthority == true else {
            throw Self.wrong("url", "expected a host and perhaps a port")
        }
        request.scheme = ByteString(scheme)
        request.authority = authority
        request.target = parts.originForm(of: bytes)
    }

    private mutating func readFields(_ value: JSONValue) throws(APIError) {
        guard let list = value.member("headers"), !list.isNull else { return }
        guard list.kind == .array else {
            throw Self.wrong("headers", "expected a list of pairs of name and value")
        }
        var elements = list.elements
        while let element = elements.next() {
            var parts = element.elements
            guard element.kind == .array, let name = parts.next()?.asString,
                let text = parts.next()?.asString
            else { throw Self.wrong("headers", "expected a list of pairs of name and value") }
            guard name.isToken else {
                throw Self.wrong("headers", "'\(name.prefix(64))' cannot be the name of a field")
            }
            guard Array(text.utf8).isFieldValue else {
                throw Self.wrong(
                    "headers",
                    "the value of '\(name.prefix(64))' has control characters"
                )
            }
            // The proxy frames the message, and gets the body with the head.
            if ["content-length", "transfer-encoding", "expect"].contains(name.lowercased()) {
                continue
            }
            if name.lowercased() == "host", request.fields.contains("Host") {
                throw Self.wrong("headers", "expected one field Host")
            }
            request.fields.append(name: name, value: text)
        }
    }

    private mutating func readContent(_ value: JSONValue) throws(APIError) {
        guard let body = value.member("body"), !body.isNull else {
            // RFC 9110 §8.6: their content has a length even if it is empty.
            let method = request.method.text ?? ""
            if ["POST", "PUT", "PATCH"].contains(method) { request.body = Body([]) }
            return
        }
        if let text = body.member("text")?.asString {
            request.body = Body(Array(text.utf8))
        } else if let coded = body.member("base64"), coded.kind == .string {
            var bytes: [UInt8] = []
            guard Base64.decode(coded.bytes, into: &bytes) == nil else {
                throw Self.wrong("body", "expected base64 with padding")
            }
            request.body = Body(bytes)
        } else {
            throw Self.wrong("body", "expected an object with 'text' or 'base64'")
        }
    }
}
