// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineModel
internal import TaplineNet

/// The idle connections to servers of one worker.
///
/// **Shape**: the connection that became idle last is used first, so that others can age out.
final class ServerPool {
    /// The idle connections to one server, the last one first to go.
    ///
    /// A class, since an array would be taken out of the dictionary and put back at each use.
    private final class Shelf {
        let origin: Origin
        var servers: [ServerConnection] = []

        init(_ origin: Origin) { self.origin = origin }
    }

    private var idle: [Origin: Shelf] = [:]
    /// The shelf that was asked for last: most exchanges ask for the same one once more.
    private var last: Shelf?
    private var count = 0
    private let limit: Int
    private let maxAge: Int64

    init(limit: Int, maxAge: Microseconds) {
        self.limit = limit
        self.maxAge = maxAge.count
    }

    /// An idle connection to a server.
    func take(_ origin: Origin, now: Int64) -> ServerConnection? {
        guard let shelf = shelf(of: origin) else { return nil }
        while let server = shelf.servers.popLast() {
            count -= 1
            server.pool = nil
            if server.isUsable, now - server.idleSince < maxAge { return server }
            server.abandon()
        }
        return nil
    }

    /// Keeps a connection that has become idle; one too many is closed.
    func give(_ server: ServerConnection, now: Int64) {
        guard server.isUsable, count < limit else { return server.socket.close() }
        server.pool = self
        server.idleSince = now
        count += 1
        if let shelf = shelf(of: server.origin) { return shelf.servers.append(server) }
        let shelf = Shelf(server.origin)
        shelf.servers.append(server)
        idle[server.origin] = shelf
    }

    private func shelf(of origin: Origin) -> Shelf? {
        if let last, last.origin == origin { return last }
        last = idle[origin]
        return last
    }

    /// Forgets a connection that was closed.
    func remove(_ server: ServerConnection) {
        guard let shelf = shelf(of: server.origin),
            let position = shelf.servers.firstIndex(where: { $0 === server })
        else { return }
        shelf.servers.remove(at: position)
        server.pool = nil
        count -= 1
    }

    /// Closes those that are too old, and forgets servers to which none is left.
    func closeStale(now: Int64) {
        last = nil
        for (origin, shelf) in idle {
            let servers = shelf.servers
            shelf.servers = servers.filter { now - $0.idleSince < maxAge }
            count -= servers.count - shelf.servers.count
            if shelf.servers.isEmpty { idle[origin] = nil }
            for server in servers where now - server.idleSince >= maxAge {
                server.pool = nil
                server.socket.close()
            }
        }
    }

    /// Closes all of them.
    func closeAll() {
        let servers = idle.values.flatMap(\.servers)
        idle = [:]
        last = nil
        count = 0
        for server in servers {
            server.pool = nil
            server.socket.close()
        }
    }
}
