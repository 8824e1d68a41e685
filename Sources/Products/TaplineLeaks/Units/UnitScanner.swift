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
    /// The number of streams that are decoded with bytes after the window in which they began.
    private var continuedStreams = 0
    /// The maximum of that number; each stream has a window and a decoder in memory.
    private static let maxContinuedStreams = 8
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
    /// missed; a multiple of the size of a character in UTF-32.
    ///
    /// The longest form is UTF-32, and twice as much has room for a value whose bytes are all
    /// escaped.
    var reach: Int { (max(32 << 10, 2 * values.maxFormBytes) + 3) & ~3 }

    /// The length of the longest form of a value.
    var maxFormBytes: Int { values.maxFormBytes }

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
    func scan(_ bytes: Span<UInt8>) -> [Hit] { scan(bytes, makeScope(), open: nil) }

    /// Finds all hits in a window of a longer text.
    ///
    /// - Parameters:
    ///   - bytes: The window.
    ///   - scope: Where it belongs; `next` is the start of what the next window contains as well.
    ///   - open: Receives streams that do not end in the window, to be decoded with what follows;
    ///     what was decoded of them is not scanned.
    /// - Returns: The hits, in no order.
    func scan(
        window bytes: Span<UInt8>,
        _ scope: Scope,
        open: (EmbeddedStream) -> Void
    ) -> [Hit] {
        withoutActuallyEscaping(open) { scan(bytes, scope, open: $0) }
    }

    /// Makes the scope of a unit.
    func makeScope() -> Scope { Scope(budget: DecodingBudget(limits.maxDecodedBytes)) }

    /// Notes that a stream is going to be continued; returns `false` if there are too many.
    func beginContinuedStream() -> Bool {
        guard continuedStreams < Self.maxContinuedStreams else { return false }
        continuedStreams += 1
        return true
    }

    /// Notes that a continued stream has ended.
    func endContinuedStream() { continuedStreams -= 1 }

    /// Finds the hits in bytes without decoding: plain ones and fixed forms of values.
    func scanPlain(_ bytes: Span<UInt8>) -> [Hit] {
        var hits = scanValues(bytes)
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

    /// Finds the fixed forms of values, without decoding.
    func scanValues(_ bytes: Span<UInt8>) -> [Hit] {
        var hits: [Hit] = []
        values.search(bytes) { range, value, coding in
            hits.append(Hit(range: range, kind: value, codings: coding.names))
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
            StreamStart.next(in: texts, from: 0) == nil, !Self.mayBeZlib(texts),
            !ClosedArchive.mayOccur(in: texts)
        else { return false }
        return isClean(texts)
    }

    /// Returns whether one of several texts, each of which has a quote after it, may be zlib with
    /// another window than the usual one, which is only found at its start.
    private static func mayBeZlib(_ texts: Span<UInt8>) -> Bool {
        var position = 0
        while let quote = texts.firstIndex(of: UInt8(ascii: "\""), from: position) {
            position = quote + 1
            if StreamStart.isZlib(texts, at: position) { return true }
        }
        return false
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
}

// MARK: - Decoding

extension UnitScanner {
    /// Where bytes belong: how deep they are in others, and whether others follow.
    struct Scope {
        var depth = 0
        /// How many more bytes may be decoded.
        let budget: DecodingBudget
        /// The position from which on a part that reaches the end of the bytes is in the next
        /// window as well, with its start; `nil` if nothing follows the bytes.
        var next: Int?

        /// The scope of bytes that are decoded from a part.
        func inner(next: Int? = nil) -> Scope {
            Scope(depth: depth + 1, budget: budget, next: next)
        }

        /// Returns whether a part is cut off by the end of a window, and no other window has all
        /// of it.
        func cutsOff(_ start: Int) -> Bool { next.map { start < $0 } ?? false }
    }

    private func scan(
        _ bytes: Span<UInt8>,
        _ scope: Scope,
        open: ((EmbeddedStream) -> Void)?
    ) -> [Hit] {
        var hits = scanPlain(bytes)
        if ClosedArchive.isPart(of: bytes) { noteLimit() }
        guard scope.depth < limits.maxDepth else {
            if parts.mayOccur(in: bytes) || QuotedPrintablePart(bytes) != nil { noteLimit() }
            return hits
        }
        addTexts(in: bytes, scope, &hits)
        addStreams(in: bytes, scope, &hits, open)
        return hits
    }

    /// Adds the hits in encoded texts.
    private func addTexts(in bytes: Span<UInt8>, _ scope: Scope, _ hits: inout [Hit]) {
        parts.forEach(in: bytes, scope.budget) { run, decoded in
            var inner = scope.inner()
            if let next = scope.next, run.form.isWide || run.range.upperBound == bytes.count {
                if run.form.isWide || run.form.isCharacterwise {
                    // The text goes on in the next window, character by character.
                    let share = Double(decoded.count) / Double(max(run.range.count, 1))
                    let start = Double(max(next - run.range.lowerBound, 0))
                    inner.next = next == .max ? .max : Int(start * share)
                } else if scope.cutsOff(run.range.lowerBound) {
                    noteLimit()
                }
            }
            hits.add(decoded: scan(decoded, inner, open: nil), of: run.range, run.form.name)
        } cutShort: {
            noteLimit()
        }
        guard let part = QuotedPrintablePart(bytes) else { return }
        guard part.bytes.count <= scope.budget.bytes else { return noteLimit() }
        scope.budget.take(part.bytes.count)
        for hit in scan(part.bytes.span, scope.inner(), open: nil) {
            hits.add(
                decoded: [hit],
                of: part.source(of: hit.range),
                QuotedPrintablePart.name
            )
        }
    }

    /// Adds the hits in compressed data that begins anywhere.
    private func addStreams(
        in bytes: Span<UInt8>,
        _ scope: Scope,
        _ hits: inout [Hit],
        _ open: ((EmbeddedStream) -> Void)?
    ) {
        EmbeddedStream.forEach(in: bytes, scope.budget) { stream in
            switch stream.end {
            case .complete, .damaged: break
            case .limit: noteLimit()
            case .open where scope.cutsOff(stream.range.lowerBound):
                if let open {
                    open(stream)
                    return true
                }
                noteLimit()
            case .open: break
            }
            guard !stream.decoded.isEmpty else { return true }
            hits.add(
                decoded: scan(stream.decoded.span, scope.inner(), open: nil),
                of: stream.range,
                stream.coding.name
            )
            return true
        }
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
