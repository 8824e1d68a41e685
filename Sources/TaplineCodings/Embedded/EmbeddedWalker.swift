// SPDX-License-Identifier: MIT

/// A place that a search found.
@frozen
public struct EmbeddedHit: Equatable, Sendable {
    /// Where it begins.
    public var start: Int
    /// Where it ends.
    public var end: Int
    /// What was found, in numbers of the searcher.
    public var tag: Int
    /// How many forms it is embedded in.
    public internal(set) var depth = 0
    /// The innermost of these.
    public internal(set) var form: EmbeddedForm?

    /// A place in the text that is being searched.
    public init(start: Int, end: Int, tag: Int) {
        self.start = start
        self.end = end
        self.tag = tag
    }
}

/// Searches a text and everything that is embedded in it.
///
/// **Shape**: kept for its buffers; nothing of one text matters to the next.
/// **Limits**: `EmbeddedLimits`; time is linear in the text.
public struct EmbeddedWalker {
    private let finder: EmbeddedFinder
    private var budget = 0
    private var isComplete = true
    /// Room for each depth.
    private var buffers: [[UInt8]] = []

    /// A walker of these limits.
    public init(_ limits: EmbeddedLimits = EmbeddedLimits()) {
        finder = EmbeddedFinder(limits)
    }

    /// Calls a search with the text and with all texts embedded in it.
    ///
    /// **Shape**: hits have their places in the outermost text, exactly for escapes, otherwise the
    /// whole run that they are in. What is found in a text as it stands is not reported again for
    /// what that text means.
    /// - Parameters:
    ///   - bytes: The text.
    ///   - hits: Gets the hits.
    ///   - search: Appends what it finds in a text, in order, with places in that text.
    /// - Returns: Whether all of it was searched; false where a limit stood in the way.
    public mutating func walk(
        _ bytes: Span<UInt8>,
        appendingTo hits: inout [EmbeddedHit],
        _ search: (Span<UInt8>, inout [EmbeddedHit]) -> Void
    ) -> Bool {
        budget = finder.limits.budget(for: bytes.count)
        isComplete = true
        if let form = finder.wholeForm(of: bytes) {
            let run = EmbeddedRun(range: 0..<bytes.count, form: form)
            var known = KnownHits([])
            // Not all that begins like this is so: but for what was compressed, and is whole, it is
            // searched as it stands too.
            let outcome = enter(run, bytes, 0, &known, &hits, search)
            if outcome == .decoded, form.isCompressed { return isComplete }
        }
        walk(bytes, 0, &hits, search)
        if EmbeddedForm.isQuotedPrintable(bytes) {
            let form = EmbeddedForm.quotedPrintable(of: bytes)
            var known = KnownHits(hits.sorted { $0.start < $1.start })
            let run = EmbeddedRun(range: 0..<bytes.count, form: form)
            _ = enter(run, bytes, 0, &known, &hits, search)
        }
        return isComplete
    }

    private mutating func walk(
        _ bytes: Span<UInt8>,
        _ depth: Int,
        _ hits: inout [EmbeddedHit],
        _ search: (Span<UInt8>, inout [EmbeddedHit]) -> Void
    ) {
        var own: [EmbeddedHit] = []
        search(bytes, &own)
        var runs: [EmbeddedRun] = []
        finder.find(in: bytes, appendingTo: &runs)
        var known = KnownHits(own)
        hits.append(contentsOf: own)
        for run in runs { _ = enter(run, bytes, depth, &known, &hits, search) }
    }

    /// Searches what a run means.
    private mutating func enter(
        _ run: EmbeddedRun,
        _ bytes: Span<UInt8>,
        _ depth: Int,
        _ known: inout KnownHits,
        _ hits: inout [EmbeddedHit],
        _ search: (Span<UInt8>, inout [EmbeddedHit]) -> Void
    ) -> EmbeddedOutcome {
        guard depth < finder.limits.maxDepth, budget > 0 else {
            isComplete = false
            return .isTooLarge
        }
        while buffers.count <= depth { buffers.append([]) }
        var text = buffers[depth]
        buffers[depth] = []
        text.removeAll(keepingCapacity: true)
        defer { buffers[depth] = text }
        let source = bytes.extracting(run.range)
        let outcome = finder.decode(source, from: run.form, limit: budget, appendingTo: &text)
        budget -= text.count
        if outcome == .isTooLarge { isComplete = false }
        // What is cut off, or has something after it, is searched as far as it goes.
        let isPart = run.form.isCompressed && !text.isEmpty
        guard outcome != .isNoText || isPart else { return outcome }
        var found: [EmbeddedHit] = []
        if let whole = finder.wholeForm(of: text.span) {
            let inner = EmbeddedRun(range: 0..<text.count, form: whole)
            var none = KnownHits([])
            _ = enter(inner, text.span, depth + 1, &none, &found, search)
        } else {
            walk(text.span, depth + 1, &found, search)
        }
        add(found, of: run, source, depth, &known, &hits)
        return outcome
    }

    /// Brings hits to their places in the text around a run.
    private func add(
        _ found: [EmbeddedHit],
        of run: EmbeddedRun,
        _ source: Span<UInt8>,
        _ depth: Int,
        _ known: inout KnownHits,
        _ hits: inout [EmbeddedHit]
    ) {
        var map = EscapeMap(run.form)
        for var hit in found.sorted(by: { $0.start < $1.start }) {
            if hit.form == nil {
                hit.form = run.form
                hit.depth = depth + 1
            }
            let place =
                map?.source(of: hit.start..<max(hit.start, hit.end), in: source)
                ?? 0..<run.range.count
            hit.start = run.range.lowerBound + place.lowerBound
            hit.end = run.range.lowerBound + place.upperBound
            if !known.contains(hit) { hits.append(hit) }
        }
    }
}

/// What was found in a text as it stands, asked for in order.
private struct KnownHits {
    private let hits: [EmbeddedHit]
    private var next = 0

    init(_ hits: [EmbeddedHit]) {
        self.hits = hits
    }

    /// Whether the same was found in the same place.
    mutating func contains(_ hit: EmbeddedHit) -> Bool {
        while next < hits.count, hits[next].end <= hit.start { next += 1 }
        var position = next
        while position < hits.count, hits[position].start < hit.end {
            if hits[position].tag == hit.tag { return true }
            position += 1
        }
        return false
    }
}
