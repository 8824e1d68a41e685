// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin

/// Scans self-contained units of bytes: a line, a record, a value in a database, a window of a
/// text.
///
/// **Isolation.** Used by one thread at a time.
final class UnitScanner {
    /// The limits of decoding.
    struct Limits: Sendable {
        /// The maximum depth of nested codings.
        var maxDepth = 8
        /// The maximum total size of the decoded parts of one unit.
        var maxDecodedBytes = 256 << 20
    }

    /// Why a file is not clean if a limit prevented a part of it from being scanned.
    static let limitReason =
        "a part of it is in an archive, or exceeds the limits of decoding; only raw bytes were "
        + "scanned"

    private let values: ValueIndex
    private let secrets: (any SecretScanner)?
    private let kinds: [LeakKind]
    /// The limits of decoding.
    let limits: Limits
    private let parts = DecodedParts()
    private var findings: [SecretFinding] = []
    /// The number of bytes that may still be decoded for the unit.
    private var budget = 0
    /// Whether a part of a unit was not scanned, because of a limit or since it is in an archive.
    private(set) var metLimit = false

    /// Makes a scanner for values and for the findings of detectors.
    init(_ values: ValueIndex, _ detectors: (any DetectorSet)?, _ limits: Limits = Limits()) throws
    {
        self.values = values
        self.limits = limits
        secrets = try detectors?.makeScanner()
        kinds =
            values.names.map { LeakKind.value($0) }
            + (detectors?.kinds ?? []).map { LeakKind.detector($0) }
    }

    /// The number of bytes on either side of a boundary that a window needs so that nothing is
    /// missed.
    var reach: Int { max(32 << 10, 2 * values.maxFormBytes) }

    /// Whether something may be found in the text of a number.
    var mayFindNumbers: Bool { secrets != nil || values.mayBeNumber }

    /// Returns the kind of a hit.
    func kind(of hit: Hit) -> LeakKind { kinds[hit.kind] }

    /// Returns whether a part was not scanned since the last call.
    func takeMetLimit() -> Bool {
        defer { metLimit = false }
        return metLimit
    }

    /// Notes that a limit prevented a part of a unit from being scanned.
    func noteLimit() { metLimit = true }

    /// Finds all hits in a unit, encoded or not.
    func scan(_ bytes: Span<UInt8>) -> [Hit] {
        budget = limits.maxDecodedBytes
        return scan(bytes, depth: 0)
    }

    /// Finds the hits in bytes without decoding: plain ones and fixed forms of values.
    func scanPlain(_ bytes: Span<UInt8>) -> [Hit] {
        var hits: [Hit] = []
        values.search(bytes) { range, value, coding in
            hits.append(Hit(range: range, kind: value, codings: coding.names))
        }
        guard let secrets else { return hits }
        findings.removeAll(keepingCapacity: true)
        secrets.scan(bytes, into: &findings)
        for finding in findings where finding.start < finding.end && finding.end <= bytes.count {
            hits.append(
                Hit(range: finding.start..<finding.end, kind: values.names.count + finding.kind)
            )
        }
        return hits
    }

    /// Returns whether there is certainly nothing in a text, even if it is JSON.
    ///
    /// Most texts need not be parsed for that: without escapes and coded bodies, their strings are
    /// parts of the text itself.
    func isClean(_ text: Span<UInt8>) -> Bool {
        !CodedStrings.mayOccur(in: text) && scan(text).isEmpty && !metLimit
    }

    /// Returns whether there is certainly nothing in several texts or bytes, even if they are JSON,
    /// each of which has a quote after it.
    ///
    /// A quote ends all encoded parts, except compressed data, archives and whole texts in UTF-16
    /// or UTF-32, which are not clean. Detectors may depend on where a text begins.
    func areClean(_ texts: Span<UInt8>) -> Bool {
        guard secrets == nil, !Self.mayBeWide(texts),
            StreamStart.next(in: texts, from: 0) == nil, !ClosedArchive.mayOccur(in: texts)
        else { return false }
        return isClean(texts)
    }

    /// Returns whether one of several texts may be in UTF-16 or UTF-32: without a byte order mark, at
    /// least three bytes are zero.
    private static func mayBeWide(_ texts: Span<UInt8>) -> Bool {
        var zeros = 0
        var position = 0
        while let zero = texts.firstIndex(of: 0, from: position) {
            zeros += 1
            if zeros == 3 { return true }
            position = zero + 1
        }
        position = texts.firstIndex(ofEither: 0xFE, 0xFF, from: 0)
        while position < texts.count {
            if position == 0 || texts[position - 1] == UInt8(ascii: "\"") { return true }
            position = texts.firstIndex(ofEither: 0xFE, 0xFF, from: position + 1)
        }
        return false
    }

    private func scan(_ bytes: Span<UInt8>, depth: Int) -> [Hit] {
        var hits = scanPlain(bytes)
        if ClosedArchive.isPart(of: bytes) { metLimit = true }
        guard depth < limits.maxDepth else { return hits }
        parts.forEach(in: bytes, limit: { [self] in budget }) { [self] range, coding, decoded in
            budget -= decoded.count
            hits.add(decoded: scan(decoded, depth: depth + 1), of: range, coding)
        } cutShort: { [self] in
            noteLimit()
        }
        return hits
    }
}

/// Makes scanners that search for the same, one for each thread.
struct UnitScanners: Sendable {
    let values: ValueIndex
    let detectors: (any DetectorSet)?
    var limits = UnitScanner.Limits()

    init(_ values: ValueIndex, _ detectors: (any DetectorSet)?) {
        self.values = values
        self.detectors = detectors
    }

    /// Makes a scanner.
    func make() throws -> UnitScanner { try UnitScanner(values, detectors, limits) }
}

extension ValueForm.Coding {
    /// The names of the form in reports.
    fileprivate var names: [String] {
        switch self {
        case .plain: []
        case .hex: ["hex"]
        case .utf16: ["utf-16"]
        case .utf32: ["utf-32"]
        case .base64: ["base64"]
        }
    }
}
