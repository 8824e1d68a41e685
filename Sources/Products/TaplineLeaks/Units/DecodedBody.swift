// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// A body without its codings, decoded as far as possible.
struct DecodedBody {
    /// How the decoding ended.
    enum End {
        /// The whole body is decoded.
        case complete
        /// A limit prevented the rest from being decoded.
        case limit
        /// The body is truncated or damaged, or in another coding.
        case damaged
    }

    /// The bytes that were decoded.
    let bytes: [UInt8]
    let end: End

    /// Decodes a body; `nil` if a coding is not supported.
    ///
    /// - Parameters:
    ///   - coded: The bytes, with their codings.
    ///   - codings: The codings in the order in which they were applied.
    ///   - limit: The maximum number of bytes that a coding may decode to.
    init?(_ coded: Span<UInt8>, _ codings: [ContentCoding], limit: Int) {
        let limits = DecodingLimits(
            maxOutputBytes: limit,
            maxRatio: 0,
            maxZstdWindowLog: 27
        )
        var bytes = Array(copying: coded)
        var end = End.complete
        for coding in codings.reversed() {
            guard let decoder = try? ContentDecoder(coding, limits: limits) else { return nil }
            var output: [UInt8] = []
            do {
                try decoder.decodeWhole(bytes.span, appendingTo: &output)
            } catch {
                // What a limit cuts short also looks truncated to the next coding.
                if end != .limit { end = error.isLimit ? .limit : .damaged }
            }
            bytes = output
        }
        self.bytes = bytes
        self.end = end
    }
}
