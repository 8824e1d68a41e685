// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineNet

/// Which connections a server keeps: a bounded number, and fewer of each client.
///
/// ```
/// accepting ──▶ full ──▶ accepting …
/// ```
/// A connection that comes when there are too many takes the place of the one that has been waiting
/// longest for a request, once that one has had `grace` for it. The server is full while there is no
/// such connection, and accepts no others meanwhile. A connection whose request is answered is never
/// closed for another one.
///
/// **Shape**: events in, actions out; no sockets, no clock.
struct ConnectionLimitStateMachine: ~Copyable {
    /// A connection.
    typealias ID = UInt64

    /// What has to be done after an event.
    enum Action: Hashable {
        case none
        /// Close the new connection.
        case refuse
        /// Close a connection at once, and accept others.
        case close(ID)
        /// Accept no connections; after a time, if there is one, call `timeIsUp`.
        case pause(lookAfter: Microseconds?)
        /// Accept connections again.
        case resume
    }

    private enum State {
        case accepting
        /// There is one connection too many.
        case full
    }

    private enum Connection {
        /// It waits for a request, or for the rest of one, since a time of the clock.
        case waiting(since: Int64)
        /// Its request is being answered.
        case answering
        /// It is being closed, and no longer counts.
        case closing
    }

    private let limit: Int
    private let clientLimit: Int
    private let grace: Microseconds
    private var state = State.accepting
    private var connections: [ID: (client: IPAddress?, connection: Connection)] = [:]
    private var clients: [IPAddress?: Int] = [:]
    /// The number of connections that count.
    private var count = 0

    /// - Parameters:
    ///   - limit: The maximum number of connections.
    ///   - clientLimit: The maximum number of one client.
    ///   - grace: How long a connection may wait before it has to make room.
    init(limit: Int, ofClient clientLimit: Int, grace: Microseconds) {
        self.limit = max(limit, 1)
        self.clientLimit = clientLimit
        self.grace = grace
    }

    /// A client has connected.
    mutating func opened(_ id: ID, by client: IPAddress?, now: Int64) -> Action {
        let known = clients[client] ?? 0
        guard known < clientLimit else { return .refuse }
        clients[client] = known + 1
        connections[id] = (client, .waiting(since: now))
        count += 1
        return makeRoom(now)
    }

    /// A connection has begun to wait for its client.
    mutating func waits(_ id: ID, now: Int64) -> Action {
        guard case .answering? = connections[id]?.connection else { return .none }
        connections[id]?.connection = .waiting(since: now)
        return makeRoom(now)
    }

    /// The client of a connection has sent a request.
    mutating func answers(_ id: ID) {
        guard case .waiting? = connections[id]?.connection else { return }
        connections[id]?.connection = .answering
    }

    /// A connection has closed.
    mutating func closed(_ id: ID, now: Int64) -> Action {
        guard let (client, connection) = connections.removeValue(forKey: id) else { return .none }
        let rest = (clients[client] ?? 1) - 1
        clients[client] = rest > 0 ? rest : nil
        if case .closing = connection {} else { count -= 1 }
        return makeRoom(now)
    }

    /// The time of `pause` is over.
    mutating func timeIsUp(now: Int64) -> Action { makeRoom(now) }

    /// Closes the connection that has waited longest if there is one too many.
    private mutating func makeRoom(_ now: Int64) -> Action {
        guard count > limit else {
            guard case .full = state else { return .none }
            state = .accepting
            return .resume
        }
        state = .full
        var first: (id: ID, since: Int64)?
        for (id, entry) in connections {
            guard case .waiting(let since) = entry.connection else { continue }
            if let first, (first.since, first.id) < (since, id) { continue }
            first = (id, since)
        }
        guard let first else { return .pause(lookAfter: nil) }
        let left = first.since &+ grace.count &- now
        guard left <= 0 else { return .pause(lookAfter: Microseconds(left)) }
        connections[first.id]?.connection = .closing
        count -= 1
        state = .accepting
        return .close(first.id)
    }
}
