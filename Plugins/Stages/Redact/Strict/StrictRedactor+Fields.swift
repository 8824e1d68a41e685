// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Fields: the forms of their values, and what is kept of them.
extension StrictRedactor {
    /// How the value of a field is read.
    enum FieldForm: Sendable {
        /// Words of the protocol and short numbers.
        case words(ShortNumbers)
        /// An HTTP date, or a few digits.
        case date
        case mediaType
        case host
        case url
        case cookies
        case setCookie
        /// Names and values separated by commas or semicolons, as in the headers of parts.
        case parameters
        /// Text of any form.
        case text
    }

    /// Forms by field names in lowercase.
    private static let forms: [(FieldForm, String)] = [
        (.words(.range), "content-range range if-range"),
        (
            .words(.size),
            """
            content-length age access-control-max-age keep-alive cache-control pragma surrogate-control cdn-cache-control strict-transport-security
            accept accept-charset accept-encoding accept-language accept-ranges accept-patch
            accept-post accept-ch access-control-allow-credentials access-control-allow-headers
            access-control-allow-methods access-control-expose-headers
            access-control-request-headers access-control-request-method allow connection
            content-encoding content-language content-transfer-encoding dnt expect mime-version
            priority proxy-connection referrer-policy save-data sec-fetch-dest sec-fetch-mode
            sec-fetch-site sec-fetch-user sec-gpc sec-purpose sec-websocket-version
            sec-websocket-extensions te trailer transfer-encoding upgrade
            upgrade-insecure-requests vary x-cache x-content-type-options x-dns-prefetch-control
            x-download-options x-forwarded-proto x-forwarded-port x-frame-options
            x-permitted-cross-domain-policies x-requested-with x-robots-tag x-xss-protection
            cf-cache-status cross-origin-embedder-policy cross-origin-opener-policy
            cross-origin-resource-policy origin-agent-cluster permissions-policy clear-site-data
            sec-ch-ua-mobile grpc-encoding grpc-accept-encoding grpc-status
            """
        ),
        (.words(.version), "server x-powered-by via sec-ch-ua-platform :method :scheme :status"),
        (
            .date,
            "date expires last-modified if-modified-since if-unmodified-since retry-after sunset"
        ),
        (.mediaType, "content-type"),
        (.host, "host :authority x-forwarded-host x-original-host"),
        (
            .url,
            """
            location content-location referer referrer origin :path x-original-url x-rewrite-url
            x-forwarded-uri x-request-url sourcemap access-control-allow-origin
            """
        ),
        (.cookies, "cookie cookie2"),
        (.setCookie, "set-cookie set-cookie2"),
        (.parameters, "content-disposition"),
    ]

    /// The fields whose values are parsed by a grammar of their own.
    static let safeFields = forms.flatMap { form in
        form.1.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private static let formsByName: NameTable<UInt8> = {
        var table = NameTable<UInt8>()
        for (index, entry) in forms.enumerated() {
            for name in entry.1.split(whereSeparator: \.isWhitespace) {
                table.set(String(name), to: UInt8(index))
            }
        }
        return table
    }()

    private static func form(of name: Span<UInt8>) -> FieldForm {
        formsByName.value(of: name).map { forms[Int($0)].0 } ?? .text
    }

    /// Redacts the names and values of fields.
    mutating func redact(_ fields: inout FieldSection) {
        guard !fields.isEmpty else { return }
        var changed = FieldSection()
        for position in fields.indices {
            let name = fields.name(at: position)
            let value = fields.value(at: position)
            guard strict.keep.isEmpty || strict.keep.headers.rule(for: name) == nil else {
                changed.append(name: name, value: value)
                continue
            }
            var output: [UInt8] = []
            write(value, Self.form(of: name), into: &output)
            if words.isField(name) || isReplacement(name) {
                changed.append(name: name, value: output.span)
            } else {
                let shown = self.name(name)
                changed.append(name: shown.span, value: output.span)
            }
        }
        fields = changed
    }

    /// Writes the value of a field.
    mutating func write(_ value: Span<UInt8>, _ form: FieldForm, into output: inout [UInt8]) {
        guard !value.isEmpty else { return }
        guard !isReplacement(value) else {
            output.append(copying: value)
            return
        }
        switch form {
        case .words(let digits): protocolText(value, digits, into: &output)
        case .date: date(value, into: &output)
        case .mediaType: mediaType(value, into: &output)
        case .host: host(value, into: &output)
        case .url: url(value, 0, into: &output)
        case .cookies: cookies(value, into: &output)
        case .setCookie: setCookie(value, into: &output)
        case .parameters: parameters(value, into: &output)
        case .text: self.value(value, strict.field, 0, into: &output)
        }
    }

    // MARK: Dates

    private mutating func date(_ value: Span<UInt8>, into output: inout [UInt8]) {
        if Timestamp(httpDate: value) != nil || (value.count <= 6 && value.decimal != nil) {
            output.append(copying: value)
        } else {
            text(value, strict.field, 0, into: &output)
        }
    }

    // MARK: Media types

    /// Writes a media type with its parameters; for an unknown type, the parts that determine how
    /// to read it are kept.
    mutating func mediaType(_ value: Span<UInt8>, into output: inout [UInt8]) {
        let end = value.firstIndex(of: .ascii(";")) ?? value.count
        let type = value.extracting(value.trimmed(0..<end))
        if words.isValue(type) || isReplacement(type) {
            output.append(copying: type)
        } else if let slash = type.firstIndex(of: .ascii("/")), slash > 0 {
            let tree = type.extracting(0..<slash)
            output += words.isValue(tree) || Self.isTree(tree) ? Array(copying: tree) : name(tree)
            output.append(.ascii("/"))
            let last = type.lastIndex(of: .ascii("+")) ?? 0
            let plus = last > slash ? last : type.count
            let suffix = type.extracting(plus...)
            let isKnown = !suffix.isEmpty && words.isValue(suffix.extracting(1...))
            let subtype = type.extracting(slash + 1..<(isKnown ? plus : type.count))
            if !subtype.isEmpty { output += name(subtype) }
            if isKnown { output.append(copying: suffix) }
        } else {
            text(type, strict.field, 0, into: &output)
        }
        parameters(value.extracting(end...), into: &output)
    }

    private static func isTree(_ name: Span<UInt8>) -> Bool {
        for tree in [
            "application", "text", "image", "audio", "video", "font", "multipart", "model",
        ]
        where name.equalsIgnoringCase(tree) {
            return true
        }
        return false
    }

    /// Writes parameters after semicolons (RFC 9110 §5.6.6): known names, and their values.
    mutating func parameters(_ value: Span<UInt8>, into output: inout [UInt8]) {
        var start = 0
        while start <= value.count {
            let end = Self.endOfParameter(value, start)
            parameter(value.extracting(start..<end), into: &output)
            if end < value.count { output.append(.ascii(";")) }
            start = end + 1
        }
    }

    private static func endOfParameter(_ value: Span<UInt8>, _ start: Int) -> Int {
        var position = start
        var isQuoted = false
        while position < value.count {
            switch value[position] {
            case .ascii("\\") where isQuoted: position += 1
            case .ascii("\""): isQuoted.toggle()
            case .ascii(";") where !isQuoted: return position
            default: break
            }
            position += 1
        }
        return value.count
    }

    private mutating func parameter(_ text: Span<UInt8>, into output: inout [UInt8]) {
        let inner = text.trimmed(0..<text.count)
        output.append(copying: text.extracting(0..<inner.lowerBound))
        defer { output.append(copying: text.extracting(inner.upperBound...)) }
        let parameter = text.extracting(inner)
        guard let equals = parameter.firstIndex(of: .ascii("=")) else {
            protocolText(parameter, .version, into: &output)
            return
        }
        let name = parameter.extracting(0..<equals)
        let star = equals > 0 && parameter[equals - 1] == .ascii("*")
        let plain = parameter.extracting(0..<(star ? equals - 1 : equals))
        if words.isName(plain) || words.isValue(plain) {
            output.append(copying: name)
        } else {
            output += self.name(plain)
        }
        output.append(.ascii("="))
        var value = parameter.extracting((equals + 1)...)
        let isQuoted =
            value.count > 1 && value[0] == .ascii("\"")
            && value[value.count - 1] == .ascii("\"")
        if isQuoted {
            value = value.extracting(1..<value.count - 1)
            output.append(.ascii("\""))
        }
        if plain.equalsIgnoringCase("boundary") {
            output += boundary(value)
        } else if star {
            extended(value, into: &output)
        } else if plain.equalsIgnoringCase("name") {
            output +=
                words.isName(value) || isReplacement(value)
                ? Array(copying: value) : self.name(value)
        } else {
            self.text(value, strict.field, 0, into: &output)
        }
        if isQuoted { output.append(.ascii("\"")) }
    }

    /// Writes a value with its charset and language (RFC 8187 §3.2): `UTF-8'en'%C3%A9`.
    private mutating func extended(_ value: Span<UInt8>, into output: inout [UInt8]) {
        let last = value.lastIndex(of: .ascii("'")) ?? -1
        var start = 0
        while start <= last {
            let end = value.firstIndex(of: .ascii("'"), from: start) ?? last
            let part = value.extracting(start..<end)
            if words.isValue(part) { output.append(copying: part) }
            output.append(.ascii("'"))
            start = end + 1
        }
        let text = PercentEncoding.decode(value.extracting((last + 1)...), plusIsSpace: false)
        guard !text.isEmpty else { return }
        var written: [UInt8] = []
        self.text(text.span, strict.field, 0, into: &written)
        output += PercentEncoding.encode(written.span)
    }

    /// Returns the replacement of a boundary, in the field and in the body.
    mutating func boundary(_ text: Span<UInt8>) -> [UInt8] {
        isReplacement(text) || text.isEmpty ? Array(copying: text) : name(text)
    }
}

// MARK: - Cookies

extension StrictRedactor {
    private mutating func cookies(_ value: Span<UInt8>, into output: inout [UInt8]) {
        var start = 0
        while start <= value.count {
            let end = value.firstIndex(of: .ascii(";"), from: start) ?? value.count
            cookie(value.extracting(start..<end), into: &output)
            if end < value.count { output.append(.ascii(";")) }
            start = end + 1
        }
    }

    /// Writes the name and the value of a cookie.
    private mutating func cookie(_ text: Span<UInt8>, into output: inout [UInt8]) {
        let inner = text.trimmed(0..<text.count)
        output.append(copying: text.extracting(0..<inner.lowerBound))
        let pair = text.extracting(inner)
        guard let equals = pair.firstIndex(of: .ascii("=")) else {
            if !pair.isEmpty { self.text(pair, strict.field, 0, into: &output) }
            return
        }
        let name = pair.extracting(pair.trimmed(0..<equals))
        let isKept = !strict.keep.isEmpty && strict.keep.cookies.rule(for: name) != nil
        if isKept {
            output.append(copying: name)
        } else if !name.isEmpty {
            output += self.name(name)
        }
        output.append(.ascii("="))
        let value = pair.extracting(pair.trimmed(equals + 1..<pair.count))
        if isKept || isReplacement(value) || isEncodedReplacement(value) {
            output.append(copying: value)
        } else {
            self.value(value, strict.field, 0, into: &output)
        }
    }

    private func isEncodedReplacement(_ value: Span<UInt8>) -> Bool {
        let decoded = PercentEncoding.decode(value, plusIsSpace: false)
        return isReplacement(decoded.span)
    }

    /// Writes Set-Cookie; known attributes are kept.
    private mutating func setCookie(_ value: Span<UInt8>, into output: inout [UInt8]) {
        var start = 0
        while start <= value.count {
            let end = value.firstIndex(of: .ascii(";"), from: start) ?? value.count
            let part = value.extracting(start..<end)
            if start == 0 { cookie(part, into: &output) } else { attribute(part, into: &output) }
            if end < value.count { output.append(.ascii(";")) }
            start = end + 1
        }
    }

    private mutating func attribute(_ text: Span<UInt8>, into output: inout [UInt8]) {
        let inner = text.trimmed(0..<text.count)
        output.append(copying: text.extracting(0..<inner.lowerBound))
        let attribute = text.extracting(inner)
        let equals = attribute.firstIndex(of: .ascii("=")) ?? attribute.count
        let name = attribute.extracting(0..<equals)
        guard equals < attribute.count, words.isValue(name) else {
            self.text(attribute, strict.field, 0, into: &output)
            return
        }
        output.append(copying: attribute.extracting(0...equals))
        let value = attribute.extracting((equals + 1)...)
        guard !value.isEmpty else { return }
        if name.equalsIgnoringCase("path") {
            url(value, 0, into: &output)
        } else if name.equalsIgnoringCase("domain") {
            let isDotted = value[0] == .ascii(".")
            if isDotted { output.append(.ascii(".")) }
            host(value.extracting((isDotted ? 1 : 0)...), into: &output)
        } else if name.equalsIgnoringCase("expires") {
            date(value, into: &output)
        } else {
            protocolText(value, .size, into: &output)
        }
    }
}
