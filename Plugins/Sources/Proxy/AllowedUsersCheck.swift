// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineNet
internal import TaplinePlugin

/// Refuses the connections of users that `allow_users` does not list.
///
/// Called once a connection.
///
/// A connection whose owner cannot be determined is refused. The log names a user at most once a
/// minute.
///
/// **Isolation**: any thread.
final class AllowedUsersCheck: Sendable {
    private static let pause = Duration.seconds(60)
    /// How many owners are remembered as logged; the others share one log message.
    private static let maxOwners = 64

    private struct Entry {
        var owner: PeerOwner?
        var time: ContinuousClock.Instant
    }

    private let users: Set<UInt32>
    private let owners: PeerOwners
    private let log: Log
    private let logged = Mutex<[Entry]>([])

    /// A check for these users; `nil` if all may connect.
    init?(_ users: Set<UInt32>?, _ owners: PeerOwners = PeerOwners(), log: Log) {
        guard let users else { return nil }
        self.users = users
        self.owners = owners
        self.log = log
    }

    /// Returns why a connection is refused; `nil` if it is not.
    func refusal(of connection: TCPConnection) -> String? {
        let owner = owners.owner(of: connection)
        if case .user(let user) = owner, users.contains(user) { return nil }
        if isDue(owner) {
            log.warning(
                "refused a connection from \(connection.peerText): \(Self.reason(owner))"
            )
        }
        return "'allow_users' does not list you"
    }

    private static func reason(_ owner: PeerOwner) -> String {
        switch owner {
        case .user(let user):
            "it belongs to user \(user), who is not listed in 'allow_users'"
        case .noProcess:
            "'allow_users' is set, and no process of this network namespace owns its other end"
        case .unknown:
            "'allow_users' is set, and the system does not report its owner"
        }
    }

    /// Returns whether an owner was not logged in the last minute.
    private func isDue(_ owner: PeerOwner) -> Bool {
        let now = ContinuousClock.now
        return logged.withLock { logged in
            logged.removeAll { now - $0.time >= Self.pause }
            if logged.contains(where: { $0.owner == owner || $0.owner == nil }) { return false }
            logged.append(Entry(owner: logged.count < Self.maxOwners ? owner : nil, time: now))
            return true
        }
    }
}
