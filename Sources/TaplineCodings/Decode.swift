// SPDX-License-Identifier: MIT

extension ContentCoding {
    /// Undoes this coding of a whole body.
    ///
    /// Where many bodies are decoded, keep a `ContentDecoder` instead.
    ///
    /// - Parameters:
    ///   - bytes: The coded bytes.
    ///   - limits: What the output may grow to.
    /// - Returns: The decoded bytes.
    /// - Throws: `CodingError` when the bytes are damaged, not complete or beyond a limit.
    public func decode(
        _ bytes: Span<UInt8>,
        limits: DecodingLimits = .init()
    ) throws(CodingError) -> [UInt8] {
        var output: [UInt8] = []
        try ContentDecoder(self, limits: limits).decodeWhole(bytes, appendingTo: &output)
        return output
    }

    /// Undoes a list of codings, the last of it first.
    ///
    /// - Parameters:
    ///   - bytes: The coded bytes.
    ///   - codings: The codings in the order in which they were applied.
    ///   - limits: What the output of each one may grow to.
    /// - Returns: The decoded bytes.
    /// - Throws: `CodingError` when the bytes are damaged, not complete or beyond a limit.
    public static func decode(
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
