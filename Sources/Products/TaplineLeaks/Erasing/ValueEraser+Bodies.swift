// SPDX-License-Identifier: MIT

package import TaplineCodings
internal import TaplineModel

extension ValueEraser {
    /// Removes the values from the kept bytes of a body, and encodes it again as it was.
    ///
    /// - Parameters:
    ///   - bytes: The bytes, with their coding.
    ///   - codings: The lists of codings that the bytes may have, in the order of their application.
    /// - Returns: The new bytes; `nil` if there is no value.
    package func erase(
        body bytes: Span<UInt8>,
        codings: [[ContentCoding]]
    ) -> ErasedBytes? {
        erase(body: bytes, codings: codings) { erase(content: $0) }
    }

    /// The same, without treating JSON differently from other text.
    func erase(bodyText bytes: Span<UInt8>, codings: [[ContentCoding]]) -> ErasedBytes? {
        erase(body: bytes, codings: codings) { erase($0) }
    }

    private func erase(
        body bytes: Span<UInt8>,
        codings: [[ContentCoding]],
        _ erase: (Span<UInt8>) -> ErasedBytes?
    ) -> ErasedBytes? {
        for list in codings where !list.isEmpty {
            guard let decoded = decode(bytes, list) else { continue }
            guard let erased = erase(decoded.bytes.span) else {
                if decoded.metLimit { noteLimit() }
                continue
            }
            if decoded.metLimit { return ErasedBytes(bytes: mask, count: erased.count) }
            let coded = Self.encode(erased.bytes, list)
            if let coded, scanner.scan(coded.span).isEmpty {
                return ErasedBytes(bytes: coded, count: erased.count)
            }
            return ErasedBytes(bytes: mask, count: erased.count)
        }
        return erase(bytes)
    }

    private func erase(content bytes: Span<UInt8>) -> ErasedBytes? {
        guard bytes.count > 1, bytes[0] == UInt8(ascii: "{") else { return erase(bytes) }
        guard var erased = erase(json: bytes) else { return nil }
        if erased.bytes.isEmpty { erased.bytes = mask }
        return erased
    }

    /// Decodes a body as far as possible; `nil` if a coding is not supported.
    private func decode(
        _ bytes: Span<UInt8>,
        _ codings: [ContentCoding]
    ) -> (bytes: [UInt8], metLimit: Bool)? {
        let decoding = DecodingLimits(
            maxOutputBytes: limits.maxDecodedBytes,
            maxRatio: 0,
            maxZstdWindowLog: 27
        )
        var decoded = Array(copying: bytes)
        var metLimit = false
        for coding in codings.reversed() {
            guard let decoder = try? ContentDecoder(coding, limits: decoding) else { return nil }
            var output: [UInt8] = []
            do {
                try decoder.decode(decoded.span, appendingTo: &output)
            } catch {
                // A truncated body is decoded up to its end.
                if error.code == .outputLimit || error.code == .windowLimit { metLimit = true }
            }
            decoded = output
        }
        return (decoded, metLimit)
    }

    private static func encode(_ bytes: [UInt8], _ codings: [ContentCoding]) -> [UInt8]? {
        var coded = bytes
        for coding in codings {
            guard let output = try? coding.encode(coded.span) else { return nil }
            coded = output
        }
        return coded
    }
}
