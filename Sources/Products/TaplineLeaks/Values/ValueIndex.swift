// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds any number of values, in all their forms, in one pass over bytes.
///
/// Four bytes of each form are its key. The search keeps the last four bytes in a register, tests
/// in a bit table whether they may be a key, and compares the form only then. It does not use the
/// pattern library, because that is not always linked and values are known only at run time.
///
/// **Isolation.** Immutable; any thread may use it.
final class ValueIndex: Sendable {
    /// One form of a value.
    private struct Needle: Sendable {
        let form: ValueForm
        let value: Int
        /// The number of bytes of the form before the end of its key.
        let keyEnd: Int
    }

    /// The number of bytes of a key; no form is shorter.
    static let keyBytes = 4

    private let needles: [Needle]
    private let shift: UInt32
    /// One bit for each hash of a key.
    private let filter: [UInt64]
    /// The first needle of each hash, and the next one for each needle; -1 if there is none.
    private let heads: [Int32]
    private let nexts: [Int32]
    /// The length of the longest form.
    let maxFormBytes: Int
    /// The names of the values.
    let names: [String]

    /// Makes an index of values.
    init(_ values: [LeakValue]) {
        var needles: [Needle] = []
        for (number, value) in values.enumerated() {
            for form in ValueForm.all(of: value.bytes) {
                let keyEnd = Self.bestKey(form.bytes) + Self.keyBytes
                needles.append(Needle(form: form, value: number, keyEnd: keyEnd))
            }
        }
        var bits = 14
        while bits < 22, needles.count * 64 > 1 << bits { bits += 1 }
        shift = UInt32(32 - bits)
        var filter = [UInt64](repeating: 0, count: 1 << (bits - 6))
        var heads = [Int32](repeating: -1, count: needles.isEmpty ? 0 : 1 << bits)
        var nexts: [Int32] = []
        for (number, needle) in needles.enumerated() {
            var key: UInt32 = 0
            for byte in needle.form.bytes[(needle.keyEnd - Self.keyBytes)..<needle.keyEnd] {
                key = key << 8 | UInt32(byte | 0x20)
            }
            let slot = Self.slot(key, UInt32(32 - bits))
            filter[slot >> 6] |= 1 << UInt64(slot & 63)
            nexts.append(heads[slot])
            heads[slot] = Int32(clamping: number)
        }
        self.needles = needles
        self.filter = filter
        self.heads = heads
        self.nexts = nexts
        maxFormBytes = needles.map(\.form.bytes.count).max() ?? 0
        names = values.map(\.name)
    }

    var isEmpty: Bool { needles.isEmpty }

    /// Returns the start of the four most varied bytes; a key such as `////` would match
    /// everywhere.
    private static func bestKey(_ bytes: [UInt8]) -> Int {
        var best = (start: 0, distinct: 0)
        for start in 0...(bytes.count - keyBytes) {
            let key = bytes[start..<start + keyBytes].map { $0 | 0x20 }
            let distinct = Set(key).subtracting([0x20]).count
            if distinct > best.distinct { best = (start, distinct) }
            if distinct == keyBytes { break }
        }
        return best.start
    }

    @inline(__always)
    private static func slot(_ key: UInt32, _ shift: UInt32) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B1) &>> shift)
    }

    /// Searches for all values.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to search.
    ///   - found: Receives the range of each match, the number of its value and its coding, in the
    ///     order of the keys' positions.
    func search(
        _ bytes: Span<UInt8>,
        _ found: (Range<Int>, _ value: Int, ValueForm.Coding) -> Void
    ) {
        guard !needles.isEmpty else { return }
        let filter = filter
        let shift = shift
        var key: UInt32 = 0
        for index in bytes.indices {
            key = key &<< 8 | UInt32(bytes[index] | 0x20)
            let slot = Self.slot(key, shift)
            if filter[slot &>> 6] &>> UInt64(truncatingIfNeeded: slot & 63) & 1 != 0 {
                compare(bytes, at: index, heads[slot], found)
            }
        }
    }

    /// Compares the needles of one hash.
    private func compare(
        _ bytes: Span<UInt8>,
        at index: Int,
        _ head: Int32,
        _ found: (Range<Int>, _ value: Int, ValueForm.Coding) -> Void
    ) {
        var number = head
        while number >= 0 {
            let needle = needles[Int(number)]
            let start = index + 1 - needle.keyEnd
            if matches(bytes, needle.form, at: start) {
                found(start..<start + needle.form.bytes.count, needle.value, needle.form.coding)
            }
            number = nexts[Int(number)]
        }
    }

    private func matches(_ bytes: Span<UInt8>, _ form: ValueForm, at start: Int) -> Bool {
        let end = start + form.bytes.count
        guard start >= 0, end <= bytes.count else { return false }
        let part = bytes.extracting(start..<end)
        guard
            form.ignoresCase
                ? part.equalsIgnoringCase(form.bytes.span) : part.equals(form.bytes.span)
        else { return false }
        if let before = form.before {
            guard start > 0, before.matches(bytes[start - 1]) else { return false }
        }
        if let after = form.after {
            guard end < bytes.count, after.matches(bytes[end]) else { return false }
        }
        return true
    }
}
