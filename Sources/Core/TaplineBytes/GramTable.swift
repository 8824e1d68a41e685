// SPDX-License-Identifier: MIT

internal import CByteScan

/// A table that finds where any of several texts may end, and skips most bytes on the way.
///
/// It is made from windows of one length, one in each text. For each four bytes, it has the distance
/// from the nearest end of a window in which they occur. Bytes that occur in no window allow the
/// search to skip a whole window.
///
/// **Limits.** ASCII letters in different case are equal, and so are some other bytes: what is found
/// has to be compared.
package struct GramTable: Sendable {
    /// The number of bytes that are looked up at once; no window is shorter.
    package static let gramBytes = 4
    /// The maximum length of windows.
    package static let maxWindowBytes = 64

    private let skips: [UInt8]
    private let shift: UInt32

    /// The number of slots that four bytes may have.
    package var slotCount: Int { skips.count }

    /// Makes a table.
    ///
    /// - Parameters:
    ///   - windows: The windows, all of the same length: `gramBytes` to `maxWindowBytes`.
    ///   - bits: The number of slots, as a power of two: 1 to 31.
    package init(windows: [ArraySlice<UInt8>], bits: Int) {
        let length = windows.first?.count ?? Self.gramBytes
        precondition(
            Self.gramBytes...Self.maxWindowBytes ~= length
                && windows.allSatisfy { $0.count == length } && 1...31 ~= bits,
            "windows of different length"
        )
        let shift = UInt32(32 - bits)
        let longest = UInt8(length - Self.gramBytes + 1)
        var skips = [UInt8](repeating: longest, count: 1 << bits)
        for window in windows {
            let bytes = Array(window)
            for end in Self.gramBytes...length {
                let slot = Self.slot(bytes.span, endingAt: end - 1, shift)
                skips[slot] = min(skips[slot], UInt8(length - end))
            }
        }
        self.skips = skips
        self.shift = shift
    }

    /// Returns the slot of the four bytes whose last one is at a position.
    package func slot(_ bytes: Span<UInt8>, endingAt last: Int) -> Int {
        Self.slot(bytes, endingAt: last, shift)
    }

    private static func slot(_ bytes: Span<UInt8>, endingAt last: Int, _ shift: UInt32) -> Int {
        precondition(last >= 3 && last < bytes.count, "position outside the text")
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe bytes.baseAddress.map { unsafe tapline_gram_slot($0 + last - 3, shift) } ?? 0
        }
    }

    /// Finds where a window may end.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - last: The position of the last byte of the first possible window.
    /// - Returns: The position of the last byte of the next one; the count if there is none.
    @inline(__always)
    package func next(in bytes: Span<UInt8>, from last: Int) -> Int {
        unsafe skips.withUnsafeBufferPointer { skips in
            guard let table = skips.baseAddress else { return bytes.count }
            return unsafe bytes.search(from: Swift.max(last, 3)) {
                unsafe tapline_next_gram($0, $1, $2, table, shift)
            }
        }
    }
}
