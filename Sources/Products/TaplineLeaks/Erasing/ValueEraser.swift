// SPDX-License-Identifier: MIT

package import TaplineCodings
internal import TaplineModel

/// Bytes from which values were removed.
package struct ErasedBytes: Sendable, Equatable {
    /// The bytes without the values; empty if nothing of them can be kept.
    package var bytes: [UInt8]
    /// How many occurrences were removed.
    package var count: Int
}

/// Removes values from bytes, in every form in which `LeakScan` finds them.
///
/// Text that contains a value in an encoded form is decoded, changed and encoded again in the same
/// form, so that the rest of it stays readable. Where that is impossible, the whole encoded part is
/// replaced. The result is searched again: it never contains a value.
///
/// **Isolation.** Used by one thread at a time.
package final class ValueEraser {
    /// The maximum depth of nested codings, as in a scan.
    private static let maxDepth = 8
    /// The maximum size of one decoded part, as in a scan.
    private static let maxDecodedBytes = 256 << 20
    /// How often bytes are changed until encoded parts are replaced as a whole.
    private static let rounds = 6
    private static let masks = ["[erased]", "********", "--------", ""]

    let scanner: UnitScanner
    private let index: ValueIndex
    private let finder = EmbeddedFinder()
    /// What replaces a value in text.
    let mask: [UInt8]
    private var records: RecordScan
    private var documents = JSONEraser()

    /// Makes an eraser of values.
    ///
    /// - Parameter values: The values.
    /// - Throws: Any error from preparing the search.
    package init(_ values: [LeakValue]) throws {
        let index = ValueIndex(values)
        let scanner = try UnitScanner(index, nil)
        self.index = index
        self.scanner = scanner
        // The mask must not contain a value itself.
        let masks = Self.masks.map { Array($0.utf8) }
        mask = masks.first { scanner.scan($0.span).isEmpty } ?? []
        records = RecordScan(scanner)
    }

    // MARK: Content

    /// Removes the values from text, or from bytes that are no text.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The new bytes; `nil` if there is no value.
    package func erase(_ bytes: Span<UInt8>) -> ErasedBytes? {
        let hits = scanner.scan(bytes).inOrder
        guard !hits.isEmpty else { return nil }
        return ErasedBytes(bytes: cleaned(Array(copying: bytes)), count: hits.count)
    }

    /// Removes the values from a JSON object, which stays one.
    ///
    /// The coding of bodies is that of record schema v1. Their hashes and sizes are adapted.
    ///
    /// - Parameter bytes: The object; anything else is treated as text.
    /// - Returns: The new bytes, which are empty if the object cannot be kept; `nil` if there is no
    ///   value.
    package func erase(json bytes: Span<UInt8>) -> ErasedBytes? {
        guard let hits = records.scan(bytes) else { return erase(bytes) }
        guard !hits.isEmpty else { return nil }
        var json = Array(copying: bytes)
        var left: [Range<Int>] = []
        for _ in 0..<Self.rounds {
            // From the second round on, strings that still contain a value are replaced.
            let replacements = documents.replacements(in: json.span, by: self, covering: left)
            guard let replacements else { break }
            json = Replacement.apply(replacements, to: json.span)
            guard let found = records.scan(json.span) else { break }
            if found.isEmpty { return ErasedBytes(bytes: json, count: hits.count) }
            left = found.map { $0.hit.range }
        }
        return ErasedBytes(bytes: [], count: hits.count)
    }

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
            guard let decoded = Self.decode(bytes, list), let erased = erase(decoded.span) else {
                continue
            }
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
    private static func decode(_ bytes: Span<UInt8>, _ codings: [ContentCoding]) -> [UInt8]? {
        let limits = DecodingLimits(
            maxOutputBytes: maxDecodedBytes,
            maxRatio: 0,
            maxZstdWindowLog: 27
        )
        var decoded = Array(copying: bytes)
        for coding in codings.reversed() {
            guard let decoder = try? ContentDecoder(coding, limits: limits) else { return nil }
            var output: [UInt8] = []
            // A truncated body is decoded up to its end.
            try? decoder.decode(decoded.span, appendingTo: &output)
            decoded = output
        }
        return decoded
    }

    private static func encode(_ bytes: [UInt8], _ codings: [ContentCoding]) -> [UInt8]? {
        var coded = bytes
        for coding in codings {
            guard let output = try? coding.encode(coded.span) else { return nil }
            coded = output
        }
        return coded
    }

    // MARK: Bytes

    /// Returns bytes without the values.
    private func cleaned(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0..<Self.rounds {
            bytes = Replacement.apply(replacements(in: bytes.span), to: bytes.span)
            if scanner.scan(bytes.span).isEmpty { return bytes }
        }
        // Encoded parts that cannot be changed precisely are replaced as a whole.
        for _ in 0..<Self.rounds {
            let parts = scanner.scan(bytes.span).map { Replacement(range: $0.range, bytes: mask) }
            if parts.isEmpty { return bytes }
            bytes = Replacement.apply(Replacement.separated(parts), to: bytes.span)
        }
        return mask
    }

    /// Returns what has to be replaced in bytes, in order.
    func replacements(in bytes: Span<UInt8>, depth: Int = 0) -> [Replacement] {
        var found = fixedForms(in: bytes)
        guard depth < Self.maxDepth else { return Replacement.separated(found) }
        if let form = finder.wholeForm(of: bytes), form.name == "utf-16" {
            let whole = EmbeddedRun(range: 0..<bytes.count, form: form)
            found += replacements(in: whole, of: bytes, depth)
        }
        var runs: [EmbeddedRun] = []
        finder.find(in: bytes, appendingTo: &runs)
        for run in runs { found += replacements(in: run, of: bytes, depth) }
        found += streams(in: bytes, depth)
        return Replacement.separated(found)
    }

    /// Finds values in forms that are fixed runs of bytes, and keeps the length of all but plain
    /// ones, so that the codings around them stay valid.
    private func fixedForms(in bytes: Span<UInt8>) -> [Replacement] {
        var matches: [(range: Range<Int>, coding: ValueForm.Coding)] = []
        index.search(bytes) { range, _, coding in matches.append((range, coding)) }
        var found: [Replacement] = []
        for match in matches {
            let part = Array(copying: bytes.extracting(match.range))
            let new =
                switch match.coding {
                case .plain: mask
                case .hex: [UInt8](repeating: UInt8(ascii: "0"), count: part.count)
                case .base64: [UInt8](repeating: UInt8(ascii: "A"), count: part.count)
                case .utf16: part.map { $0 == 0 ? 0 : UInt8(ascii: "*") }
                }
            found.append(Replacement(range: match.range, bytes: new))
        }
        return found
    }

    /// Finds values in an encoded part.
    private func replacements(
        in run: EmbeddedRun,
        of bytes: Span<UInt8>,
        _ depth: Int
    ) -> [Replacement] {
        let text = bytes.extracting(run.range)
        var decoded: [UInt8] = []
        let outcome = finder.decode(
            text,
            from: run.form,
            limit: Self.maxDecodedBytes,
            appendingTo: &decoded
        )
        guard case .decoded = outcome else { return [] }
        let inner = replacements(in: decoded.span, depth: depth + 1)
        guard !inner.isEmpty else { return [] }
        let start = run.range.lowerBound
        guard var map = EscapeMap(run.form) else {
            var coded: [UInt8] = []
            let changed = Replacement.apply(inner, to: decoded.span)
            if !run.form.encode(changed.span, appendingTo: &coded) { coded = mask }
            return [Replacement(range: run.range, bytes: coded)]
        }
        var found: [Replacement] = []
        for part in inner {
            let source = map.source(of: part.range, in: text)
            var coded: [UInt8] = []
            run.form.encode(
                part.bytes.span,
                replacing: text.extracting(source),
                appendingTo: &coded
            )
            let range = source.lowerBound + start..<source.upperBound + start
            found.append(Replacement(range: range, bytes: coded))
        }
        return found
    }

    /// Finds values in compressed streams, which are compressed again.
    private func streams(in bytes: Span<UInt8>, _ depth: Int) -> [Replacement] {
        var found: [Replacement] = []
        var position = 0
        while let start = CompressedStart.next(in: bytes, from: position) {
            var decoded: [UInt8] = []
            let stream = bytes.extracting(start.position...)
            let outcome = start.decode(stream, limit: Self.maxDecodedBytes, into: &decoded)
            position = start.position + max(outcome.consumed, 1)
            let inner = replacements(in: decoded.span, depth: depth + 1)
            guard !inner.isEmpty else { continue }
            let changed = Replacement.apply(inner, to: decoded.span)
            let coded = (try? start.coding.encode(changed.span)) ?? mask
            found.append(Replacement(range: start.position..<position, bytes: coded))
        }
        return found
    }
}
