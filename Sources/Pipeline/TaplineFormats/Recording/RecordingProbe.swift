// SPDX-License-Identifier: MIT

package import TaplineCodings
internal import TaplineModel
internal import TaplineSegments

/// Recognizes recordings by their first bytes.
package enum RecordingProbe {
    /// How many bytes are enough for `mayBeRecording`.
    package static let headBytes = 4096

    /// Returns whether a file that begins with these bytes may be a recording: compressed data, or
    /// a segment of a queue on disk, or a JSON object that is not obviously something else.
    ///
    /// - Parameter head: The first `headBytes` bytes of the file, or all of a smaller file.
    /// - Returns: `false` for an empty file.
    package static func mayBeRecording(_ head: Span<UInt8>) -> Bool {
        if coding(of: head) != nil || SegmentFormat.isSegment(head) { return true }
        switch FormatProbe.detect(head, atEnd: true) {
        case .lines, .archive: return true
        case .empty, .needsMore, .other: return false
        }
    }

    /// The coding of a compressed file whose first four bytes these are; `nil` for other files.
    package static func coding(of magic: Span<UInt8>) -> ContentCoding? {
        if magic.count >= 2, magic[0] == 0x1F, magic[1] == 0x8B { return .gzip }
        // RFC 1950 section 2.2: deflate, and a checksum that makes a multiple of 31. No text in
        // either format begins with this letter (x).
        if magic.count >= 2, magic[0] == 0x78, (0x7800 | Int(magic[1])) % 31 == 0 {
            return .deflate
        }
        if magic.count >= 4, magic[0] == 0x28, magic[1] == 0xB5, magic[2] == 0x2F, magic[3] == 0xFD
        {
            return .zstd
        }
        return nil
    }
}
