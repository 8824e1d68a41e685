// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineNet

/// The connections of one loop to servers: opens them, and keeps the idle ones.
///
/// **Shape**: the connection that became idle last is used first, so that others can expire.
///
/// **Isolation**: the loop's thread.
package final class ServerPool {
    /// The idle connections to one server, linked by `ServerLeg.nextIdle`.
    ///
    /// A class, since a struct would be moved out of the dictionary and back at each use.
    private final class IdleList {
        let origin: Origin
        /// The connection that became idle last.
        var first: ServerLeg?

        init(_ origin: Origin) { self.origin = origin }
    }

    private let connector: ServerConnector
    private var idle: [Origin: IdleList] = [:]
    /// The list that was used last: most exchanges use the same one again.
    private var last: IdleList?
    private var count = 0
    private let limit: Int
    private let maxAge: Microseconds
    private let loop: EventLoop
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - connector: Opens connections.
    ///   - limit: How many idle connections are kept in all.
    ///   - maxAge: How long an idle connection is kept.
    ///   - loop: The loop of the connections.
    package init(
        _ connector: ServerConnector,
        limit: Int,
        maxAge: Microseconds,
        on loop: EventLoop
    ) {
        self.connector = connector
        self.limit = limit
        self.maxAge = maxAge
        self.loop = loop
        timer = LoopTimer(on: loop) { [unowned self] in closeStale() }
        timer?.arm(after: maxAge)
    }

    /// The number of idle connections.
    var idleCount: Int { count }

    /// Opens a connection, for a tunnel or for requests.
    ///
    /// Calls back once.
    package func connect(
        to origin: Origin,
        isTunnel: Bool,
        offersHTTP2: Bool = false,
        _ done: @escaping (ServerOutcome) -> Void
    ) {
        connector.connect(to: origin, isTunnel: isTunnel, offersHTTP2: offersHTTP2, done)
    }

    /// Returns whether there is an idle connection to a server.
    package func has(_ origin: Origin) -> Bool { list(of: origin)?.first != nil }

    /// Takes an idle connection to a server; `nil` if there is none.
    package func take(_ origin: Origin) -> ServerLeg? {
        guard let list = list(of: origin) else { return nil }
        while let server = list.first {
            pop(server, from: list)
            if server.isUsable, loop.now &- server.idleSince < maxAge.count { return server }
            server.abandon()
        }
        return nil
    }

    /// Keeps a connection without an exchange, or closes it if it cannot carry another exchange or
    /// the pool is full.
    package func give(_ server: ServerLeg) {
        server.end()
        guard server.isUsable, count < limit else { return server.socket.close() }
        let origin = server.route.origin
        let list = list(of: origin) ?? IdleList(origin)
        if list.first == nil { idle[origin] = list }
        server.pool = self
        server.idleSince = loop.now
        server.nextIdle = list.first
        list.first = server
        count &+= 1
    }

    private func list(of origin: Origin) -> IdleList? {
        if let last, last.origin == origin { return last }
        let found = idle[origin]
        last = found
        return found
    }

    /// Removes the first connection of a list.
    private func pop(_ server: ServerLeg, from list: IdleList) {
        list.first = server.nextIdle
        server.nextIdle = nil
        server.pool = nil
        count &-= 1
    }

    /// Removes a connection that was closed.
    func remove(_ server: ServerLeg) {
        guard let list = list(of: server.route.origin) else { return }
        removeAll(from: list) { $0 === server }
    }

    /// Removes and returns the connections of a list that match a condition.
    @discardableResult
    private func removeAll(
        from list: IdleList,
        where isRemoved: (ServerLeg) -> Bool
    ) -> [ServerLeg] {
        var (kept, removed): ([ServerLeg], [ServerLeg]) = ([], [])
        while let server = list.first {
            pop(server, from: list)
            if isRemoved(server) { removed.append(server) } else { kept.append(server) }
        }
        for server in kept.reversed() {
            server.pool = self
            server.nextIdle = list.first
            list.first = server
            count &+= 1
        }
        return removed
    }

    /// Closes connections that are too old, and removes the lists that become empty.
    private func closeStale() {
        last = nil
        let now = loop.now
        for (origin, list) in idle {
            let stale = removeAll(from: list) { now &- $0.idleSince >= maxAge.count }
            if list.first == nil { idle[origin] = nil }
            for server in stale { server.socket.close() }
        }
        timer?.arm(after: maxAge)
    }

    /// Closes the idle connections of a group, whose only client is gone.
    package func closeAll(ofGroup group: Int) {
        for (origin, list) in idle where origin.group == group {
            idle[origin] = nil
            if last === list { last = nil }
            for server in removeAll(from: list, where: { _ in true }) { server.socket.close() }
        }
    }

    /// Closes all idle connections.
    package func closeAll() {
        let lists = Array(idle.values)
        idle = [:]
        last = nil
        for list in lists {
            for server in removeAll(from: list, where: { _ in true }) { server.socket.close() }
        }
    }

    /// Releases the timer, since the loop has ended.
    package func end() { timer = nil }
}
