// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineCrypto
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineSystem

/// Makes the exchanges of a worker, with unpredictable random numbers.
///
/// **Isolation**: the worker's thread.
final class ExchangeMaker {
    private let random = SecureRandom()
    /// The initial value of an exchange; copying it is faster than making a new one.
    private let blank: Exchange

    init(source: String) {
        let none = ByteString()
        blank = Exchange(
            id: ExchangeID(high: 0, low: 0),
            source: source,
            request: Request(method: none, target: none, scheme: none, version: none)
        )
    }

    /// Returns an exchange that began `passed` microseconds ago and has no request yet.
    func make(begunBefore passed: Int64 = 0) -> Exchange {
        var exchange = blank
        exchange.started = Timestamp(microseconds: WallClock.microseconds - passed)
        exchange.id = ExchangeID(
            started: exchange.started,
            random: random.next(),
            random.next()
        )
        return exchange
    }

    /// Returns a key for the handshake of a WebSocket (RFC 6455 §4.1).
    func makeWebSocketKey() -> ByteString {
        var nonce: [UInt8] = []
        for word in [random.next(), random.next()] {
            for shift in stride(from: 0, to: 64, by: 8) {
                nonce.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return WebSocketHandshake.key(nonce.span)
    }

    /// Returns a mask for a frame to a server (RFC 6455 §10.3).
    func makeMask() -> WebSocketMask {
        WebSocketMask(key: UInt32(truncatingIfNeeded: random.next()))
    }
}
