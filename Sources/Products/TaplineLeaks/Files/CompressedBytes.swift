// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Searches compressed bytes for values as they are: in the name of a file in a header of gzip, or in
/// a frame that zstd skips.
///
/// Few bytes are often stored as they are, so only kinds of values count that decoding does not show.
final class CompressedBytes {
    private let scanner: UnitScanner
    private var buffer: [UInt8] = []
    private var base = 0
    private var found: [StreamHit] = []
    private var known: Set<Int> = []
    private static let chunk = 1 << 16

    init(_ scanner: UnitScanner) { self.scanner = scanner }

    /// Notes that decoding shows a value.
    func noteDecoded(_ hit: Hit) { known.insert(hit.kind) }

    /// Takes the next bytes.
    func append(_ bytes: Span<UInt8>) {
        buffer.append(copying: bytes)
        if buffer.count >= Self.chunk + scanner.maxFormBytes { search() }
    }

    /// Returns the first hit of each value that decoding does not show, once all bytes were taken.
    func finish() -> [StreamHit] {
        search()
        return found.filter { !known.contains($0.hit.kind) }
    }

    private func search() {
        for hit in scanner.scanValues(buffer.span)
        where !found.contains(where: { $0.hit.kind == hit.kind }) {
            var place = LeakPlace()
            place.offset = base + hit.range.lowerBound
            found.append((hit, place))
        }
        // Base64 is compared with the digits on both sides of a form as well.
        let dropped = max(buffer.count - scanner.maxFormBytes - 1, 0)
        buffer.removeSubrange(..<dropped)
        base += dropped
    }
}
