// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineModel
internal import TaplineOperations

/// The servers that recorded requests are sent to.
struct ReplayTargets: Sendable {
    /// A server, and the hosts whose requests it gets.
    struct Target: Sendable {
        /// The pattern of recorded hosts, with or without a port.
        let hosts: Glob
        let origin: Origin
    }

    var targets: [Target] = []
    /// Whether requests that can change things are sent to other machines.
    var allowsUnsafe = false

    /// Returns the server for a recorded request; `nil` if there is none.
    func origin(for request: borrowing Request) -> Origin? {
        let authority = request.authority.span
        let host = authority.extracting(AuthorityParts(authority).host)
        for target in targets where target.hosts.matches(authority) || target.hosts.matches(host) {
            return target.origin
        }
        return nil
    }

    /// Returns why a request may not be sent to a server; `nil` if it may.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - origin: The server.
    ///   - parent: The proxy, for which `localhost` is another machine; `nil` for none.
    /// - Returns: The obstacle.
    func obstacle(
        to request: borrowing Request,
        at origin: Origin,
        through parent: ParentProxy?
    ) -> ReplayObstacle? {
        let method = request.method.span
        let isSafe = method.equals("GET") || method.equals("HEAD") || method.equals("OPTIONS")
        let isHere = origin.isLoopback && parent?.covers(origin) != true
        return isSafe || allowsUnsafe || isHere ? nil : .unsafeMethod
    }
}
