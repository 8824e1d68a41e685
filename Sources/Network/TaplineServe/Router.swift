// SPDX-License-Identifier: MIT

/// A table of methods and paths.
///
/// A pattern has segments such as `/api/exchanges/{}/body/{}`; `{}` stands for any segment that is
/// not empty. The first pattern that matches counts.
package struct Router<Handler: Sendable>: Sendable {
    /// What a request leads to.
    package enum Match: Sendable {
        /// A handler, with the segments that `{}` stands for.
        case found(Handler, [String])
        /// The path exists with these methods.
        case otherMethod([String])
        /// There is no such path.
        case none
    }

    private struct Route: Sendable {
        let method: String
        let segments: [String]
        let handler: Handler
    }

    private var routes: [Route] = []

    /// Creates an empty table.
    package init() {}

    /// Adds a route.
    package mutating func add(_ method: String, _ pattern: String, _ handler: Handler) {
        let segments = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        routes.append(Route(method: method, segments: segments.map(String.init), handler: handler))
    }

    /// Finds the handler of a request; GET also answers HEAD.
    package func match(_ method: String, _ segments: [String]) -> Match {
        var methods: [String] = []
        for route in routes {
            guard let values = Self.values(of: segments, in: route.segments) else { continue }
            if route.method == method || (route.method == "GET" && method == "HEAD") {
                return .found(route.handler, values)
            }
            if !methods.contains(route.method) { methods.append(route.method) }
        }
        return methods.isEmpty ? .none : .otherMethod(methods)
    }

    private static func values(of segments: [String], in pattern: [String]) -> [String]? {
        guard segments.count == pattern.count else { return nil }
        var values: [String] = []
        for (segment, expected) in zip(segments, pattern) {
            if expected == "{}" {
                if segment.isEmpty { return nil }
                values.append(segment)
            } else if segment != expected {
                return nil
            }
        }
        return values
    }
}
