// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineNet

/// Which clients are connected, how many in all and from each address; shared by all threads.
///
/// **Isolation**: any thread; it is asked once for a connection.
final class ConnectionCount: Sendable {
    /// What becomes of a client that has connected.
    enum Entry {
        /// It may stay, with the share of its address.
        case admitted(ClientShare)
        /// `max_connections` are there.
        case full
        /// `max_connections_per_client` are there from its address.
        case clientFull
    }

    private struct Counts {
        var all = 0
        var byClient: [IPAddress: Client] = [:]
    }

    private struct Client {
        var connections = 0
        let share: ClientShare

        var isUnused: Bool { connections == 0 && share.isUnused }
    }

    private let limit: Int
    private let clientLimit: Int
    private let captureLimit: Int
    private let counts = Mutex(Counts())

    /// - Parameters:
    ///   - limit: How many clients may be connected.
    ///   - clientLimit: How many from one address.
    ///   - captureLimit: How many bytes may be kept of the exchanges of one address.
    init(limit: Int, clientLimit: Int, captureLimit: Int) {
        self.limit = limit
        self.clientLimit = clientLimit
        self.captureLimit = captureLimit
    }

    /// Counts a client that has connected, unless it may not stay.
    func enter(_ address: IPAddress) -> Entry {
        counts.withLock { counts in
            guard counts.all < limit else { return .full }
            var client =
                counts.byClient[address] ?? Client(share: ClientShare(limit: captureLimit))
            guard client.connections < clientLimit else { return .clientFull }
            counts.all += 1
            client.connections += 1
            counts.byClient[address] = client
            return .admitted(client.share)
        }
    }

    /// A client that was counted has gone.
    func leave(_ address: IPAddress) {
        counts.withLock { counts in
            counts.all -= 1
            guard var client = counts.byClient[address] else { return }
            client.connections -= 1
            counts.byClient[address] = client.isUnused ? nil : client
        }
    }

    /// Forgets the addresses without connections whose last exchanges are sealed by now.
    func sweep() {
        counts.withLock { counts in
            counts.byClient = counts.byClient.filter { !$0.value.isUnused }
        }
    }
}
