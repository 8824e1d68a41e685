// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel

/// A request as curl sends it for the options of a command.
///
/// The field `User-Agent` that curl adds by itself is left out, since it depends on the version.
struct CurlRequest {
    /// A field of `--header`.
    private struct Header {
        let name: [UInt8]
        /// `nil` to leave out the field that curl adds.
        let value: [UInt8]?
    }

    var urls: [ShellWord] = []
    var method: [UInt8]?
    var data: [UInt8]?
    var isJSON = false
    var form = MultipartForm()
    var upload: [UInt8]?
    var isGet = false
    var isHead = false
    var isCompressed = false
    var isGlobbing = true
    var authorization: [UInt8] = []
    /// Whether `Authorization` depends on what the server sends, or on the moment.
    var hasComputedCredentials = false
    var cookie: [UInt8] = []
    var referer: [UInt8] = []
    var userAgent: [UInt8] = []
    var range: [UInt8] = []
    var target: [UInt8]?
    var version: ByteString = "HTTP/1.1"
    private var query: [UInt8] = []
    private var headers: [Header] = []

    /// Adds data after that of earlier options.
    mutating func addData(_ bytes: [UInt8], separator: [UInt8] = [.ascii("&")]) {
        guard var joined = data else {
            data = bytes
            return
        }
        // Without another reference, appending does not copy.
        data = nil
        joined += separator
        joined += bytes
        data = joined
    }

    /// Adds an item of the query.
    mutating func addQuery(_ bytes: [UInt8]) {
        if !query.isEmpty { query.append(.ascii("&")) }
        query += bytes
    }

    /// Adds a field: `name: value`, `name:` to leave it out, or `name;` for an empty value.
    mutating func addHeader(_ word: ShellWord) throws(RecordError) {
        let bytes = word.bytes
        guard !bytes.contains(where: \.endsField) else {
            throw .shape("a field contains a line end or NUL", at: word.start)
        }
        if let colon = bytes.firstIndex(of: .ascii(":")), colon > 0 {
            let rest = Array(bytes[(colon + 1)...])
            let value = rest[rest.span.trimmed(0..<rest.count)]
            let name = Array(bytes[..<colon])
            headers.append(Header(name: name, value: value.isEmpty ? nil : Array(value)))
        } else if let end = bytes.firstIndex(of: .ascii(";")), end > 0,
            bytes[(end + 1)...].allSatisfy(\.isBlank)
        {
            headers.append(Header(name: Array(bytes[..<end]), value: []))
        } else {
            throw .shape("malformed field; expected a name and ':'", at: word.start)
        }
    }

    // MARK: Exchanges

    /// The exchanges of all URLs.
    func exchanges(_ started: Timestamp) throws(RecordError) -> [Exchange] {
        var exchanges: [Exchange] = []
        for url in urls {
            var exchange = Exchange.imported(try request(url), started: started)
            exchange.markWithoutResponse()
            exchanges.append(exchange)
        }
        return exchanges
    }

    private func request(_ word: ShellWord) throws(RecordError) -> Request {
        var request = Request(version: version)
        let userInfo = try setURL(word, &request)
        let (body, type) = try content()
        request.method = ByteString(method ?? Array(usualMethod.utf8))
        if let target { request.target = ByteString(target) }
        let own = ownFields(request, userInfo, body, type)
        for (name, value) in own where !overrides(name) && !value.isEmpty {
            request.fields.append(name: name.utf8.span, value: value.span)
        }
        for header in headers {
            guard let value = header.value else { continue }
            request.fields.append(name: header.name.span, value: value.span)
        }
        if let body {
            request.body = body.isEmpty ? Body([]) : .received(body, request.fields)
            if !overrides("Content-Length"), !overrides("Transfer-Encoding") {
                request.fields.append(name: "Content-Length", value: "\(body.count)")
            }
            if !type.isEmpty, !overrides("Content-Type") {
                request.fields.append(name: "Content-Type".utf8.span, value: type.utf8.span)
            }
        }
        return request
    }

    private var usualMethod: String {
        if isHead { return "HEAD" }
        if upload != nil { return "PUT" }
        if isGet { return "GET" }
        return data != nil || !form.isEmpty ? "POST" : "GET"
    }

    /// The fields that curl adds by itself, in its order.
    private func ownFields(
        _ request: Request,
        _ userInfo: [UInt8],
        _ body: [UInt8]?,
        _ type: String
    ) -> [(String, [UInt8])] {
        let credentials =
            authorization.isEmpty && !userInfo.isEmpty
            ? Array("Basic ".utf8) + userInfo.base64 : authorization
        return [
            ("Host", Array(copying: request.authority.span)),
            ("Authorization", hasComputedCredentials ? [] : credentials),
            ("Range", range.isEmpty ? [] : Array("bytes=".utf8) + range),
            ("User-Agent", userAgent),
            ("Accept", Array((isJSON ? "application/json" : "*/*").utf8)),
            ("Accept-Encoding", isCompressed ? Array("deflate, gzip, br, zstd".utf8) : []),
            ("Referer", referer),
            ("Cookie", cookie),
        ]
    }

    /// Whether `--header` sets or leaves out a field.
    private func overrides(_ name: String) -> Bool {
        headers.contains { $0.name.span.equalsIgnoringCase(name) }
    }

    /// The content and its type; with `--get`, data belongs to the query.
    private func content() throws(RecordError) -> ([UInt8]?, String) {
        if let upload { return (upload, "") }
        if !form.isEmpty {
            let boundary = form.boundary
            return (form.bytes(boundary), "multipart/form-data; boundary=\(boundary)")
        }
        guard let data, !isGet, !isHead else { return (nil, "") }
        return (data, isJSON ? "application/json" : "application/x-www-form-urlencoded")
    }

    /// Sets scheme, authority and target; returns the user-info of the URL, decoded.
    private func setURL(
        _ word: ShellWord,
        _ request: inout Request
    ) throws(RecordError) -> [UInt8] {
        var url = word.bytes
        if isGlobbing, Self.isPattern(url) {
            throw .shape(
                "the URL is a pattern of several URLs; expected '--globoff'",
                at: word.start
            )
        }
        if URLParts(url.span) == nil { url = Array("http://".utf8) + url }
        guard let parts = URLParts(url.span), !parts.hostPort.isEmpty else {
            throw .shape("malformed URL; expected a host", at: word.start)
        }
        let scheme = ByteString(Array(url[parts.scheme]).map(\.asciiLowercased))
        guard scheme == "http" || scheme == "https" else {
            throw .shape("unknown scheme of a URL; expected http or https", at: word.start)
        }
        request.scheme = scheme
        request.authority = ByteString(url.span.extracting(parts.hostPort))
        var target = Array(copying: parts.originForm(of: url.span).span)
        let added = [query, isGet || isHead ? data ?? [] : []].filter { !$0.isEmpty }
        for item in added {
            target.append(target.contains(.ascii("?")) ? .ascii("&") : .ascii("?"))
            target += item
        }
        request.target = ByteString(target)
        return PercentEncoding.decode(url.span.extracting(parts.userInfo), plusIsSpace: false)
    }

    /// Whether curl would replace `{a,b}` or `[1-9]`; an IPv6 address in brackets is none.
    private static func isPattern(_ url: [UInt8]) -> Bool {
        if url.contains(.ascii("{")) { return true }
        guard let bracket = url.firstIndex(of: .ascii("[")) else { return false }
        let isHost = bracket == 0 || url[..<bracket].suffix(2) == Array("//".utf8)[...]
        guard isHost else { return true }
        return url[(bracket + 1)...].contains(.ascii("["))
    }
}

extension [UInt8] {
    /// The bytes in base64.
    var base64: [UInt8] {
        var output: [UInt8] = []
        Base64.encode(span, into: &output)
        return output
    }
}
