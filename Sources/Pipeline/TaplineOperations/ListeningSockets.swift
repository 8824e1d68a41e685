// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplinePlugin
internal import TaplineSystem

/// A listening socket, which closes when nobody refers to it.
package final class ListeningSocket: Sendable {
    /// The descriptor.
    package let descriptor: Int32

    /// Takes over an open descriptor.
    package init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = File(owning: descriptor, named: "socket") }
}

/// Listening sockets that outlive their sources: those that the system opened before the program
/// started, and those of a source that a reload may replace.
///
/// A socket stays open from one source to the next, so no client is refused.
///
/// **Isolation**: any thread.
package final class ListeningSockets: Sendable {
    private struct Entry {
        let owner: ObjectIdentifier?
        let sockets: [ListeningSocket]
    }

    /// The entries of each address; the newest is last.
    private let entries = Mutex<[String: [Entry]]>([:])
    /// The sources that have taken the sockets of each address, without those that have ended: the
    /// identity of an object is used again after it is freed.
    private let users = Mutex<[String: Set<ObjectIdentifier>]>([:])

    /// Creates a registry without sockets.
    package init() {}

    /// Adds sockets, which are taken in place of earlier ones at the same address until they are
    /// removed.
    ///
    /// - Parameters:
    ///   - descriptors: Listening sockets, which the registry then owns.
    ///   - address: The address as it is configured, such as `127.0.0.1:8080`.
    ///   - owner: Who removes them; `nil` if they stay as long as the registry.
    package func add(
        _ descriptors: [Int32],
        for address: String,
        owner: AnyObject? = nil
    ) {
        let sockets = descriptors.map { ListeningSocket(owning: $0) }
        let entry = Entry(owner: owner.map { ObjectIdentifier($0) }, sockets: sockets)
        entries.withLock { $0[address, default: []].append(entry) }
    }

    /// Returns the sockets at an address, to be duplicated by a source; empty if there are none.
    package func take(_ address: String, by user: AnyObject) -> [ListeningSocket] {
        let sockets = entries.withLock { $0[address]?.last?.sockets } ?? []
        if !sockets.isEmpty {
            users.withLock { _ = $0[address, default: []].insert(ObjectIdentifier(user)) }
        }
        return sockets
    }

    /// The addresses of sockets without an owner that no source has ever taken, in order.
    package var unused: [String] {
        let users = users.withLock { $0 }
        return entries.withLock { entries in
            entries.filter { address, entries in
                users[address] == nil && entries.contains { $0.owner == nil }
            }
        }.keys.sorted()
    }

    /// Removes the sockets without an owner that sources have taken, but none of these sources.
    ///
    /// Clients of an address are then refused once the last source has ended that listened there.
    /// Other sources count as ended.
    package func removeTaken(exceptBy current: [AnyObject]) {
        let current = Set(current.map { ObjectIdentifier($0) })
        let unused = users.withLock { users in
            let unused = users.filter { current.isDisjoint(with: $0.value) }.keys
            users = users.compactMapValues { sources in
                let left = sources.intersection(current)
                return left.isEmpty ? nil : left
            }
            return unused
        }
        // Closed outside the lock.
        let removed = entries.withLock { entries in
            unused.flatMap { address in
                let removed = entries[address]?.filter { $0.owner == nil } ?? []
                entries[address]?.removeAll { $0.owner == nil }
                if entries[address]?.isEmpty == true { entries[address] = nil }
                return removed
            }
        }
        withExtendedLifetime(removed) {}
    }

    /// Removes the sockets that an owner has added.
    package func remove(of owner: AnyObject) {
        let owner = ObjectIdentifier(owner)
        // Closed outside the lock.
        let removed = entries.withLock { entries in
            let removed = entries.values.flatMap { $0.filter { $0.owner == owner } }
            for address in entries.keys {
                entries[address]?.removeAll { $0.owner == owner }
                if entries[address]?.isEmpty == true { entries[address] = nil }
            }
            return removed
        }
        withExtendedLifetime(removed) {}
    }
}

/// An intake whose source may take over listening sockets and hand over its own.
package protocol ListeningIntake: Intake {
    /// Returns the sockets that already listen at an address, to be duplicated.
    func sockets(at address: String) -> [ListeningSocket]

    /// Keeps duplicates of the source's sockets for a source that replaces it.
    func keep(_ descriptors: [Int32], at address: String)

    /// Whether another source listens in place of this one, which is cancelled: its connections
    /// should end after their next exchange.
    var hasSuccessor: Bool { get }
}
