// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineModel

/// The purpose of a message under the key: the first byte of each message, so that no message is
/// reused.
enum Purpose: UInt8, Sendable {
    case digits = 1
    case letters, hex, base64, iban, date, card, word, mailbox, domain, address, token
}

/// A stream of numbers derived from a message under a key, of any length.
struct KeyedStream {
    private let key: HMACSHA256
    private let seed: Digest
    private var block: Digest
    private var position = 0
    private var counter: UInt64 = 0

    /// The first byte of the messages that the stream itself creates; no purpose uses it.
    private static let mark: UInt8 = 0

    init(_ key: HMACSHA256, _ message: Span<UInt8>) {
        self.key = key
        seed = key.authenticate(message)
        block = seed
    }

    /// Creates the stream of a value for a purpose.
    ///
    /// If the result of one `attempt` is not allowed, the next one gives a different result.
    init(_ key: HMACSHA256, _ purpose: Purpose, _ attempt: UInt8, _ value: Span<UInt8>) {
        var message: [UInt8] = [purpose.rawValue, attempt]
        message.append(copying: value)
        self.init(key, message.span)
    }

    /// Returns a number from 0 up to, but not including, `limit`, which is not 0; it uses 32 bits
    /// of the stream, so that its bias stays below one in 2^24.
    mutating func next(below limit: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt64(nextWord()) * UInt64(limit)) >> 32)
    }

    /// Returns the next 32 bits.
    mutating func nextWord() -> UInt32 {
        if position == 8 {
            counter += 1
            var message: [UInt8] = [Self.mark]
            for shift in stride(from: 56, through: 0, by: -8) {
                message.append(UInt8(truncatingIfNeeded: counter >> UInt64(shift)))
            }
            seed.append(to: &message)
            block = key.authenticate(message.span)
            position = 0
        }
        let pair =
            switch position >> 1 {
            case 0: block.word0
            case 1: block.word1
            case 2: block.word2
            default: block.word3
            }
        let word = UInt32(truncatingIfNeeded: position & 1 == 0 ? pair >> 32 : pair)
        position += 1
        return word
    }
}
