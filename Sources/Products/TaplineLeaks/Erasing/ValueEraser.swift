// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Removes values from bytes, in every form in which `LeakScan` finds them.
///
/// Text that contains a value in an encoded form is decoded, changed and encoded again in the same
/// form, so that the rest of it stays readable. Where that is impossible, the whole encoded part is
/// replaced. The result is searched again: it never contains a value. Of a compressed part that
/// exceeds the limits of decoding, nothing is kept if a value is found in it.
///
/// **Isolation.** Used by one thread at a time.
package final class ValueEraser {
    /// How often bytes are changed until encoded parts are replaced as a whole.
    private static let rounds = 6
    private static let masks = ["[erased]", "********", "--------", ""]

    let scanner: UnitScanner
    /// The limits of decoding, as in a scan.
    let limits: UnitScanner.Limits
    /// Whether a limit prevented a part from being searched.
    private var hasMetLimit = false
    /// How many members of JSON objects have got the name of another one.
    private var joinedNames = 0
    private let index: ValueIndex
    private let finder = EmbeddedFinder()
    /// What replaces a value in text.
    let mask: [UInt8]
    /// Whether the JSON that is changed is itself a text in JSON.
    var isInText = false
    private var records: RecordScan
    private var documents = JSONEraser()

    /// Makes an eraser of values.
    ///
    /// - Parameter values: The values.
    /// - Throws: Any error from preparing the search.
    package convenience init(_ values: [LeakValue]) throws {
        try self.init(values, UnitScanner.Limits())
    }

    /// Makes an eraser with other limits of decoding.
    init(_ values: [LeakValue], _ limits: UnitScanner.Limits) throws {
        let index = ValueIndex(values)
        let scanner = try UnitScanner(index, nil, limits)
        self.limits = limits
        self.index = index
        self.scanner = scanner
        // The mask must not contain a value itself.
        let masks = Self.masks.map { Array($0.utf8) }
        mask = masks.first { scanner.scan($0.span).isEmpty } ?? []
        records = RecordScan(scanner)
    }

    // MARK: Limits

    /// Returns whether a part was too large to be searched since the last call.
    package func takeMetLimit() -> Bool {
        defer { hasMetLimit = false }
        return hasMetLimit
    }

    /// Returns how many members of JSON objects have got the name of another member of the same
    /// object since the last call.
    package func takeJoinedNames() -> Int {
        defer { joinedNames = 0 }
        return joinedNames
    }

    /// Notes that a part was not searched.
    func noteLimit() { hasMetLimit = true }

    /// Notes whether the last scan did not search a part.
    private func noteLimitOfScan() {
        if scanner.takeMetLimit() { noteLimit() }
    }

    // MARK: Content

    /// Returns whether several texts certainly have no value, so that they need not be searched one
    /// by one.
    ///
    /// - Parameter texts: The texts, JSON or not, each with a quote after it.
    /// - Returns: `false` if that is not certain.
    package func areClean(_ texts: Span<UInt8>) -> Bool {
        _ = scanner.takeMetLimit()
        return scanner.areClean(texts)
    }

    /// Removes the values from text, or from bytes that are no text.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The new bytes; `nil` if there is no value.
    package func erase(_ bytes: Span<UInt8>) -> ErasedBytes? {
        _ = scanner.takeMetLimit()
        defer { noteLimitOfScan() }
        let hits = scanner.scan(bytes)
        guard !hits.isEmpty else { return nil }
        let count = hits.inOrder.count
        return ErasedBytes(bytes: cleaned(Array(copying: bytes)), count: count)
    }

    /// Removes the values from a JSON object or array, which stays one.
    ///
    /// The coding of bodies is that of record schema v1. Their hashes and sizes are adapted.
    ///
    /// - Parameter bytes: The object or array; anything else is treated as text.
    /// - Returns: The new bytes, which are empty if the object cannot be kept; `nil` if there is no
    ///   value.
    package func erase(json bytes: Span<UInt8>) -> ErasedBytes? {
        erase(json: bytes, &records, &documents)
    }

    /// The same with another parser, since JSON may be a text in other JSON.
    func erase(
        json bytes: Span<UInt8>,
        _ records: inout RecordScan,
        _ documents: inout JSONEraser
    ) -> ErasedBytes? {
        _ = scanner.takeMetLimit()
        if scanner.isClean(bytes) { return nil }
        _ = scanner.takeMetLimit()
        guard let hits = records.scan(bytes, acceptingArrays: true) else { return erase(bytes) }
        defer { noteLimitOfScan() }
        guard !hits.isEmpty else { return nil }
        var json = Array(copying: bytes)
        var left: [Range<Int>] = []
        for _ in 0..<Self.rounds {
            // From the second round on, strings that still contain a value are replaced.
            let replacements = documents.replacements(in: json.span, by: self, covering: left)
            guard let replacements else { break }
            json = Replacement.apply(replacements, to: json.span)
            _ = scanner.takeMetLimit()
            guard let found = records.scan(json.span, acceptingArrays: true) else { break }
            if found.isEmpty {
                let former = documents.repeatedNames(in: bytes)
                joinedNames += max(documents.repeatedNames(in: json.span) - former, 0)
                return ErasedBytes(bytes: json, count: hits.count)
            }
            left = found.map { $0.hit.range }
        }
        return ErasedBytes(bytes: [], count: hits.count)
    }

    // MARK: Bytes

    /// Returns bytes without the values.
    private func cleaned(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0..<Self.rounds {
            bytes = Replacement.apply(replacements(in: bytes.span), to: bytes.span)
            _ = scanner.takeMetLimit()
            if scanner.scan(bytes.span).isEmpty { return bytes }
        }
        // Encoded parts that cannot be changed precisely are replaced as a whole.
        for _ in 0..<Self.rounds {
            _ = scanner.takeMetLimit()
            let parts = scanner.scan(bytes.span).map { Replacement(range: $0.range, bytes: mask) }
            if parts.isEmpty { return bytes }
            // The end of a part that was not decoded completely is not known.
            if scanner.takeMetLimit() { return mask }
            bytes = Replacement.apply(Replacement.separated(parts), to: bytes.span)
        }
        return mask
    }

    /// Returns what has to be replaced in bytes, in order.
    func replacements(in bytes: Span<UInt8>) -> [Replacement] {
        replacements(in: bytes, scanner.makeScope())
    }

    private func replacements(
        in bytes: Span<UInt8>,
        _ scope: UnitScanner.Scope
    ) -> [Replacement] {
        var found = fixedForms(in: bytes)
        guard scope.depth < limits.maxDepth else { return Replacement.separated(found) }
        for run in finder.allRuns(in: bytes) {
            found += replacements(in: run, of: bytes, scope)
        }
        found += quotedPrintable(in: bytes, scope)
        found += streams(in: bytes, scope)
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
                case .utf32(let isBigEndian): Self.stars(part.count, isBigEndian: isBigEndian)
                }
            found.append(Replacement(range: match.range, bytes: new))
        }
        return found
    }

    /// Returns characters in UTF-32; the form lacks zero bytes at its start or at its end.
    private static func stars(_ count: Int, isBigEndian: Bool) -> [UInt8] {
        (0..<count).map { index in
            let place = isBigEndian ? count - 1 - index : index
            return place % 4 == 0 ? UInt8(ascii: "*") : 0
        }
    }

    /// Finds values in an encoded part.
    private func replacements(
        in run: EmbeddedRun,
        of bytes: Span<UInt8>,
        _ scope: UnitScanner.Scope
    ) -> [Replacement] {
        let text = bytes.extracting(run.range)
        var decoded: [UInt8] = []
        let outcome = finder.decode(
            text,
            from: run.form,
            limit: scope.budget.bytes,
            appendingTo: &decoded
        )
        guard case .decoded = outcome else { return [] }
        scope.budget.take(decoded.count)
        let inner = replacements(in: decoded.span, scope.inner())
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

    /// Finds values in quoted-printable text, whose line breaks and other escapes stay.
    private func quotedPrintable(
        in bytes: Span<UInt8>,
        _ scope: UnitScanner.Scope
    ) -> [Replacement] {
        guard let part = QuotedPrintablePart(bytes), part.bytes.count <= scope.budget.bytes else {
            return []
        }
        scope.budget.take(part.bytes.count)
        return replacements(in: part.bytes.span, scope.inner()).map {
            Replacement(range: part.source(of: $0.range), bytes: $0.bytes)
        }
    }

    /// Finds values in compressed streams, which are compressed again.
    private func streams(in bytes: Span<UInt8>, _ scope: UnitScanner.Scope) -> [Replacement] {
        var found: [Replacement] = []
        EmbeddedStream.forEach(in: bytes, scope.budget) { stream in
            let inner = replacements(in: stream.decoded.span, scope.inner())
            guard !inner.isEmpty else { return true }
            if case .limit = stream.end {
                // The rest of the stream was not decoded, and its end is not known.
                let range = stream.range.lowerBound..<bytes.count
                found.append(Replacement(range: range, bytes: mask))
                return false
            }
            let changed = Replacement.apply(inner, to: stream.decoded.span)
            let coded = (try? stream.coding.encode(changed.span)) ?? mask
            found.append(Replacement(range: stream.range, bytes: coded))
            return true
        }
        return found
    }
}
