// SPDX-License-Identifier: MIT

/// Finds for each session of one recording the session of another one that repeats it.
///
/// Sessions belong together if they have, in this order of preference, the same identity, equal
/// first requests, an equal first request, first requests to the same routes, or else the same
/// position among the sessions that remain. Several sessions with the same answer are paired in
/// their order.
struct SessionAlignment {
    /// How many requests describe a session.
    private static let described = 4

    /// The requests of a session, by position.
    private struct Session {
        let identity: Int
        var requests: [Int] = []
    }

    /// The requests of each pair of sessions, by position, in order.
    private(set) var pairs: [(recorded: [Int], found: [Int])] = []

    init(
        _ recorded: [RequestKey],
        _ found: [RequestKey],
        by exactKey: (RequestKey) -> Int
    ) {
        var left = Self.sessions(recorded)
        var right = Self.sessions(found)
        func match(_ key: (Session, [RequestKey]) -> Int) {
            var waiting: [Int: [Session]] = [:]
            for session in right.reversed() {
                waiting[key(session, found), default: []].append(session)
            }
            var taken: Set<Int> = []
            left.removeAll { session in
                guard let partner = waiting[key(session, recorded)]?.popLast() else { return false }
                taken.insert(partner.identity)
                pairs.append((session.requests, partner.requests))
                return true
            }
            right.removeAll { taken.contains($0.identity) }
        }
        match { session, _ in session.identity }
        match { session, keys in
            Self.hash(session.requests.prefix(Self.described).map { exactKey(keys[$0]) })
        }
        match { session, keys in Self.hash(session.requests.prefix(1).map { exactKey(keys[$0]) }) }
        match { session, keys in
            Self.hash(session.requests.prefix(Self.described).map { keys[$0].route })
        }
        match { _, _ in 0 }
    }

    private static func hash(_ keys: [Int]) -> Int {
        var hasher = Hasher()
        for key in keys { hasher.combine(key) }
        return hasher.finalize()
    }

    /// Returns the sessions in the order of their first requests.
    private static func sessions(_ keys: [RequestKey]) -> [Session] {
        var sessions: [Session] = []
        var numbers: [Int: Int] = [:]
        for (position, key) in keys.enumerated() {
            let number = numbers[key.session] ?? sessions.count
            if number == sessions.count {
                numbers[key.session] = number
                sessions.append(Session(identity: key.session))
            }
            sessions[number].requests.append(position)
        }
        return sessions
    }
}
