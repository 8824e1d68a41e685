// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplineNet
internal import TaplineTLS

/// Which programs reject the certificates of the authority, by the host that they connect to.
///
/// Their next connections to the host pass unread for a while, so a program that pins certificates,
/// or does not know the authority, works from then on. Programs are told apart by what their
/// ClientHello offers, and those of a network also by their address. If there are too many, the
/// oldest are forgotten.
///
/// **Isolation**: any thread.
package final class RejectedCertificateCache: Sendable {
    /// A program and a host, as far as a ClientHello tells.
    package struct Key: Hashable, Sendable {
        private let host: String
        private let client: IPAddress?
        private let fingerprint: [UInt16]
        private let protocols: [String]

        /// The program of a connection to a host.
        ///
        /// - Parameters:
        ///   - hello: Its first message.
        ///   - host: The host that counts if the message names none.
        ///   - client: The machine of the program; `nil` if all are on the same one.
        init(_ hello: ClientHello, to host: ByteString, from client: IPAddress?) {
            self.host = hello.serverName ?? "\(host)"
            self.client = client
            fingerprint = hello.fingerprint
            protocols = hello.applicationProtocols.filter { ["h2", "http/1.1"].contains($0) }
        }
    }

    private struct State {
        var trust: [Key: ClientTrustState] = [:]
        /// The keys in the order in which they were first remembered.
        var order: [Key] = []
        /// The position in `order` of the key to be forgotten next.
        var oldest = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Makes an empty memory.
    package init(limit: Int = 4096) { self.limit = max(limit, 1) }

    /// Notes that a program has rejected the certificate of a host, at a time on the loop's clock.
    package func note(_ key: Key, _ sign: ClientTrustState.Sign, at now: Int64) {
        change(key) { $0.rejected(sign, at: now) }
    }

    /// Notes that a program has sent a request after the handshake, so it trusts the certificate.
    package func noteTrust(_ key: Key) { change(key) { $0.requested() } }

    /// Returns whether the connections of a program to a host pass unread.
    package func passes(_ key: Key, at now: Int64) -> Bool {
        state.withLock { $0.trust[key]?.passes(at: now) == true }
    }

    private func change(_ key: Key, _ event: (inout ClientTrustState) -> Void) {
        state.withLock { state in
            if state.trust[key] == nil {
                if state.order.count < limit {
                    state.order.append(key)
                } else {
                    state.trust[state.order[state.oldest]] = nil
                    state.order[state.oldest] = key
                    state.oldest = (state.oldest + 1) % limit
                }
            }
            event(&state.trust[key, default: ClientTrustState()])
        }
    }
}
