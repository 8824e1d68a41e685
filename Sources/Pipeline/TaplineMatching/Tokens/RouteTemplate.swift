// SPDX-License-Identifier: MIT

package import TaplineModel

/// The requests whose messages contain a token: method, host, and the form of the path.
///
/// As text: `GET shop.test/orders/{id}`. A segment in braces matches any segment, `**` at the end
/// any number of them. Without a host, the template matches those of all hosts.
package struct RouteTemplate: Sendable, Hashable {
    /// A segment of the path.
    package enum Segment: Sendable, Hashable {
        /// This segment, as it is written in the request target.
        case literal(ByteString)
        /// Any segment.
        case any
    }

    package let method: ByteString
    /// Host and port as in the URL, in lower case; empty for all hosts.
    package let authority: ByteString
    package let segments: [Segment]
    /// Whether any number of segments may follow.
    package let isOpen: Bool

    /// Creates the template of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - tokens: The numbers of the segments that are tokens, from 1; they match any segment, as
    ///     do numbers, UUIDs and hashes.
    package init(_ request: borrowing Request, tokens: Set<Int> = []) {
        method = request.method
        authority = RouteTemplate.authority(of: request)
        let target = request.target.span
        var template: [UInt8] = []
        PathTemplate.make(target.extracting(request.pathRange), into: &template)
        let parts = RouteTemplate.split(template.span)
        isOpen = parts.last == "**"
        let written = RouteTemplate.split(target.extracting(request.pathRange))
        segments = parts.prefix(parts.count - (isOpen ? 1 : 0)).enumerated().map { index, part in
            let isVariable = tokens.contains(index + 1) || index >= written.count
            return isVariable || part != written[index] ? .any : .literal(part)
        }
    }

    init(method: ByteString, authority: ByteString, segments: [Segment], isOpen: Bool) {
        self.method = method
        self.authority = authority
        self.segments = segments
        self.isOpen = isOpen
    }

    /// Host and port of a request in lower case.
    static func authority(of request: borrowing Request) -> ByteString {
        ByteString(lowercasing: request.authority.span)
    }

    /// The segments of a path, without the empty one before the first slash.
    static func split(_ path: Span<UInt8>) -> [ByteString] {
        var result: [ByteString] = []
        var start = path.isEmpty || path[0] != .ascii("/") ? 0 : 1
        while start <= path.count {
            let end = path.firstIndex(of: .ascii("/"), from: start) ?? path.count
            result.append(ByteString(path.extracting(start..<end)))
            start = end + 1
        }
        return result
    }

    /// Returns whether a request is one of the route.
    func matches(_ request: RequestRoute) -> Bool {
        guard method == request.method,
            authority.isEmpty || authority == request.authority,
            isOpen
                ? request.segments.count >= segments.count
                : request.segments.count == segments.count
        else { return false }
        return zip(segments, request.segments).allSatisfy { segment, found in
            if case .literal(let text) = segment { text == found } else { true }
        }
    }

    /// The template as text, such as `GET shop.test/orders/{id}`.
    package var text: String {
        var parts = segments.map { segment in
            guard case .literal(let text) = segment else { return "{id}" }
            return ValuePlace.escaped(text, [.ascii("{"), .ascii("*")])
        }
        if isOpen { parts.append("**") }
        let host = ValuePlace.escaped(authority, [.ascii("/")])
        return "\(ValuePlace.escaped(method)) \(host)/\(parts.joined(separator: "/"))"
    }

    /// The last segment that is not variable, to name values by it.
    var resource: String {
        for case .literal(let text) in segments.reversed() where !text.isEmpty {
            return text.description
        }
        return ""
    }
}

/// A request as it is compared with route templates.
struct RequestRoute {
    let method: ByteString
    let authority: ByteString
    let segments: [ByteString]

    init(_ request: borrowing Request) {
        method = request.method
        authority = RouteTemplate.authority(of: request)
        segments = RouteTemplate.split(request.target.span.extracting(request.pathRange))
    }
}

/// Values by the route that they belong to.
struct RouteIndex<Value: Sendable>: Sendable {
    /// What most routes differ in.
    private struct Shape: Hashable {
        let method: ByteString
        let count: Int
        /// The first segment; `nil` if it is variable.
        let first: ByteString?
    }

    private var everywhere: [Value] = []
    private var byShape: [Shape: [(route: RouteTemplate, value: Value)]] = [:]
    private var open: [(route: RouteTemplate, value: Value)] = []

    mutating func add(_ value: Value, at route: RouteTemplate?) {
        guard let route else {
            everywhere.append(value)
            return
        }
        if route.isOpen {
            open.append((route, value))
            return
        }
        var first: ByteString?
        if case .literal(let text)? = route.segments.first { first = text }
        let shape = Shape(method: route.method, count: route.segments.count, first: first)
        byShape[shape, default: []].append((route, value))
    }

    /// The values of all routes that a request matches.
    func values(for request: RequestRoute) -> [Value] {
        var result = everywhere
        for first in [request.segments.first, nil] {
            let shape = Shape(
                method: request.method,
                count: request.segments.count,
                first: first
            )
            for entry in byShape[shape] ?? [] where entry.route.matches(request) {
                result.append(entry.value)
            }
        }
        for entry in open where entry.route.matches(request) { result.append(entry.value) }
        return result
    }
}
