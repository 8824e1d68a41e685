// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// Takes the records out of a segment that arrives in chunks of any size.
///
/// Unlike in `SegmentReader`, a damaged frame ends the segment; for a program that only looks at a
/// queue that is no reason to stop.
/// **Limits**: memory for one frame.
package struct SegmentUnframer: ~Copyable {
    private var held: [UInt8] = []
    private var isHeaderRead = false
    /// Whether a frame was damaged; what follows is ignored.
    package private(set) var isDamaged = false

    package init() {}

    /// Whether the segment ends within a frame, as one does that is being written.
    package var isCutOff: Bool { !held.isEmpty }

    /// Reads the next bytes.
    ///
    /// - Parameters:
    ///   - chunk: The bytes.
    ///   - receive: Called with each record.
    /// - Throws: The error of `receive`.
    package mutating func read<Failure: Error>(
        _ chunk: Span<UInt8>,
        _ receive: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        guard !isDamaged else { return }
        held.append(copying: chunk)
        let bytes = exchange(&held, with: [])
        var position = 0
        if !isHeaderRead {
            guard bytes.count >= SegmentFormat.headerBytes else {
                held = bytes
                return
            }
            isHeaderRead = true
            position = SegmentFormat.headerBytes
        }
        while true {
            guard case .record(let range) = SegmentFormat.frame(in: bytes.span, at: position) else {
                break
            }
            try receive(bytes.span.extracting(range))
            position = range.upperBound
        }
        if case .corrupt = SegmentFormat.frame(in: bytes.span, at: position) {
            isDamaged = true
        } else if position == 0 {
            held = bytes
        } else {
            held.append(copying: bytes.span.extracting(position...))
        }
    }
}
