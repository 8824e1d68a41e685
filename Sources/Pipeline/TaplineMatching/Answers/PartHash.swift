// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A hash of bytes, of which decoded texts need not be stored.
///
/// Equal parts have equal hashes in one process and in another one, so that an index can be built
/// on several threads. With a million recordings, two of them share a hash in one of 10⁷ cases.
///
/// **Source**: FNV-1a, and the finalizer of MurmurHash3, which spreads the bits.
struct PartHash {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The hash of what was added so far.
    var value: UInt64 { PartHash.mixed(state) }

    mutating func add(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }

    mutating func add(_ bytes: Span<UInt8>) {
        for index in bytes.indices { add(bytes[index]) }
    }

    /// Adds a value that no byte is equal to.
    mutating func add(number: UInt64) {
        state = PartHash.mixed(state ^ (number &* 0x9E37_79B9_7F4A_7C15)) &+ 1
    }

    /// Adds percent-encoded bytes, decoded.
    mutating func add(decoding bytes: Span<UInt8>, plusIsSpace: Bool) {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if let decoded = bytes.percentDecoded(at: index) {
                add(decoded)
                index += 3
            } else {
                add(plusIsSpace && byte == .ascii("+") ? .ascii(" ") : byte)
                index += 1
            }
        }
    }

    /// The hash of several hashes, in order.
    static func of(_ numbers: UInt64...) -> UInt64 {
        var hash = PartHash()
        for number in numbers { hash.add(number: number) }
        return hash.value
    }

    /// The hash of an encoded name or value of a query or a form.
    static func ofItem(_ bytes: Span<UInt8>) -> UInt64 {
        var hash = PartHash()
        hash.add(decoding: bytes, plusIsSpace: true)
        return hash.value
    }

    private static func mixed(_ number: UInt64) -> UInt64 {
        var number = number
        number = (number ^ (number &>> 33)) &* 0xFF51_AFD7_ED55_8CCD
        number = (number ^ (number &>> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return number ^ (number &>> 33)
    }
}

extension Span<UInt8> {
    /// The byte that an escape such as `%2F` stands for; `nil` if there is none at the position.
    func percentDecoded(at index: Int) -> UInt8? {
        guard self[index] == .ascii("%"), index + 2 < count, let high = self[index + 1].hexDigit,
            let low = self[index + 2].hexDigit
        else { return nil }
        return high << 4 | low
    }
}
