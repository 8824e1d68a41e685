// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Decodes and encodes the content codings of bodies.
///
/// **Shape**: kept by a stage, since creating a decoder or an encoder costs more than a small body.
struct BodyCoder {
    private var decoders: [ContentCoding: ContentDecoder] = [:]
    private var encoders: [ContentCoding: ContentEncoder] = [:]
    private let limits: DecodingLimits

    /// The compression level: stored data has already been compressed well once, and time is
    /// scarce.
    private static let level = 1

    init(maxDecodedBytes: Int) {
        limits = DecodingLimits(maxOutputBytes: maxDecodedBytes)
    }

    /// Decodes the codings, the last one first.
    mutating func decode(
        _ bytes: Span<UInt8>,
        _ codings: [ContentCoding]
    ) throws(CodingError) -> [UInt8] {
        var output = Array(copying: bytes)
        for coding in codings.reversed() {
            var decoded: [UInt8] = []
            try decode(output.span, coding, appendingTo: &decoded)
            output = decoded
        }
        return output
    }

    /// Decodes a coding; bytes that were decoded before a failure stay appended.
    mutating func decode(
        _ bytes: Span<UInt8>,
        _ coding: ContentCoding,
        appendingTo output: inout [UInt8]
    ) throws(CodingError) {
        let decoder: ContentDecoder
        if let known = decoders[coding] {
            decoder = known
        } else {
            decoder = try ContentDecoder(coding, limits: limits)
            decoders[coding] = decoder
        }
        try decoder.decodeWhole(bytes, appendingTo: &output)
    }

    /// Encodes with the codings, the first one first.
    mutating func encode(
        _ bytes: [UInt8],
        _ codings: [ContentCoding]
    ) throws(CodingError) -> [UInt8] {
        var output = bytes
        for coding in codings {
            let encoder: ContentEncoder
            if let known = encoders[coding] {
                encoder = known
            } else {
                encoder = try ContentEncoder(coding, level: BodyCoder.level)
                encoders[coding] = encoder
            }
            var encoded: [UInt8] = []
            try encoder.encodeWhole(output.span, appendingTo: &encoded)
            output = encoded
        }
        return output
    }
}
