// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineNet

/// What the connections from one address have in common.
package protocol ConnectionShare: Sendable {
    /// Whether it may be forgotten once the address has no connection.
    var isUnused: Bool { get }
}

/// Which clients are connected, how many in all and from each address; shared by all threads.
///
/// **Isolation**: any thread; it is asked once for a connection.
package final class ConnectionCount<Share: ConnectionShare>: Sendable {
    /// What becomes of a client that has connected.
    package enum Entry {
        /// It may stay, with the share of its address.
        case admitted(Share)
        /// As many clients are there as may be.
        case full
        /// As many are there from its address as may be.
        case clientFull
    }

    private struct Counts {
        var all = 0
        var byClient: [IPAddress: Client] = [:]
    }

    private struct Client {
        var connections = 0
        let share: Share

        var isUnused: Bool { connections == 0 && share.isUnused }
    }

    private let limit: Int
    private let clientLimit: Int
    private let makeShare: @Sendable () -> Share
    private let counts = Mutex(Counts())

    /// - Parameters:
    ///   - limit: How many clients may be connected.
    ///   - clientLimit: How many from one address.
    ///   - makeShare: Makes the share of an address.
    package init(limit: Int, clientLimit: Int, makeShare: @escaping @Sendable () -> Share) {
        self.limit = limit
        self.clientLimit = clientLimit
        self.makeShare = makeShare
    }

    /// Counts a client that has connected, unless it may not stay.
    package func enter(_ address: IPAddress) -> Entry {
        counts.withLock { counts in
            guard counts.all < limit else { return .full }
            var client = counts.byClient[address] ?? Client(share: makeShare())
            guard client.connections < clientLimit else { return .clientFull }
            counts.all += 1
            client.connections += 1
            counts.byClient[address] = client
            return .admitted(client.share)
        }
    }

    /// A client that was counted has gone.
    package func leave(_ address: IPAddress) {
        counts.withLock { counts in
            counts.all -= 1
            guard var client = counts.byClient[address] else { return }
            client.connections -= 1
            counts.byClient[address] = client.isUnused ? nil : client
        }
    }

    /// Forgets the addresses without connections whose shares are not used any more.
    package func sweep() {
        counts.withLock { counts in
            counts.byClient = counts.byClient.filter { !$0.value.isUnused }
        }
    }

    /// How many addresses are known.
    var addressCount: Int { counts.withLock { $0.byClient.count } }
}
