// SPDX-License-Identifier: MIT

/// A match that a search found.
@frozen
package struct EmbeddedHit: Equatable, Sendable {
    /// The start of the match.
    package var start: Int
    /// The end of the match.
    package var end: Int
    /// A number by which the searcher identifies what it found.
    package var tag: Int
    /// The number of forms that the match is embedded in.
    package internal(set) var depth = 0
    /// The innermost of these forms.
    package internal(set) var form: EmbeddedForm?

    /// Makes a match in the text that is being searched.
    package init(start: Int, end: Int, tag: Int) {
        self.start = start
        self.end = end
        self.tag = tag
    }
}

/// Searches a text and everything that is embedded in it.
///
/// **Shape.** Keep a walker to reuse its buffers; no other state carries over to the next text.
///
/// **Limits.** `EmbeddedLimits`; time is linear in the text.
package struct EmbeddedWalker {
    private let finder: EmbeddedFinder
    private var budget = 0
    private var isComplete = true
    /// One buffer for each depth.
    private var buffers: [[UInt8]] = []

    /// Makes a walker with these limits.
    package init(_ limits: EmbeddedLimits = EmbeddedLimits()) {
        finder = EmbeddedFinder(limits)
    }

    /// Calls a search with the text and with all texts embedded in it.
    ///
    /// **Shape.** Hits have positions in the outermost text: exact ones for escapes, otherwise
    /// those of the run that contains them. A hit in a text itself is not reported again for its
    /// decoded form.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - hits: The array that the hits are appended to.
    ///   - search: Appends its hits in a text, in order, with positions in that text.
    /// - Returns: Whether everything was searched; `false` if a limit prevented it.
    package mutating func walk(
        _ bytes: Span<UInt8>,
        appendingTo hits: inout [EmbeddedHit],
        _ search: (Span<UInt8>, inout [EmbeddedHit]) -> Void
    ) -> Bool {
        budget = finder.limits.budget(for: bytes.count)
        isComplete = true
        if let form = finder.wholeForm(of: bytes) {
            let run = EmbeddedRun(range: 0..<bytes.count, form: form)
            var known = KnownHits([])
            // The form is only a guess, so the text itself is searched too, except for complete
            // compressed data.
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

    /// Searches the decoded text of a run.
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
        // Compressed data that is truncated or followed by other bytes is searched as far as it
        // decodes.
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

    /// Converts the positions of hits to positions in the text around a run.
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

/// The hits in a text itself, queried in order.
private struct KnownHits {
    private let hits: [EmbeddedHit]
    private var next = 0

    init(_ hits: [EmbeddedHit]) {
        self.hits = hits
    }

    /// Returns whether a hit with the same tag overlaps this one.
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
