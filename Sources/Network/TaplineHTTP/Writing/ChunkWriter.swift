// SPDX-License-Identifier: MIT

package import TaplineModel

/// Writes the framing of a chunked body around content that is sent separately (RFC 9112 §7.1).
///
/// A chunk is `appendStart`, then that many bytes of content, then `appendEnd`. The body ends with
/// `appendLast`.
@usableFromInline package enum ChunkWriter {
    /// The maximum number of bytes that `appendStart` writes.
    @inlinable
    package static var maximumStart: Int { 18 }

    /// Appends the line before a chunk with `count` bytes of content.
    ///
    /// The count has to be more than 0: an empty chunk would end the body.
    package static func appendStart(_ count: Int, to output: inout [UInt8]) {
        precondition(count > 0, "a chunk has content")
        output.append(addingCapacity: maximumStart) { (span: inout OutputSpan<UInt8>) in
            writeStart(count, into: &span)
        }
    }

    /// Appends the line end after a chunk's content.
    package static func appendEnd(to output: inout [UInt8]) {
        output.append(0x0D)
        output.append(0x0A)
    }

    /// Writes the line before a chunk, at most `maximumStart` bytes.
    @_lifetime(output: copy output)
    package static func writeStart(_ count: Int, into output: inout OutputSpan<UInt8>) {
        precondition(count > 0, "a chunk has content")
        var shift = (Int.bitWidth - 1 - count.leadingZeroBitCount) & ~3
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: count >> shift & 0xF)
            output.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
            shift -= 4
        }
        output.append(0x0D)
        output.append(0x0A)
    }

    /// Appends the last chunk, the trailers, and the end of the body.
    ///
    /// Trailers that would change how a message is read are omitted (RFC 9110 §6.5.1): framing
    /// fields, connection fields, and Host.
    /// - Throws: An error if a name or a value would break the message. The output is then
    ///   unchanged.
    package static func appendLast(
        trailers: FieldSection = FieldSection(),
        _ side: HTTPError.Side = .response,
        to output: inout [UInt8]
    ) throws(HTTPError) {
        let start = output.count
        let room = trailers.byteCount + 4 * trailers.count + 5
        do throws(HTTPError) {
            try output.append(addingCapacity: room) {
                (span: inout OutputSpan<UInt8>) throws(HTTPError) in
                span.append("0\r\n")
                for position in trailers.indices {
                    let name = trailers.name(at: position)
                    guard mayTrail(name) else { continue }
                    try FieldRules.writeField(
                        name,
                        trailers.value(at: position),
                        side,
                        into: &span
                    )
                }
                span.append("\r\n")
            }
        } catch {
            output.removeLast(output.count - start)
            throw error
        }
    }

    /// Returns whether a field may appear after the body.
    static func mayTrail(_ name: Span<UInt8>) -> Bool {
        switch FieldKind(name) {
        case .other, .via: true
        default: false
        }
    }
}
