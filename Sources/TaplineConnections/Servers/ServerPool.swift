// SPDX-License-Identifier: MIT

package import TaplineModel
internal import TaplineNet

/// The idle connections to servers of one loop.
///
/// **Shape**: the connection that became idle last is used first, so that others can age out.
package final class ServerPool {
    private struct Idle {
        let server: ServerLeg
        /// When it became idle, by the loop's clock.
        let since: Int64
    }

    /// The idle connections to one server, the last one first to go.
    ///
    /// A class, since an array would be taken out of the dictionary and put back at each use.
    private final class Shelf {
        let origin: Origin
        var servers: [Idle] = []

        init(_ origin: Origin) { self.origin = origin }
    }

    private var idle: [Origin: Shelf] = [:]
    /// The shelf that was asked for last: most exchanges ask for the same one once more.
    private var last: Shelf?
    private var count = 0
    private let limit: Int
    private let maxAge: Int64

    /// - Parameters:
    ///   - limit: How many connections are kept in all.
    ///   - maxAge: How long one is kept.
    package init(limit: Int, maxAge: Microseconds) {
        self.limit = limit
        self.maxAge = maxAge.count
    }

    /// An idle connection to a server.
    package func take(_ origin: Origin, now: Int64) -> ServerLeg? {
        guard let shelf = shelf(of: origin) else { return nil }
        while let idle = shelf.servers.popLast() {
            let server = idle.server
            count -= 1
            server.pool = nil
            if server.isUsable, now - idle.since < maxAge { return server }
            server.abandon()
        }
        return nil
    }

    /// Keeps a connection that has become idle; one too many is closed.
    package func give(_ server: ServerLeg, now: Int64) {
        guard server.isUsable, count < limit else { return server.socket.close() }
        server.pool = self
        count += 1
        let origin = server.route.origin
        if let shelf = shelf(of: origin) {
            return shelf.servers.append(Idle(server: server, since: now))
        }
        let shelf = Shelf(origin)
        shelf.servers.append(Idle(server: server, since: now))
        idle[origin] = shelf
    }

    private func shelf(of origin: Origin) -> Shelf? {
        if let last, last.origin == origin { return last }
        last = idle[origin]
        return last
    }

    /// Forgets a connection that was closed.
    func remove(_ server: ServerLeg) {
        guard let shelf = shelf(of: server.route.origin),
            let position = shelf.servers.firstIndex(where: { $0.server === server })
        else { return }
        shelf.servers.remove(at: position)
        server.pool = nil
        count -= 1
    }

    /// Closes those that are too old, and forgets servers to which none is left.
    package func closeStale(now: Int64) {
        last = nil
        for (origin, shelf) in idle {
            let servers = shelf.servers
            shelf.servers = servers.filter { now - $0.since < maxAge }
            count -= servers.count - shelf.servers.count
            if shelf.servers.isEmpty { idle[origin] = nil }
            for idle in servers where now - idle.since >= maxAge {
                idle.server.pool = nil
                idle.server.socket.close()
            }
        }
    }

    /// Closes all of them.
    package func closeAll() {
        let servers = idle.values.flatMap { $0.servers.map(\.server) }
        idle = [:]
        last = nil
        count = 0
        for server in servers {
            server.pool = nil
            server.socket.close()
        }
    }
}
