// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineNet
internal import TaplinePlugin

/// Turns away the connections of users that `allow_users` does not name; asked once a connection.
///
/// What cannot be found out is refused. The log names a user at most once a minute.
///
/// **Isolation**: any thread.
final class PeerCheck: Sendable {
    private static let pause = Duration.seconds(60)
    /// How many owners are remembered as logged; more are logged together.
    private static let maxOwners = 64

    private struct Entry {
        var owner: PeerOwner?
        var time: ContinuousClock.Instant
    }

    private let users: Set<UInt32>
    private let owners: PeerOwners
    private let log: Log
    private let logged = Mutex<[Entry]>([])

    /// A check of these users; `nil` if all may connect.
    init?(_ users: Set<UInt32>?, _ owners: PeerOwners = PeerOwners(), log: Log) {
        guard let users else { return nil }
        self.users = users
        self.owners = owners
        self.log = log
    }

    /// Why a connection is refused; `nil` if it is not.
    func refusal(of connection: TCPConnection) -> String? {
        let owner = owners.owner(of: connection)
        if case .user(let user) = owner, users.contains(user) { return nil }
        if isDue(owner) {
            log.warning(
                "refused a connection from \(connection.peerText): \(Self.reason(owner))"
            )
        }
        return "'allow_users' does not name you"
    }

    private static func reason(_ owner: PeerOwner) -> String {
        switch owner {
        case .user(let user):
            "it is of user \(user), whom 'allow_users' does not name"
        case .nobody:
            "'allow_users' is set, and no process of this network namespace holds its other end"
        case .unknown:
            "'allow_users' is set, and the system does not tell whose it is"
        }
    }

    /// Whether an owner was not logged in the last minute.
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
