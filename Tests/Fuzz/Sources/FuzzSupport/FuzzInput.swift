// SPDX-License-Identifier: MIT

/// The bytes of a fuzz input, consumed from the front.
///
/// When no bytes are left, all numbers are 0 and all texts are empty, so that any input ends.
package struct FuzzInput {
    private let bytes: [UInt8]
    private var position = 0

    /// The whole input as text; invalid UTF-8 is repaired.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The whole input.
    package var whole: [UInt8] { bytes }

    /// Whether no bytes are left.
    package var isEmpty: Bool { position >= bytes.count }

    /// Runs a fuzz target on the bytes that libFuzzer passes to its entry point.
    package static func run(
        _ start: UnsafePointer<UInt8>?,
        _ count: Int,
        _ body: (inout FuzzInput) -> Void
    ) -> CInt {
        var input = FuzzInput(
            bytes: unsafe Array(UnsafeBufferPointer(start: start, count: count))
        )
        body(&input)
        return 0
    }

    /// Creates an input of these bytes.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns a number from 0 to `limit - 1`; `limit` is at most 256.
    package mutating func below(_ limit: Int) -> Int {
        guard position < bytes.count, limit > 0 else { return 0 }
        defer { position += 1 }
        return Int(bytes[position]) % limit
    }

    /// Returns one of the elements.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    /// Returns the next bytes; fewer than `count` if fewer are left.
    package mutating func take(_ count: Int) -> [UInt8] {
        let end = min(position + count, bytes.count)
        defer { position = end }
        return Array(bytes[position..<end])
    }

    /// Returns all bytes that are left.
    package mutating func rest() -> [UInt8] {
        take(bytes.count)
    }
}

extension Array where Element == UInt8 {
    /// Whether the array contains these bytes in sequence.
    package func contains(_ wanted: [UInt8]) -> Bool {
        guard let first = wanted.first else { return true }
        guard count >= wanted.count else { return false }
        for start in 0...(count - wanted.count) where self[start] == first {
            if self[start..<start + wanted.count].elementsEqual(wanted) { return true }
        }
        return false
    }
}
