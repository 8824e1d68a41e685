// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineCrypto
internal import TaplineHTTP
internal import TaplineModel

/// Makes exchanges with new ids.
///
/// **Isolation**: the loop's thread.
final class ReplayIDs {
    private let random = SecureRandom()
    private let source: String

    init(source: String) { self.source = source }

    /// Returns a mask for a frame to a server (RFC 6455 §10.3).
    func makeMask() -> WebSocketMask {
        WebSocketMask(key: UInt32(truncatingIfNeeded: random.next()))
    }

    /// Returns random bytes for the key of a handshake (RFC 6455 §4.1).
    func makeNonce() -> [UInt8] { random.bytes(count: WebSocketHandshake.nonceSize) }

    /// Returns an exchange that begins at a time.
    func make(at started: Timestamp) -> Exchange {
        Exchange(
            id: ExchangeID(started: started, random: random.next(), random.next()),
            source: source,
            started: started
        )
    }
}
