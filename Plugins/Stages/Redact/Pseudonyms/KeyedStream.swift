// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineModel

/// What a message under the key is for; the first byte of each, so that none serves twice.
enum Purpose: UInt8, Sendable {
    case digits = 1
    case letters, hex, base64, iban, date, card, word, mailbox, domain, address, token
}

/// Numbers that follow from a message under a key, as many as are asked for.
struct KeyedStream {
    private let key: HMACSHA256
    private let seed: Digest
    private var block: Digest
    private var position = 0
    private var counter: UInt64 = 0

    /// The first byte of the messages that the stream makes itself; no purpose has it.
    private static let mark: UInt8 = 0

    init(_ key: HMACSHA256, _ message: Span<UInt8>) {
        self.key = key
        seed = key.authenticate(message)
        block = seed
    }

    /// The stream of a value, for a purpose.
    ///
    /// Where a first try came to what it must not be, a further `attempt` comes to something else.
    init(_ key: HMACSHA256, _ purpose: Purpose, _ attempt: UInt8, _ value: Span<UInt8>) {
        var message: [UInt8] = [purpose.rawValue, attempt]
        message.append(copying: value)
        self.init(key, message.span)
    }

    /// A number from 0 up to `limit`, which is not 0; 32 bits of the stream, so that its bias
    /// stays below one in 2^24.
    mutating func next(below limit: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt64(nextWord()) * UInt64(limit)) >> 32)
    }

    /// The next 32 bits.
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
