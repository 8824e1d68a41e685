// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineNet

/// The idle connections to servers of one worker.
///
/// **Shape**: the connection that became idle last is used first, so that others can age out.
final class ServerPool {
    private var idle: [Origin: [ServerConnection]] = [:]
    private var count = 0
    private let limit: Int
    private let maxAge: Int64

    init(limit: Int, maxAge: Microseconds) {
        self.limit = limit
        self.maxAge = maxAge.count
    }

    /// An idle connection to a server.
    func take(_ origin: Origin, now: Int64) -> ServerConnection? {
        while let server = idle[origin]?.popLast() {
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
        idle[server.origin, default: []].append(server)
        count += 1
    }

    /// Forgets a connection that was closed.
    func remove(_ server: ServerConnection) {
        guard let position = idle[server.origin]?.firstIndex(where: { $0 === server }) else {
            return
        }
        idle[server.origin]?.remove(at: position)
        server.pool = nil
        count -= 1
        if idle[server.origin]?.isEmpty == true { idle[server.origin] = nil }
    }

    /// Closes those that are too old.
    func closeStale(now: Int64) {
        for (origin, servers) in idle {
            let fresh = servers.filter { now - $0.idleSince < maxAge }
            guard fresh.count < servers.count else { continue }
            count -= servers.count - fresh.count
            idle[origin] = fresh.isEmpty ? nil : fresh
            for server in servers where now - server.idleSince >= maxAge {
                server.pool = nil
                server.socket.close()
            }
        }
    }

    /// Closes all of them.
    func closeAll() {
        let servers = idle.values.joined()
        idle = [:]
        count = 0
        for server in servers {
            server.pool = nil
            server.socket.close()
        }
    }
}
