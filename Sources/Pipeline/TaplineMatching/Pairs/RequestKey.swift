// SPDX-License-Identifier: MIT

package import TaplineModel

/// What a request is paired by: hashes, so that a recording takes little memory.
///
/// **Limits**: 48 bytes for each request; hashes hold for one run of the process.
package struct RequestKey: Sendable, Hashable {
    /// Method, path, query and body; the order of query items counts only among equal names.
    package let exact: Int
    /// Method and path.
    package let path: Int
    /// Method and route, such as `/users/{id}`.
    package let route: Int
    package let host: Int
    package let session: Int

    /// Creates the key of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - session: What identifies its session.
    package init(_ request: Request, session: Span<UInt8>) {
        let target = request.target.span
        let pathRange = request.pathRange
        var hasher = Hasher()
        hasher.combine(request.method)
        hasher.combine(target.extracting(pathRange))
        path = hasher.finalize()
        hasher.combine(Self.query(target, request.queryRange))
        hasher.combine(request.body.bytes.span)
        exact = hasher.finalize()

        var route: [UInt8] = []
        PathTemplate.make(target.extracting(pathRange), into: &route)
        hasher = Hasher()
        hasher.combine(request.method)
        hasher.combine(route.span)
        self.route = hasher.finalize()

        hasher = Hasher()
        hasher.combine(request.host)
        hasher.combine(request.port)
        host = hasher.finalize()

        hasher = Hasher()
        hasher.combine(session)
        self.session = hasher.finalize()
    }

    init(exact: Int, path: Int, route: Int, host: Int = 0, session: Int = 0) {
        self.exact = exact
        self.path = path
        self.route = route
        self.host = host
        self.session = session
    }

    /// Returns a hash of a query that does not depend on the order of items with other names.
    private static func query(_ target: Span<UInt8>, _ range: Range<Int>) -> Int {
        var items = QueryItems(range)
        var sum = 0
        var counts: [Int: Int] = [:]
        while let item = items.next(in: target) {
            var hasher = Hasher()
            hasher.combine(target.extracting(item.name))
            let name = hasher.finalize()
            let count = counts[name, default: 0]
            counts[name] = count + 1
            var pair = Hasher()
            pair.combine(name)
            pair.combine(count)
            pair.combine(target.extracting(item.value))
            sum &+= pair.finalize()
        }
        return sum
    }
}
