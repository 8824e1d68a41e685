// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineNet
internal import TaplinePlugin

/// The attempts of programs in a namespace to use HTTP/3, which are refused.
///
/// **Limits**: the first attempt with each of 1,024 servers is recorded; all are counted.
/// **Isolation**: any thread.
final class RefusedHTTP3: Sendable {
    private static let recordedServers = 1024

    private let count = Atomic<Int>(0)
    private let servers = Mutex<Set<IPAddress>>([])
    private let isFull = Atomic<Bool>(false)

    /// Counts a datagram, and logs the first one that is not recorded for lack of room.
    ///
    /// - Parameters:
    ///   - server: The address that it was sent to.
    ///   - log: The log of the source.
    /// - Returns: Whether it is recorded, as the first one to its server.
    func note(_ server: IPAddress, _ log: Log) -> Bool {
        count.add(1, ordering: .relaxed)
        let isRecorded = servers.withLock { servers -> Bool? in
            if servers.contains(server) { return false }
            return servers.count < Self.recordedServers ? servers.insert(server).inserted : nil
        }
        if let isRecorded { return isRecorded }
        if !isFull.exchange(true, ordering: .relaxed) {
            log.warning(
                "programs have tried HTTP/3 with more than \(Self.recordedServers) servers; attempts "
                    + "with further ones are counted and not recorded"
            )
        }
        return false
    }

    /// The counter of the component.
    var metrics: [Metric] {
        [Metric("refused datagrams", of: "HTTP/3", count: count.load(ordering: .relaxed))]
    }
}
