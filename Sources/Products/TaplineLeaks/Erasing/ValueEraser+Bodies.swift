// SPDX-License-Identifier: MIT

package import TaplineCodings
internal import TaplineJSON
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

    /// The same for a body in JSON that is being changed.
    func erase(bodyText bytes: Span<UInt8>, codings: [[ContentCoding]]) -> ErasedBytes? {
        erase(body: bytes, codings: codings) { erase(jsonText: $0) ?? erase($0) }
    }

    private func erase(
        body bytes: Span<UInt8>,
        codings: [[ContentCoding]],
        _ erase: (Span<UInt8>) -> ErasedBytes?
    ) -> ErasedBytes? {
        for list in codings where !list.isEmpty {
            let limit = limits.maxDecodedBytes
            guard let decoded = DecodedBody(bytes, list, limit: limit) else {
                // Text is not in the coding that it declares.
                if !isValidUTF8(bytes) { noteLimit() }
                continue
            }
            guard let erased = erase(decoded.bytes.span) else {
                if decoded.end == .limit { noteLimit() }
                continue
            }
            if decoded.end == .limit { return ErasedBytes(bytes: mask, count: erased.count) }
            let coded = Self.encode(erased.bytes, list)
            if let coded, scanner.scan(coded.span).isEmpty {
                return ErasedBytes(bytes: coded, count: erased.count)
            }
            return ErasedBytes(bytes: mask, count: erased.count)
        }
        return erase(bytes)
    }

    private func erase(content bytes: Span<UInt8>) -> ErasedBytes? {
        guard let start = Self.startOfJSON(bytes) else { return erase(bytes) }
        return whole(erase(json: bytes.extracting(start...)), after: bytes.extracting(..<start))
    }

    /// Removes the values from a text in JSON that is being changed, if the text is JSON too.
    ///
    /// Texts in the text are not treated as JSON again.
    ///
    /// - Parameter bytes: The text, without escapes.
    /// - Returns: The new text; `nil` if it is not treated as JSON, or has no value.
    func erase(jsonText bytes: Span<UInt8>) -> ErasedBytes? {
        guard !isInText, let start = Self.startOfJSON(bytes) else { return nil }
        isInText = true
        defer { isInText = false }
        var records = RecordScan(scanner)
        var documents = JSONEraser()
        let erased = erase(json: bytes.extracting(start...), &records, &documents)
        return whole(erased, after: bytes.extracting(..<start))
    }

    /// Returns erased JSON after what came before it; the mask if it cannot be kept.
    private func whole(_ erased: ErasedBytes?, after prefix: Span<UInt8>) -> ErasedBytes? {
        guard let erased else { return nil }
        guard !erased.bytes.isEmpty else { return ErasedBytes(bytes: mask, count: erased.count) }
        return ErasedBytes(bytes: Array(copying: prefix) + erased.bytes, count: erased.count)
    }

    /// Returns where an object or array may begin, after a byte order mark and white space; `nil`
    /// if the bytes begin with something else.
    private static func startOfJSON(_ bytes: Span<UInt8>) -> Int? {
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF].span) ? 3 : 0
        while start < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[start]) { start += 1 }
        guard start + 1 < bytes.count else { return nil }
        return bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") ? start : nil
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
