// SPDX-License-Identifier: MIT

/// Arrays that one call after the other on a loop's thread borrows, so that none allocates.
///
/// **Shape**: whoever takes one owns it until it is given back; who forgets to costs an allocation.
struct SpareBuffers {
    /// What is kept; more are in use at a time only where many connections write in one batch.
    private static let kept = 8
    /// The largest that is kept: a few records of TLS.
    private static let largest = 256 << 10

    private var spares: [[UInt8]] = []
    private var plaintext: [UInt8] = []

    /// An empty array, with capacity as a rule.
    mutating func take() -> [UInt8] { spares.popLast() ?? [] }

    /// Takes an array back, which the caller has to `consume`: what somebody else holds too is no
    /// longer an array that can be used again.
    mutating func giveBack(_ buffer: consuming [UInt8]) {
        guard spares.count < Self.kept, (1...Self.largest).contains(buffer.capacity) else { return }
        buffer.removeAll(keepingCapacity: true)
        spares.append(buffer)
    }

    /// An array with that many elements, of any values.
    mutating func takePlaintext(_ count: Int) -> [UInt8] {
        guard plaintext.count == count else { return [UInt8](repeating: 0, count: count) }
        let taken = plaintext
        plaintext = []
        return taken
    }

    /// Takes such an array back.
    mutating func giveBack(plaintext buffer: consuming [UInt8]) { plaintext = buffer }
}
