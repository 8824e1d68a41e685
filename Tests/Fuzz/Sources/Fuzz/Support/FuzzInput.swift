// SPDX-License-Identifier: MIT

/// The bytes of a fuzz input, consumed from the front.
///
/// When no bytes are left, all numbers are 0 and all texts are empty, so that any input ends.
struct FuzzInput {
    private let bytes: [UInt8]
    private var position = 0

    /// The whole input as text; invalid UTF-8 is repaired.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The whole input.
    var whole: [UInt8] { bytes }

    /// Whether no bytes are left.
    var isEmpty: Bool { position >= bytes.count }

    /// Creates an input of these bytes.
    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns a number from 0 to `limit - 1`; `limit` is at most 256.
    mutating func below(_ limit: Int) -> Int {
        guard position < bytes.count, limit > 0 else { return 0 }
        defer { position += 1 }
        return Int(bytes[position]) % limit
    }

    /// Returns one of the elements.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// Returns the next bytes; fewer than `count` if fewer are left.
    mutating func take(_ count: Int) -> [UInt8] {
        let end = min(position + count, bytes.count)
        defer { position = end }
        return Array(bytes[position..<end])
    }

    /// Returns all bytes that are left.
    mutating func rest() -> [UInt8] {
        take(bytes.count)
    }
}

extension Array where Element == UInt8 {
    /// Whether the array contains these bytes in sequence.
    func contains(_ wanted: [UInt8]) -> Bool {
        guard let first = wanted.first else { return true }
        guard count >= wanted.count else { return false }
        for start in 0...(count - wanted.count) where self[start] == first {
            if self[start..<start + wanted.count].elementsEqual(wanted) { return true }
        }
        return false
    }
}
