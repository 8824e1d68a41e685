// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds any number of values, in all their forms, in one pass over bytes.
///
/// A window of each form ends in four bytes that are its key. The search looks up four bytes at a
/// time, skips as many bytes as no window can end in, and compares a form only at its key. It does
/// not use the pattern library, because that is not always linked and values are known only at run
/// time.
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
    static let keyBytes = GramTable.gramBytes

    private let needles: [Needle]
    /// The length of the window in each form.
    private let windowBytes: Int
    private let table: GramTable
    /// The first needle of each slot, and the next one for each needle; -1 if there is none.
    private let heads: [Int32]
    private let nexts: [Int32]
    /// The length of the longest form.
    let maxFormBytes: Int
    /// Whether a number may have a form in its text.
    let mayBeNumber: Bool
    /// The names of the values.
    let names: [String]

    /// Makes an index of values.
    init(_ values: [LeakValue]) {
        let forms = values.enumerated().flatMap { number, value in
            ValueForm.all(of: value.bytes).map { (value: number, form: $0) }
        }
        let shortest = forms.map(\.form.bytes.count).min() ?? Self.keyBytes
        let length = min(shortest, GramTable.maxWindowBytes)
        let needles = forms.map { value, form in
            Needle(form: form, value: value, keyEnd: Self.bestEnd(form.bytes, length))
        }
        var bits = 14
        while bits < 22, needles.count * 64 > 1 << bits { bits += 1 }
        let table = GramTable(
            windows: needles.map { $0.form.bytes[$0.keyEnd - length..<$0.keyEnd] },
            bits: bits
        )
        var heads = [Int32](repeating: -1, count: needles.isEmpty ? 0 : table.slotCount)
        var nexts: [Int32] = []
        for (number, needle) in needles.enumerated() {
            let slot = table.slot(needle.form.bytes.span, endingAt: needle.keyEnd - 1)
            nexts.append(heads[slot])
            heads[slot] = Int32(clamping: number)
        }
        self.needles = needles
        windowBytes = length
        self.table = table
        self.heads = heads
        self.nexts = nexts
        maxFormBytes = needles.map(\.form.bytes.count).max() ?? 0
        mayBeNumber = needles.contains { $0.form.bytes.allSatisfy(Self.isInNumbers) }
        names = values.map(\.name)
    }

    var isEmpty: Bool { needles.isEmpty }

    /// Returns the end of the four most varied bytes that end a window; a key such as `////` would
    /// match everywhere.
    private static func bestEnd(_ bytes: [UInt8], _ length: Int) -> Int {
        var best = (end: length, distinct: 0)
        for end in length...bytes.count {
            let key = bytes[end - keyBytes..<end].map { $0 | 0x20 }
            let distinct = Set(key).subtracting([0x20]).count
            if distinct > best.distinct { best = (end, distinct) }
            if distinct == keyBytes { break }
        }
        return best.end
    }

    /// Returns whether SQLite writes a byte in texts of numbers, such as `-1.5e+300` and `Inf`.
    private static func isInNumbers(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x2B, 0x2D, 0x2E: true
        default: "einf".utf8.contains(byte | 0x20)
        }
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
        var last = windowBytes - 1
        while true {
            last = table.next(in: bytes, from: last)
            guard last < bytes.count else { return }
            compare(bytes, at: last, heads[table.slot(bytes, endingAt: last)], found)
            last += 1
        }
    }

    /// Compares the needles of one slot.
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
