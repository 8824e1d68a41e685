// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineNet

/// The state that the connections from one address share.
package protocol ConnectionBudget: Sendable {
    /// Whether the share may be removed once the address has no connection.
    var isUnused: Bool { get }
}

/// Counts the connected clients, in total and for each address; shared by all threads.
///
/// **Isolation**: any thread; called once for each connection.
package final class ConnectionCount<Share: ConnectionBudget>: Sendable {
    /// The result for a client that has connected.
    package enum Entry {
        /// The client is admitted, with the share of its address.
        case admitted(Share)
        /// The maximum number of clients is reached.
        case full
        /// The maximum number of clients from its address is reached.
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
    ///   - limit: The maximum number of clients.
    ///   - clientLimit: The maximum number of clients from one address.
    ///   - makeShare: Makes the share of an address.
    package init(limit: Int, clientLimit: Int, makeShare: @escaping @Sendable () -> Share) {
        self.limit = limit
        self.clientLimit = clientLimit
        self.makeShare = makeShare
    }

    /// Counts a client that has connected, unless a limit is reached.
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

    /// Removes a counted client that has disconnected.
    package func leave(_ address: IPAddress) {
        counts.withLock { counts in
            counts.all -= 1
            guard var client = counts.byClient[address] else { return }
            client.connections -= 1
            counts.byClient[address] = client.isUnused ? nil : client
        }
    }

    /// Removes the addresses without connections whose shares are unused.
    package func sweep() {
        counts.withLock { counts in
            counts.byClient = counts.byClient.filter { !$0.value.isUnused }
        }
    }

    /// The number of known addresses.
    var addressCount: Int { counts.withLock { $0.byClient.count } }
}
