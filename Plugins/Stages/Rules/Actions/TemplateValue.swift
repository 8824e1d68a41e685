// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A value that a template can contain.
enum TemplateValue: Sendable, Equatable {
    case method, url, scheme, host, port, path
    case query(String), requestHeader(String), cookie(String), requestBody
    case status, responseHeader(String), responseBody
    case tag(String)
    case id, uuid, now
    /// A group of the match that is replaced; 0 is the whole match.
    case group(Int)

    private static let fixed: [(name: String, value: TemplateValue)] = [
        ("request.method", .method), ("request.url", .url), ("request.scheme", .scheme),
        ("request.host", .host), ("request.port", .port), ("request.path", .path),
        ("request.body", .requestBody), ("response.status", .status),
        ("response.body", .responseBody), ("id", .id), ("uuid", .uuid), ("now", .now),
    ]

    private static let named: [(prefix: String, make: @Sendable (String) -> TemplateValue)] = [
        ("request.query.", { .query($0) }), ("request.header.", { .requestHeader($0) }),
        ("request.cookie.", { .cookie($0) }), ("response.header.", { .responseHeader($0) }),
        ("tag.", { .tag($0) }),
    ]

    /// The names of all values, for messages.
    static let names = fixed.map(\.name) + named.map { "\($0.prefix)NAME" }

    /// Parses the name of a value; `nil` if there is no such value.
    init?(_ name: String, groups: Int) {
        if let known = TemplateValue.fixed.first(where: { $0.name == name }) {
            self = known.value
            return
        }
        if groups > 0, name.utf8.count <= 3, let group = Int(name), 0..<groups ~= group {
            self = .group(group)
            return
        }
        for (prefix, make) in TemplateValue.named
        where name.hasPrefix(prefix) && name.utf8.count > prefix.utf8.count {
            self = make(String(name.dropFirst(prefix.count)))
            return
        }
        return nil
    }
}

extension TemplateValue {
    /// Whether the bytes of the value have a form already: those of a path, and what a regular
    /// expression has found in the text that is replaced.
    func isWritten(in form: RuleTemplate.Form) -> Bool {
        switch self {
        case .path: form == .path
        case .group: form == .json
        default: false
        }
    }

    /// Whether the value is known only with the response.
    var isOfResponse: Bool {
        switch self {
        case .status, .responseHeader, .responseBody: true
        default: false
        }
    }
}

/// What templates need in addition to the exchange.
struct RuleValues {
    var random: RuleRandom
    let clock: @Sendable () -> Timestamp
    /// The groups of the match that is replaced; empty outside of replacements.
    var groups: [[UInt8]] = []
}

extension TemplateValue {
    /// Returns the value; empty if the exchange lacks it.
    func read(_ values: inout RuleValues, _ exchange: borrowing Exchange) -> [UInt8] {
        switch self {
        case .id: return Array(exchange.id.description.utf8)
        case .uuid: return Array(values.random.uuid().description.utf8)
        case .now: return Array(values.clock().rfc3339.utf8)
        case .group(let group):
            return values.groups.indices.contains(group) ? values.groups[group] : []
        case .tag(let name): return exchange.tags[name].map { Array($0.utf8) } ?? []
        case .status: return exchange.response.map { Array(String($0.status).utf8) } ?? []
        case .responseHeader(let name):
            return exchange.response?.fields.first(name).map { Array(copying: $0.span) } ?? []
        case .responseBody:
            return exchange.response.flatMap { BodyContent.decoded($0.body) } ?? []
        default: return read(exchange.request)
        }
    }

    private func read(_ request: borrowing Request) -> [UInt8] {
        switch self {
        case .method: return Array(copying: request.method.span)
        case .url: return Array(copying: request.url.span)
        case .scheme: return Array(copying: request.scheme.span)
        case .host: return Array(copying: request.host.span)
        case .port: return request.port.map { Array(String($0).utf8) } ?? []
        case .path: return Array(copying: request.target.span.extracting(request.pathRange))
        case .query(let name): return TemplateValue.queryValue(name, request)
        case .requestHeader(let name):
            return request.fields.first(name).map { Array(copying: $0.span) } ?? []
        case .cookie(let name): return TemplateValue.cookieValue(name, request.fields)
        case .requestBody: return BodyContent.decoded(request.body) ?? []
        default: return []
        }
    }

    /// The first item of the query with a name, decoded.
    private static func queryValue(_ name: String, _ request: borrowing Request) -> [UInt8] {
        let target = request.target.span
        var items = QueryItems(request.queryRange)
        while let item = items.next(in: target) {
            let isWanted = PercentEncoding.decodes(
                target.extracting(item.name),
                to: name.utf8.span,
                plusIsSpace: true
            )
            if isWanted {
                return PercentEncoding.decode(target.extracting(item.value), plusIsSpace: true)
            }
        }
        return []
    }

    /// The first cookie with a name.
    private static func cookieValue(_ name: String, _ fields: borrowing FieldSection) -> [UInt8] {
        guard let cookie = fields.firstCookie(name.utf8.span) else { return [] }
        return Array(copying: fields.value(at: cookie.position).extracting(cookie.value))
    }
}
