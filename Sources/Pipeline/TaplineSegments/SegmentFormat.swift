// SPDX-License-Identifier: MIT

internal import TaplineBytes
internal import TaplineCodings

/// The format of a segment file: a header, then frames of one record each.
///
/// ```
/// header: "TAPLSEG\n"  version u32  0 u32
/// frame:  length u32   crc u32      record (a line of NDJSON)
/// ```
///
/// Numbers are little-endian. The checksum is the CRC-32 of the length and the record, and no record
/// is empty, so that bytes which are all zero are never a frame.
package enum SegmentFormat {
    /// The version that this code writes, and the only one that it reads.
    package static let version: UInt32 = 1
    /// The size of the header.
    package static let headerBytes = 16
    /// The bytes in front of each record.
    package static let frameHeaderBytes = 8
    /// The longest record.
    package static let maxRecordBytes = 1 << 30

    private static let magic = Array("TAPLSEG\n".utf8)

    /// The header of a file.
    package enum Header: Equatable {
        case valid
        /// The file is too short for a header.
        case incomplete
        /// The file is not a segment.
        case foreign
        /// Another version of Tapline has written it.
        case version(UInt32)
    }

    /// What is found at the position of a frame.
    package enum Frame: Equatable {
        /// A whole frame; the range of its record.
        case record(Range<Int>)
        /// The bytes end before the frame, which takes this many bytes.
        case incomplete(needed: Int)
        /// The checksum or the length is wrong. `end` is where the next frame would begin; `nil` if
        /// the length is impossible.
        case corrupt(end: Int?)
    }

    /// Returns whether a file with these first bytes is a segment of any version.
    package static func isSegment(_ head: Span<UInt8>) -> Bool { head.starts(with: magic.span) }

    /// Returns whether these bytes are the beginning of a segment that more bytes have to show.
    package static func needsMore(_ head: Span<UInt8>) -> Bool {
        head.count < magic.count && magic.span.starts(with: head)
    }

    /// Examines the first bytes of a file.
    package static func header(_ bytes: Span<UInt8>) -> Header {
        guard bytes.count >= headerBytes else { return .incomplete }
        guard isSegment(bytes) else { return .foreign }
        let found = number(bytes, at: 8)
        return found == version ? .valid : .version(found)
    }

    /// Appends the header of a new file.
    package static func appendHeader(to bytes: inout [UInt8]) {
        bytes += magic
        append(version, to: &bytes)
        append(0, to: &bytes)
    }

    /// Appends a record as a frame.
    ///
    /// - Parameters:
    ///   - record: The record; from 1 to `maxRecordBytes` bytes.
    ///   - bytes: Receives the frame.
    package static func appendFrame(_ record: Span<UInt8>, to bytes: inout [UInt8]) {
        let length = UInt32(clamping: record.count)
        append(length, to: &bytes)
        append(checksum(length, record), to: &bytes)
        bytes.append(copying: record)
    }

    /// Examines the frame at a position.
    package static func frame(in bytes: Span<UInt8>, at start: Int) -> Frame {
        guard bytes.count - start >= frameHeaderBytes else {
            return .incomplete(needed: frameHeaderBytes)
        }
        let length = Int(number(bytes, at: start))
        guard length > 0, length <= maxRecordBytes else { return .corrupt(end: nil) }
        guard bytes.count - start - frameHeaderBytes >= length else {
            return .incomplete(needed: frameHeaderBytes + length)
        }
        let range = start + frameHeaderBytes..<start + frameHeaderBytes + length
        let sum = checksum(UInt32(clamping: length), bytes.extracting(range))
        return sum == number(bytes, at: start + 4)
            ? .record(range) : .corrupt(end: range.upperBound)
    }

    /// The size of the frame at a position as its first bytes give it; `nil` if it is impossible.
    static func frameBytes(in bytes: Span<UInt8>, at start: Int) -> Int? {
        let length = Int(number(bytes, at: start))
        return length > 0 && length <= maxRecordBytes ? frameHeaderBytes + length : nil
    }

    private static func checksum(_ length: UInt32, _ record: Span<UInt8>) -> UInt32 {
        let bytes: [4 of UInt8] = [
            UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8),
            UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 24),
        ]
        return Checksum.crc32(record, after: Checksum.crc32(bytes.span))
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    private static func number(_ bytes: Span<UInt8>, at start: Int) -> UInt32 {
        var number: UInt32 = 0
        for index in 0..<4 { number |= UInt32(bytes[start + index]) << (8 * UInt32(index)) }
        return number
    }
}
