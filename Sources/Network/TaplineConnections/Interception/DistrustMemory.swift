// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplineTLS

/// The programs that have rejected a certificate of the authority, by the host that they connected
/// to.
///
/// Their next connection to the host passes unread, so a program that pins certificates, or does
/// not know the authority, works from its second attempt on. Programs are told apart by what their
/// ClientHello offers.
///
/// **Isolation**: any thread.
package final class DistrustMemory: Sendable {
    /// A program and a host, as far as a ClientHello tells.
    package struct Key: Hashable, Sendable {
        private let host: String
        private let versions: [UInt16]
        private let protocols: [String]

        /// The client of a connection to a host, which counts if the client names none.
        init(_ hello: ClientHello, to host: ByteString) {
            self.host = hello.serverName ?? "\(host)"
            // Without the values of GREASE, which change with each connection (RFC 8701 §2).
            versions = hello.versions.filter { $0 & 0x0F0F != 0x0A0A }
            protocols = hello.applicationProtocols.filter { ["h2", "http/1.1"].contains($0) }
        }
    }

    private let limit: Int
    private let keys = Mutex<Set<Key>>([])

    /// Makes an empty memory.
    package init(limit: Int = 4096) { self.limit = limit }

    /// Remembers that a client has rejected the certificate of a host.
    package func note(_ key: Key) {
        keys.withLock { keys in
            if keys.count >= limit { keys.removeAll() }
            keys.insert(key)
        }
    }

    /// Returns whether a client like this one has rejected the certificate of the host.
    package func contains(_ key: Key) -> Bool { keys.withLock { $0.contains(key) } }
}
