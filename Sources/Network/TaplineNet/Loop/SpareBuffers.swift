// SPDX-License-Identifier: MIT

/// Arrays that successive calls on a loop's thread borrow, to avoid allocations.
///
/// **Shape**: a borrower owns an array until it returns it. Forgetting to return it costs an
/// allocation.
struct SpareBuffers {
    /// How many arrays are kept; more are in use only if many connections write in one batch.
    private static let kept = 8
    /// The largest array that is kept: a few TLS records.
    private static let largest = 256 << 10

    private var spares: [[UInt8]] = []
    private var plaintext: [UInt8] = []

    /// Returns an empty array, usually with capacity.
    mutating func take() -> [UInt8] { spares.popLast() ?? [] }

    /// Takes an array back.
    ///
    /// The caller has to `consume` it, since an array with another reference cannot be reused.
    mutating func giveBack(_ buffer: consuming [UInt8]) {
        guard spares.count < Self.kept, (1...Self.largest).contains(buffer.capacity) else { return }
        buffer.removeAll(keepingCapacity: true)
        spares.append(buffer)
    }

    /// Returns an array with `count` elements of any value.
    mutating func takePlaintext(_ count: Int) -> [UInt8] {
        guard plaintext.count == count else { return [UInt8](repeating: 0, count: count) }
        let taken = plaintext
        plaintext = []
        return taken
    }

    /// Takes an array of `takePlaintext` back.
    mutating func giveBack(plaintext buffer: consuming [UInt8]) { plaintext = buffer }
}
