// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineNet

/// How many clients are connected, in all and from each address; shared by all threads.
///
/// **Isolation**: any thread; it is asked once for a connection.
final class ConnectionCount: Sendable {
    /// Why a client is turned away.
    enum Refusal: Equatable {
        /// `max_connections` are there.
        case full
        /// `max_connections_per_client` are there from its address.
        case clientFull
    }

    private struct Counts {
        var all = 0
        var byClient: [IPAddress: Int] = [:]
    }

    private let limit: Int
    private let clientLimit: Int
    private let counts = Mutex(Counts())

    init(limit: Int, clientLimit: Int) {
        self.limit = limit
        self.clientLimit = clientLimit
    }

    /// Counts a client that has connected, or says why it may not stay.
    func enter(_ client: IPAddress) -> Refusal? {
        counts.withLock { counts in
            guard counts.all < limit else { return .full }
            let mine = counts.byClient[client, default: 0]
            guard mine < clientLimit else { return .clientFull }
            counts.all += 1
            counts.byClient[client] = mine + 1
            return nil
        }
    }

    /// A client that was counted has gone.
    func leave(_ client: IPAddress) {
        counts.withLock { counts in
            counts.all -= 1
            let mine = counts.byClient[client, default: 1] - 1
            counts.byClient[client] = mine > 0 ? mine : nil
        }
    }
}
