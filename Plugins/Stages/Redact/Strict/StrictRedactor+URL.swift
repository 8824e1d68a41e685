// SPDX-License-Identifier: MIT

internal import TaplineModel

/// URLs, queries and forms.
extension StrictRedactor {
    /// Writes a URL or a URL reference.
    mutating func url(_ url: Span<UInt8>, _ level: Int, into output: inout [UInt8]) {
        guard let parts = URLParts(url) else {
            guard url.count > 2, url[0] == .ascii("/"), url[1] == .ascii("/") else {
                reference(url, level, into: &output)
                return
            }
            var end = 2
            while end < url.count, !Self.endsAuthority(url[end]) { end += 1 }
            output.append(copying: "//".utf8.span)
            authority(url.extracting(2..<end), into: &output)
            reference(url.extracting(end...), level, into: &output)
            return
        }
        let scheme = url.extracting(parts.scheme)
        if words.isValue(scheme) {
            output.append(copying: scheme)
        } else {
            output += name(scheme)
        }
        output.append(copying: "://".utf8.span)
        let start = parts.scheme.upperBound + 3
        authority(url.extracting(start..<parts.hostPort.upperBound), into: &output)
        reference(url.extracting(parts.hostPort.upperBound...), level, into: &output)
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == .ascii("/") || byte == .ascii("?") || byte == .ascii("#")
    }

    private mutating func authority(_ text: Span<UInt8>, into output: inout [UInt8]) {
        guard let at = text.lastIndex(of: .ascii("@")) else {
            host(text, into: &output)
            return
        }
        var start = 0
        while start <= at {
            let end = min(text.firstIndex(of: .ascii(":"), from: start) ?? at, at)
            encoded(text.extracting(start..<end), strict.url, into: &output)
            output.append(text[end])
            start = end + 1
        }
        host(text.extracting((at + 1)...), into: &output)
    }

    /// Writes a path with query and fragment.
    private mutating func reference(
        _ text: Span<UInt8>,
        _ level: Int,
        into output: inout [UInt8]
    ) {
        let question = text.firstIndex(ofEither: .ascii("?"), .ascii("#"), from: 0)
        let hash = text.firstIndex(of: .ascii("#"), from: question) ?? text.count
        path(text.extracting(0..<question), into: &output)
        if question < hash {
            output.append(.ascii("?"))
            let query = text.extracting(question + 1..<hash)
            items(query, strict.keep.query, level, into: &output)
        }
        guard hash < text.count else { return }
        output.append(.ascii("#"))
        let fragment = text.extracting((hash + 1)...)
        if fragment.firstIndex(of: .ascii("=")) == nil {
            path(fragment, into: &output)
        } else if let inner = fragment.firstIndex(of: .ascii("?")) {
            path(fragment.extracting(0..<inner), into: &output)
            output.append(.ascii("?"))
            let query = fragment.extracting((inner + 1)...)
            items(query, strict.keep.query, level, into: &output)
        } else {
            items(fragment, strict.keep.query, level, into: &output)
        }
    }

    /// Writes a path; slashes and known segments are kept.
    private mutating func path(_ text: Span<UInt8>, into output: inout [UInt8]) {
        var start = 0
        while start <= text.count {
            var end = start
            while end < text.count, !Self.endsSegment(text[end]) { end += 1 }
            let segment = text.extracting(start..<end)
            if segment.equals("*") || segment.equals(".") || segment.equals("..") {
                output.append(copying: segment)
            } else {
                let decoded = PercentEncoding.decode(segment, plusIsSpace: false)
                if words.isSegment(decoded.span) {
                    output.append(copying: segment)
                } else {
                    encoded(segment, strict.url, into: &output)
                }
            }
            if end < text.count { output.append(text[end]) }
            start = end + 1
        }
    }

    /// Whether a byte ends a segment; parameters are read as segments, as their names are rarely
    /// route words.
    private static func endsSegment(_ byte: UInt8) -> Bool {
        byte == .ascii("/") || byte == .ascii(";") || byte == .ascii("=") || byte == .ascii(",")
    }

    /// Writes a percent-encoded text, of which only what is harmless is kept.
    private mutating func encoded(
        _ text: Span<UInt8>,
        _ rule: Rule,
        into output: inout [UInt8]
    ) {
        guard !text.isEmpty else { return }
        let decoded = PercentEncoding.decode(text, plusIsSpace: false)
        guard !stays(decoded.span) else {
            output.append(copying: text)
            return
        }
        var made: [UInt8] = []
        put(decoded.span, rule, into: &made)
        output += PercentEncoding.encode(made.span)
    }

    /// Writes the items of a query or a form.
    mutating func items(
        _ text: Span<UInt8>,
        _ kept: borrowing NameRules,
        _ level: Int,
        into output: inout [UInt8]
    ) {
        var items = QueryItems(0..<text.count)
        var isFirst = true
        while let item = items.next(in: text) {
            if !isFirst { output.append(.ascii("&")) }
            isFirst = false
            let written = text.extracting(item.name)
            let name = PercentEncoding.decode(written, plusIsSpace: true)
            let isKept = strict.keep.keeps(name.span, kept)
            let hasValue = item.name.upperBound < item.value.lowerBound
            // For a name that matches by its last part, the other parts are unknown.
            let isNamed = isKept && kept.rule(for: name.span) != nil
            if isNamed || name.isEmpty || words.isName(name.span) || isReplacement(name.span) {
                output.append(copying: written)
            } else if hasValue {
                let shown = self.name(name.span)
                output += PercentEncoding.encode(shown.span)
            } else {
                self.item(written, level, into: &output)
            }
            guard hasValue else { continue }
            output.append(.ascii("="))
            let value = text.extracting(item.value)
            if isKept {
                output.append(copying: value)
            } else {
                self.item(value, level, into: &output)
            }
        }
        if !text.isEmpty, text[text.count - 1] == .ascii("&") { output.append(.ascii("&")) }
    }

    /// Writes a value with form encoding.
    private mutating func item(_ text: Span<UInt8>, _ level: Int, into output: inout [UInt8]) {
        let decoded = PercentEncoding.decode(text, plusIsSpace: true)
        var made: [UInt8] = []
        value(decoded.span, strict.value, level + 1, into: &made)
        if made == decoded {
            output.append(copying: text)
        } else {
            output += PercentEncoding.encode(made.span)
        }
    }
}

// MARK: - Hosts

extension StrictRedactor {
    /// Returns the ranges of a host without its brackets, and of a port if there is a plausible
    /// one.
    static func split(_ text: Span<UInt8>) -> (host: Range<Int>, port: Range<Int>) {
        var host = 0..<text.count
        var port = text.count..<text.count
        if let colon = text.lastIndex(of: .ascii(":")) {
            let digits = text.extracting((colon + 1)...)
            // Version 6 addresses contain colons, unless they are in brackets.
            let isOnly = text.firstIndex(of: .ascii(":")) == colon
            let followsBracket = colon > 0 && text[colon - 1] == .ascii("]")
            if isOnly || followsBracket, 1...5 ~= digits.count, digits.decimal != nil {
                host = 0..<colon
                port = colon + 1..<text.count
            }
        }
        if host.count > 1, text[host.lowerBound] == .ascii("["),
            text[host.upperBound - 1] == .ascii("]")
        {
            host = host.lowerBound + 1..<host.upperBound - 1
        }
        return (host, port)
    }

    /// Writes host and port: the host of the request and ports are kept.
    mutating func host(_ text: Span<UInt8>, into output: inout [UInt8]) {
        guard !text.isEmpty else { return }
        let (range, port) = Self.split(text)
        let host = text.extracting(range)
        let isBracketed = text[0] == .ascii("[")
        if isBracketed { output.append(.ascii("[")) }
        if host.equalsIgnoringCase(ownHost.span) || host.equals("localhost") || isReplacement(host)
        {
            output.append(copying: host)
        } else if !host.isEmpty {
            output += hostName(host)
        }
        if isBracketed { output.append(.ascii("]")) }
        if !port.isEmpty {
            output.append(.ascii(":"))
            output.append(copying: text.extracting(port))
        }
    }

    /// Returns the host of a request in lowercase; empty if it does not look like a host.
    static func host(of request: Request) -> [UInt8] {
        var authority = Array(copying: request.authority.span)
        if authority.isEmpty, let parts = URLParts(request.target.span) {
            authority = Array(copying: request.target.span.extracting(parts.hostPort))
        }
        if let at = authority.lastIndex(of: .ascii("@")) { authority.removeSubrange(...at) }
        let host = Array(copying: authority.span.extracting(split(authority.span).host))
        return isHost(host) ? host.map(\.asciiLowercased) : []
    }

    /// Whether a host is an address, or a name whose labels are shorter than keys.
    private static func isHost(_ host: [UInt8]) -> Bool {
        guard 1...253 ~= host.count else { return false }
        if host.contains(.ascii(":")) {
            return host.allSatisfy { $0.hexDigit != nil || $0 == .ascii(":") || $0 == .ascii(".") }
        }
        return host.split(separator: .ascii("."), omittingEmptySubsequences: false).allSatisfy {
            $0.count <= 40 && $0.allSatisfy { Pseudonyms.isAlphanumeric($0) || $0 == .ascii("-") }
                && ($0.count < 20 || $0.count(where: \.isDigit) < 3)
        }
    }
}
