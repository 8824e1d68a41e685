// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplinePlugin

/// The notation of a text that is searched for secrets.
enum TextPlace: Int {
    /// Plain text, without any notation around it.
    case plain
    /// A URL or a form: replacements are percent-encoded.
    case url
    /// A complete JSON text: a replacement is a string, or part of one.
    case json
    /// Within a JSON string.
    case jsonPart
    /// Code or markup whose names and texts have already been searched.
    case code
}

/// Finds secrets by form in a text, and by form and name in all content embedded in it.
///
/// Embedded content is decoded, searched and edited like a text of its own, and encoded again in
/// its original form. If that is not possible, as with signed tokens, it is replaced whole. Content
/// that cannot be searched because of a limit is masked.
///
/// **Shape**: kept by a stage for its buffers; the only state carried over between texts is the
/// used budget. **Limits**: `EmbeddedLimits` and `SearchBudget`; time is linear.
struct SecretSearch {
    private let rules: RuleSet
    private let scanner: (any SecretScanner)?
    /// Whether detectors may search several texts at once.
    let joins: Bool
    let finder = EmbeddedFinder()
    private var json = JSONEditor()
    private var findings: [SecretFinding] = []
    /// The remaining budget for decoding.
    var budget: SearchBudget
    private var clean = CleanTextCache()
    /// Reusable buffers for decoded texts and for findings.
    private var texts: [[UInt8]] = []
    private var runs: [[EmbeddedRun]] = []
    /// The runs of the outermost text; empty between two texts.
    private var outerRuns: [EmbeddedRun] = []
    private var meanings: [DetectorBatch] = []

    init(_ rules: RuleSet, _ scanner: (any SecretScanner)?, joins: Bool) {
        self.rules = rules
        self.scanner = scanner
        self.joins = joins
        budget = SearchBudget(
            finder.limits,
            maxBytes: rules.limits.maxDecodedBytes,
            maxTime: rules.limits.maxTime
        )
    }

    /// Begins another exchange.
    mutating func beginExchange() {
        budget.beginExchange()
        clean.removeAll()
    }

    /// Whether secrets are found by form.
    var hasDetectors: Bool { scanner != nil }

    /// Records in which texts the detectors may find something without decoding.
    mutating func noteFindings(in texts: inout DetectorBatch) {
        guard hasDetectors, !texts.bytes.isEmpty else { return }
        guard joins else {
            texts.note(nil)
            return
        }
        if finds(in: texts.bytes.span) { texts.note(findings) }
    }

    /// Whether the detectors find anything in a text without decoding it.
    private mutating func finds(in bytes: Span<UInt8>) -> Bool {
        findings.removeAll(keepingCapacity: true)
        scanner?.scan(bytes, into: &findings)
        return !findings.isEmpty
    }

    /// Decodes a body, or a part of one, that is entirely in one encoding.
    mutating func decodeWhole(
        _ bytes: Span<UInt8>,
        _ form: EmbeddedForm,
        appendingTo meaning: inout [UInt8]
    ) -> EmbeddedOutcome {
        let limit = form.isCompressed ? budget.bytesOfBody : rules.limits.maxDecodedBytes
        let outcome = finder.decode(bytes, from: form, limit: limit, appendingTo: &meaning)
        if form.isCompressed { budget.spend(meaning.count) }
        return outcome
    }

    /// Adds the edits for a range; existing edits take precedence.
    ///
    /// `scans` is `false` if detectors are known to find nothing in the text without decoding it.
    mutating func edit(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ place: TextPlace,
        scans: Bool = true,
        _ edits: inout EditList
    ) {
        let text = bytes.extracting(range)
        let scans = scans && scanner != nil
        finder.find(in: text, appendingTo: &outerRuns)
        guard scans || !outerRuns.isEmpty || isForm(text, place) else { return }
        // Moved out while texts in this one are searched, which use it too; its memory is reused.
        var runs = exchange(&outerRuns, with: [])
        defer {
            runs.removeAll(keepingCapacity: true)
            outerRuns = runs
        }
        budget.beginText(range.count)
        var found = EditList()
        if scans { scan(text, place, &found) }
        search(text, place, runs, depth: 0, known: edits, offset: range.lowerBound, &found)
        edits.merge(found, offset: range.lowerBound)
    }

    /// Finds the edits of an embedded text: first by form in the text itself, then in the content
    /// embedded in it.
    private mutating func search(
        _ text: Span<UInt8>,
        _ place: TextPlace,
        depth: Int,
        scans: Bool,
        known: EditList,
        _ found: inout EditList
    ) {
        if scans { scan(text, place, &found) }
        var runs = self.runs.popLast() ?? []
        defer { self.runs.append(runs) }
        runs.removeAll(keepingCapacity: true)
        finder.find(in: text, appendingTo: &runs)
        search(text, place, runs, depth: depth, known: known, offset: 0, &found)
    }

    /// Finds the edits of the content embedded in a text, and fits all findings into the text.
    private mutating func search(
        _ text: Span<UInt8>,
        _ place: TextPlace,
        _ runs: [EmbeddedRun],
        depth: Int,
        known: EditList,
        offset: Int,
        _ found: inout EditList
    ) {
        if !runs.isEmpty {
            var inner = EditList()
            enter(runs, text, place, depth, known, offset, &inner)
            if isForm(text, place) { scanForm(text, &found) }
            found.merge(inner)
        } else if isForm(text, place) {
            scanForm(text, &found)
        }
        if place == .json, !found.isEmpty { found = JSONEditFitter.placed(found, in: text) }
    }

    /// Whether the meaning of a text differs if `+` is a space.
    private func isForm(_ text: Span<UInt8>, _ place: TextPlace) -> Bool {
        place == .url && scanner != nil && text.firstIndex(of: .ascii("+")) != nil
    }

    /// Finds secrets by form.
    private mutating func scan(_ text: Span<UInt8>, _ place: TextPlace, _ found: inout EditList) {
        guard finds(in: text) else { return }
        for finding in findings {
            guard let rule = rule(of: finding) else { continue }
            // The digits of an escape are not part of what follows it.
            var start = max(finding.start, 0)
            var end = min(finding.end, text.count)
            if let escape = EmbeddedFinder.escape(around: start, in: text) {
                start = escape.upperBound
            }
            if let escape = EmbeddedFinder.escape(around: end, in: text) { end = escape.upperBound }
            guard start < end else { continue }
            rules.replace(text, start..<end, rule, place.notation, &found)
        }
    }

    /// Finds secrets by form in the decoded text of a form, in which `+` is a space.
    private mutating func scanForm(_ text: Span<UInt8>, _ found: inout EditList) {
        var inner = EditList()
        let run = EmbeddedRun(range: 0..<text.count, form: .formEncoded)
        var meaning: [UInt8] = []
        _ = finder.decode(text, from: run.form, appendingTo: &meaning)
        scan(meaning.span, .plain, &inner)
        found.merge(lifted(inner, from: run, text, .url))
    }

    private func rule(of finding: SecretFinding) -> Rule? {
        rules.detectors.indices.contains(finding.kind) ? rules.detectors[finding.kind] : nil
    }
}

extension TextPlace {
    /// The notation of replacements.
    var notation: Notation {
        switch self {
        case .plain, .code: .plain
        case .url: .url
        case .json, .jsonPart: .jsonPart
        }
    }

    var isJSON: Bool { self == .json || self == .jsonPart }
}

// MARK: - Embedded content

extension SecretSearch {
    /// How much is decoded at once: enough for one call of the detectors, and small enough for the
    /// CPU cache.
    private static let batchLength = 1 << 14

    /// Decodes runs, searches their content and adds the edits of the runs, or of their parts.
    private mutating func enter(
        _ runs: [EmbeddedRun],
        _ text: Span<UInt8>,
        _ place: TextPlace,
        _ depth: Int,
        _ known: EditList,
        _ offset: Int,
        _ found: inout EditList
    ) {
        var batch = meanings.popLast() ?? DetectorBatch()
        defer { meanings.append(batch) }
        var next = 0
        while next < runs.count {
            let first = next
            batch.removeAll()
            repeat {
                let run = runs[next]
                let outer = run.range.lowerBound + offset..<run.range.upperBound + offset
                if !known.isEmpty, known.covers(outer) {
                    batch.appendEmpty(.unwanted)
                } else {
                    decode(run, text, depth, &batch)
                }
                next += 1
            } while next < runs.count && batch.bytes.count < SecretSearch.batchLength
            noteFindings(in: &batch)
            for index in first..<next {
                enter(runs[index], batch, index - first, text, place, depth, &found)
            }
        }
    }

    /// Decodes a run into a batch, if no limit prevents it and the result cannot be larger.
    private func decode(
        _ run: EmbeddedRun,
        _ text: Span<UInt8>,
        _ depth: Int,
        _ batch: inout DetectorBatch
    ) {
        guard depth < finder.limits.maxDepth, budget.bytes > 0, !run.form.mayGrow else {
            batch.appendEmpty(.apart)
            return
        }
        let source = text.extracting(run.range)
        batch.append { bytes in
            finder.decode(source, from: run.form, appendingTo: &bytes) == .decoded
        }
    }

    /// Searches the content of one run of a batch.
    private mutating func enter(
        _ run: EmbeddedRun,
        _ batch: borrowing DetectorBatch,
        _ index: Int,
        _ text: Span<UInt8>,
        _ place: TextPlace,
        _ depth: Int,
        _ found: inout EditList
    ) {
        let slot = batch.slots[index]
        switch slot.state {
        case .unwanted: return
        case .apart:
            enter(run, text, place, depth, &found)
            return
        case .none, .whole: break
        }
        guard slot.range.count <= budget.bytes, budget.bytes > 0 else {
            rules.replace(text, run.range, rules.inDoubt, place.notation, &found)
            return
        }
        guard slot.state == .whole else { return }
        budget.spend(slot.range.count)
        let meaning = batch.bytes.span.extracting(slot.range)
        edit(meaning, scans: slot.isSuspect, run, text, place, depth, &found)
    }

    /// Decodes one run on its own and searches its content.
    private mutating func enter(
        _ run: EmbeddedRun,
        _ text: Span<UInt8>,
        _ place: TextPlace,
        _ depth: Int,
        _ found: inout EditList
    ) {
        let source = text.extracting(run.range)
        let mark = depth << 4 | place.rawValue
        if run.form.isCompressed, clean.contains(source, mark: mark) { return }
        guard depth < finder.limits.maxDepth, budget.bytes > 0 else {
            rules.replace(text, run.range, rules.inDoubt, place.notation, &found)
            return
        }
        var meaning = texts.popLast() ?? []
        defer { texts.append(meaning) }
        meaning.removeAll(keepingCapacity: true)
        let outcome = finder.decode(
            source,
            from: run.form,
            limit: budget.bytes,
            appendingTo: &meaning
        )
        budget.spend(meaning.count)
        switch outcome {
        case .isNoText where !run.form.isCompressed || meaning.isEmpty:
            return
        case .isTooLarge:
            rules.replace(text, run.range, rules.inDoubt, place.notation, &found)
            return
        // Content that is truncated or has trailing data is searched as far as it can be decoded.
        case .decoded, .isNoText: break
        }
        var inner = EditList()
        edit(meaning.span, scans: scanner != nil, run, text, place, depth, &inner)
        if inner.isEmpty, run.form.isCompressed {
            clean.insert(source, mark: mark, meaning: meaning.count)
        }
        found.merge(inner)
    }

    /// Searches the content of a run, and adds the edit of the run, or those of its parts.
    private mutating func edit(
        _ meaning: Span<UInt8>,
        scans: Bool,
        _ run: EmbeddedRun,
        _ text: Span<UInt8>,
        _ place: TextPlace,
        _ depth: Int,
        _ found: inout EditList
    ) {
        var inner = EditList()
        if !run.form.isCharacterwise, let whole = finder.wholeForm(of: meaning) {
            let all = EmbeddedRun(range: 0..<meaning.count, form: whole)
            enter(all, meaning, .plain, depth + 1, &inner)
        } else {
            let source = text.extracting(run.range)
            let meant = editNames(meaning, of: source, run.form, place, depth, &inner)
            var hidden = EditList()
            search(meaning, meant, depth: depth + 1, scans: scans, known: inner, &hidden)
            inner.merge(hidden)
        }
        guard !inner.isEmpty else { return }
        if run.form.isCharacterwise {
            found.merge(lifted(inner, from: run, text, place))
        } else {
            write(inner, meaning, run, text, place, &found)
        }
    }

    /// Finds secrets by name in embedded content; returns the kind of that content.
    ///
    /// The content of JSON strings and form values has already been searched in its place.
    private mutating func editNames(
        _ text: Span<UInt8>,
        of source: Span<UInt8>,
        _ form: EmbeddedForm,
        _ place: TextPlace,
        _ depth: Int,
        _ edits: inout EditList
    ) -> TextPlace {
        let whole = 0..<text.count
        if JSONText.isLikely(text, whole) {
            if json.edit(text, whole, rules, &edits) { return .json }
            edits.reset()
        }
        let isKnown =
            form.hasReferences || place == .url || place == .code
            || (form.hasBackslashes && place.isJSON)
        if !form.isCharacterwise || depth > 0 || !isKnown {
            rules.editShortText(text, whole, .plain, &edits)
        } else if form.hasReferences {
            TextEditor(rules: rules, isQuery: true, isStrict: true).edit(text, whole, &edits)
            var found = EditList()
            rules.credentials.edit(text, whole, .plain, rules, &found)
            edits.merge(found)
        }
        editMarkup(text, of: source, form, &edits)
        return .plain
    }

    /// Finds secrets by name in markup: in content that begins with a tag, and in fragments with
    /// escaped tags.
    private mutating func editMarkup(
        _ text: Span<UInt8>,
        of source: Span<UInt8>,
        _ form: EmbeddedForm,
        _ edits: inout EditList
    ) {
        let whole = 0..<text.count
        let isWhole = MarkupEditor.isLikely(text, whole)
        guard isWhole || (form.isCharacterwise && SecretSearch.hasMoreTags(text, than: source))
        else { return }
        var found = EditList()
        var editor = MarkupEditor(rules, isFragment: form.isCharacterwise)
        editor.edit(text, whole, &json, &found)
        edits.merge(found)
    }

    private static func hasMoreTags(_ text: Span<UInt8>, than source: Span<UInt8>) -> Bool {
        func count(_ text: Span<UInt8>) -> Int {
            var count = 0
            var position = 0
            while let next = text.firstIndex(of: .ascii("<"), from: position) {
                count += 1
                position = next + 1
            }
            return count
        }
        let all = count(text)
        return all > 1 && all > count(source)
    }

    /// Encodes an edited text in its original form.
    private func write(
        _ inner: EditList,
        _ meaning: Span<UInt8>,
        _ run: EmbeddedRun,
        _ text: Span<UInt8>,
        _ place: TextPlace,
        _ found: inout EditList
    ) {
        var written: [UInt8] = []
        let changed = inner.apply(to: meaning)
        if run.form.isWritable, run.form.encode(changed.span, appendingTo: &written) {
            if place.isJSON {
                var escaped: [UInt8] = []
                JSONText.encode(written.span, to: &escaped)
                written = escaped
            }
        } else {
            // A signature would reveal the original payload.
            let token = text.extracting(run.range)
            inner.forEachRule { rules.report(token, Rule(Int($0), .mask)) }
            rules.replacement.append(.mask, of: token, as: place.notation, to: &written)
        }
        found.add(run.range, written.span, by: inner)
    }

    /// Converts the edits of a run's content to edits of the run.
    private func lifted(
        _ inner: EditList,
        from run: EmbeddedRun,
        _ text: Span<UInt8>,
        _ place: TextPlace
    ) -> EditList {
        let source = text.extracting(run.range)
        guard place.isJSON, !run.form.hasBackslashes else {
            return inner.lifted(to: source, run.form, offset: run.range.lowerBound)
        }
        var outer = EditList()
        var escaped: [UInt8] = []
        let lifted = inner.lifted(to: source, run.form, offset: run.range.lowerBound)
        lifted.forEach { range, written, rule in
            escaped.removeAll(keepingCapacity: true)
            JSONText.encode(written, to: &escaped)
            outer.add(range, escaped.span, rule)
        }
        outer.addOthers(of: lifted)
        return outer
    }
}
