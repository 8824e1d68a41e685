// SPDX-License-Identifier: MIT

extension ContentCoding {
    /// Decodes a whole body from this coding.
    ///
    /// To decode many bodies, keep a `ContentDecoder` instead.
    ///
    /// - Parameters:
    ///   - bytes: The coded bytes.
    ///   - limits: The limits of the output.
    /// - Returns: The decoded bytes.
    /// - Throws: `CodingError` if the bytes are damaged, incomplete or exceed a limit.
    package func decode(
        _ bytes: Span<UInt8>,
        limits: DecodingLimits = .init()
    ) throws(CodingError) -> [UInt8] {
        var output: [UInt8] = []
        try ContentDecoder(self, limits: limits).decodeWhole(bytes, appendingTo: &output)
        return output
    }

    /// Decodes a body from a list of codings, starting with the last one.
    ///
    /// - Parameters:
    ///   - bytes: The coded bytes.
    ///   - codings: The codings in the order in which they were applied.
    ///   - limits: The limits of each coding's output.
    /// - Returns: The decoded bytes.
    /// - Throws: `CodingError` if the bytes are damaged, incomplete or exceed a limit.
    package static func decode(
        _ bytes: Span<UInt8>,
        codings: [ContentCoding],
        limits: DecodingLimits = .init()
    ) throws(CodingError) -> [UInt8] {
        guard let last = codings.last else {
            return try ContentCoding.identity.decode(bytes, limits: limits)
        }
        var output = try last.decode(bytes, limits: limits)
        for coding in codings.dropLast().reversed() {
            output = try coding.decode(output.span, limits: limits)
        }
        return output
    }
}
