// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// Looks for values and secrets in stretches of bytes that stand on their own: a line, a record, a
/// value of a database, a window of a text.
///
/// **Isolation**: one thread at a time.
final class UnitScanner {
    /// How far decoding goes.
    struct Limits: Sendable {
        /// How many codings within each other are undone.
        var maxDepth = 8
        /// How many bytes the decoded parts of one unit may have together.
        var maxDecodedBytes = 256 << 20
    }

    private let values: ValueIndex
    private let secrets: (any SecretScanner)?
    private let kinds: [LeakKind]
    private let limits: Limits
    private let parts = DecodedParts()
    private var findings: [SecretFinding] = []
    /// What may still be decoded of the unit.
    private var budget = 0
    /// Whether a limit kept a part of some unit from being looked at.
    private(set) var metLimit = false

    /// A scanner for values, and for what detectors find.
    init(_ values: ValueIndex, _ detectors: (any DetectorSet)?, _ limits: Limits = Limits()) throws
    {
        self.values = values
        self.limits = limits
        secrets = try detectors?.makeScanner()
        kinds =
            values.names.map { LeakKind.value($0) }
            + (detectors?.kinds ?? []).map { LeakKind.detector($0) }
    }

    /// How many bytes beside a border have to be seen for nothing to be missed there.
    var reach: Int { max(32 << 10, 2 * values.maxFormBytes) }

    /// What a hit is.
    func kind(of hit: Hit) -> LeakKind { kinds[hit.kind] }

    /// Returns whether a limit was met since the last time this was asked.
    func takeMetLimit() -> Bool {
        defer { metLimit = false }
        return metLimit
    }

    /// Finds all that stands in a unit, encoded or not.
    func scan(_ bytes: Span<UInt8>) -> [Hit] {
        budget = limits.maxDecodedBytes
        return scan(bytes, depth: 0)
    }

    /// Finds what stands in bytes as they are, or in one of the fixed forms of a value.
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

    private func scan(_ bytes: Span<UInt8>, depth: Int) -> [Hit] {
        var hits = scanPlain(bytes)
        guard depth < limits.maxDepth else { return hits }
        parts.forEach(in: bytes, limit: { [self] in budget }) { [self] range, coding, decoded in
            budget -= decoded.count
            hits.add(decoded: scan(decoded, depth: depth + 1), of: range, coding)
        } cutShort: { [self] in
            metLimit = true
        }
        return hits
    }
}

extension ValueForm.Coding {
    /// What reports say of the form.
    fileprivate var names: [String] {
        switch self {
        case .plain: []
        case .hex: ["hex"]
        case .utf16: ["utf-16"]
        case .base64: ["base64"]
        }
    }
}
