// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Bodies as filters see them: decoded.
enum BodyText {
    /// Undoes the codings of the kept bytes.
    ///
    /// What a damaged, cut or very large body decodes to before it stops is what a filter sees of
    /// it; `nil` if not even the first coding is known.
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
