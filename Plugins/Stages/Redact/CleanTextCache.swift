// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Embedded texts of one exchange in which nothing was found, so that equal ones are searched only
/// once.
struct CleanTextCache {
    /// The total size of the kept pieces in bytes.
    private static let capacity = 1 << 20
    /// The minimum size; searching a smaller piece again takes less time than storing it.
    private static let minDecodedSize = 4 << 10

    private var places: [UInt64: Range<Int>] = [:]
    private var bytes: [UInt8] = []

    mutating func removeAll() {
        guard !places.isEmpty else { return }
        places.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Whether nothing was found in the same bytes; `mark` identifies how they were searched.
    func contains(_ piece: Span<UInt8>, mark: Int) -> Bool {
        guard !places.isEmpty, let place = places[piece.hash(mark: mark)],
            place.count == piece.count
        else { return false }
        return bytes.span.extracting(place).holdsSame(as: piece)
    }

    /// Stores bytes that decode to a text of `meaning` bytes.
    mutating func insert(_ piece: Span<UInt8>, mark: Int, meaning: Int) {
        guard meaning >= CleanTextCache.minDecodedSize,
            bytes.count + piece.count <= CleanTextCache.capacity
        else { return }
        let start = bytes.count
        bytes.append(copying: piece)
        places[piece.hash(mark: mark)] = start..<bytes.count
    }
}
