// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Decodes bodies for filters.
enum BodyText {
    /// Decodes the content codings of the kept bytes.
    ///
    /// For a damaged, truncated or very large body, the result is the part that could be decoded.
    /// It is `nil` if a coding is unknown.
    static func decode(_ body: borrowing Body, limit: Int) -> [UInt8]? {
        var bytes = body.bytes
        let limits = DecodingLimits(maxOutputBytes: limit)
        for coding in ContentCoding.list(body.coding.span).reversed() {
            guard let decoder = try? ContentDecoder(coding, limits: limits) else { return nil }
            var output: [UInt8] = []
            try? decoder.decodeWhole(bytes.span, appendingTo: &output)
            bytes = output
        }
        return bytes
    }
}
