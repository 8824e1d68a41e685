// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Changes to a text that are collected while it is read and applied together at the end.
///
/// **Shape**: ordered by position, without overlap. An edit that begins before others absorbs them;
/// one that begins within another extends it. Each edit belongs to one rule, so that the counters
/// match the edits that are made.
struct EditList {
    private struct Edit {
        var range: Range<Int>
        var text: Range<Int>
        var rule: UInt32
    }

    private var edits: [Edit] = []
    private var texts: [UInt8] = []
    /// Rules of edits that were absorbed into one of these.
    private var others: [UInt32] = []

    var isEmpty: Bool { edits.isEmpty }

    /// The end of the last edit.
    var end: Int { edits.last?.range.upperBound ?? 0 }

    /// Whether the edits leave only blanks and semicolons of a text.
    func removesAll(of bytes: Span<UInt8>) -> Bool {
        guard texts.isEmpty else { return false }
        let rest = apply(to: bytes)
        return rest.allSatisfy { $0.isBlank || $0 == .ascii(";") }
    }

    /// Removes the edits within a range.
    mutating func removeAll(within range: Range<Int>) {
        edits.removeAll {
            $0.range.lowerBound >= range.lowerBound && $0.range.upperBound <= range.upperBound
        }
    }

    /// Removes all edits and keeps the capacity.
    mutating func reset() {
        // Most lists are empty, and emptying one costs more than this check.
        if !edits.isEmpty { edits.removeAll(keepingCapacity: true) }
        if !texts.isEmpty { texts.removeAll(keepingCapacity: true) }
        if !others.isEmpty { others.removeAll(keepingCapacity: true) }
    }

    /// Adds an edit by a rule; `write` appends the new text.
    mutating func add(_ range: Range<Int>, _ rule: Rule, _ write: (inout [UInt8]) -> Void) {
        while let last = edits.last, last.range.lowerBound >= range.lowerBound {
            edits.removeLast()
        }
        if let last = edits.last, range.lowerBound < last.range.upperBound {
            let end = max(last.range.upperBound, range.upperBound)
            edits[edits.count - 1].range = last.range.lowerBound..<end
            return
        }
        let start = texts.count
        write(&texts)
        edits.append(Edit(range: range, text: start..<texts.count, rule: rule.index))
    }

    /// Adds the removal of a range by a rule.
    mutating func remove(_ range: Range<Int>, _ rule: Rule) {
        add(range, rule) { _ in }
    }

    /// Calls `body` with the rule index of each edit.
    func forEachRule(_ body: (UInt32) -> Void) {
        for edit in edits { body(edit.rule) }
        for rule in others { body(rule) }
    }

    /// Returns the text with all edits applied.
    func apply(to bytes: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        apply(to: bytes, into: &output)
        return output
    }

    /// Replaces the content of an array by the text with all edits applied.
    func apply(to bytes: Span<UInt8>, into output: inout [UInt8]) {
        output.removeAll(keepingCapacity: true)
        output.reserveCapacity(bytes.count + texts.count)
        var position = 0
        for edit in edits {
            output.append(copying: bytes.extracting(position..<edit.range.lowerBound))
            output.append(copying: texts.span.extracting(edit.text))
            position = edit.range.upperBound
        }
        output.append(copying: bytes.extracting(position..<bytes.count))
    }
}

// MARK: - Edits made elsewhere

extension EditList {
    /// Calls `body` with the range, the text and the rule of each edit.
    func forEach(_ body: (Range<Int>, Span<UInt8>, UInt32) -> Void) {
        let texts = texts.span
        for edit in edits { body(edit.range, texts.extracting(edit.text), edit.rule) }
    }

    /// Adds an edit by the rules of others: a text in which these edits were made.
    mutating func add(_ range: Range<Int>, _ text: Span<UInt8>, by inner: EditList) {
        guard let first = inner.edits.first else { return }
        let rule = Rule(Int(first.rule), .mask)
        add(range, rule) { $0.append(copying: text) }
        others.append(contentsOf: inner.edits.dropFirst().map(\.rule))
        others.append(contentsOf: inner.others)
    }

    /// Adds an edit by the index of its rule.
    mutating func add(_ range: Range<Int>, _ text: Span<UInt8>, _ rule: UInt32) {
        add(range, Rule(Int(rule), .mask)) { $0.append(copying: text) }
    }

    /// Adds the rules of edits that were made elsewhere.
    mutating func add(rules: [UInt32]) { others.append(contentsOf: rules) }

    /// Adds the absorbed rules of another list.
    mutating func addOthers(of other: EditList) {
        others.append(contentsOf: other.others)
    }

    /// Calls `body` with the number and the edits of each part of the text that has edits.
    ///
    /// The parts follow each other, end at `ends` and are not empty. An edit across the end of a part
    /// is written where it begins, and removes what is left of it in the next parts.
    func forEachPart(endingAt ends: [Int], _ body: (Int, EditList) -> Void) {
        var part = 0
        var start = 0
        var list = EditList()
        let texts = texts.span
        func leave() {
            if !list.isEmpty { body(part, list) }
            list = EditList()
            start = ends[part]
            part += 1
        }
        for edit in edits {
            var text = texts.extracting(edit.text)
            var low = edit.range.lowerBound
            repeat {
                while part < ends.count, ends[part] <= low { leave() }
                guard part < ends.count else { return }
                let high = min(edit.range.upperBound, ends[part])
                list.add(low - start..<high - start, text, edit.rule)
                text = Span()
                low = high
            } while low < edit.range.upperBound
        }
        if part < ends.count { leave() }
    }

    /// Whether one edit covers an entire range.
    func covers(_ range: Range<Int>) -> Bool {
        var low = 0
        var high = edits.count
        while low < high {
            let middle = (low + high) / 2
            if edits[middle].range.upperBound < range.upperBound {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < edits.count && edits[low].range.lowerBound <= range.lowerBound
    }

    /// Whether everything that another list edits is removed by this one, without a replacement.
    func removes(_ other: EditList) -> Bool {
        var next = 0
        for wanted in other.edits {
            while next < edits.count, edits[next].range.upperBound < wanted.range.upperBound {
                next += 1
            }
            guard next < edits.count, edits[next].text.isEmpty,
                edits[next].range.lowerBound <= wanted.range.lowerBound
            else { return false }
        }
        return true
    }

    /// Merges another list whose positions are relative to `offset`.
    ///
    /// Overlapping edits become one edit of this list that covers both.
    mutating func merge(_ other: EditList, offset: Int = 0) {
        guard !other.edits.isEmpty else { return }
        let shift = texts.count
        texts.append(contentsOf: other.texts)
        others.append(contentsOf: other.others)
        // Edits before the other list stay unchanged, so that merging lists in order costs only
        // what is added.
        let begin = other.edits[0].range.lowerBound + offset
        let kept = (edits.lastIndex { $0.range.upperBound <= begin }).map { $0 + 1 } ?? 0
        let edits = Array(self.edits[kept...])
        self.edits.removeSubrange(kept...)
        var merged: [Edit] = []
        merged.reserveCapacity(edits.count + other.edits.count)
        var (own, foreign) = (0, 0)
        // Whether the last edit of `merged` is from this list.
        var isOwn = false
        while own < edits.count || foreign < other.edits.count {
            var next: Edit
            let takesOwn =
                own < edits.count
                && (foreign == other.edits.count
                    || edits[own].range.lowerBound
                        <= other.edits[foreign].range.lowerBound + offset)
            if takesOwn {
                next = edits[own]
                own += 1
            } else {
                next = other.edits[foreign]
                next.range = next.range.lowerBound + offset..<next.range.upperBound + offset
                next.text = next.text.lowerBound + shift..<next.text.upperBound + shift
                foreign += 1
            }
            guard let last = merged.last, next.range.lowerBound < last.range.upperBound else {
                merged.append(next)
                isOwn = takesOwn
                continue
            }
            let end = max(last.range.upperBound, next.range.upperBound)
            if takesOwn, !isOwn {
                next.range = last.range.lowerBound..<end
                merged[merged.count - 1] = next
                isOwn = true
            } else {
                merged[merged.count - 1].range = last.range.lowerBound..<end
            }
        }
        self.edits.append(contentsOf: merged)
    }
}

/// Keeps a list well-formed while items are removed: each item is removed with one separator.
struct ListItemRemover {
    /// The end of the last item that was kept; negative if there is none.
    private var keptEnd = -1

    /// Keeps an item.
    mutating func keep(until end: Int) {
        keptEnd = end
    }

    /// Removes an item with the separator after it; `next` is where the next item begins.
    ///
    /// For the last item, the separator before it is removed.
    func remove(_ item: Range<Int>, next: Int?, _ rule: Rule, _ edits: inout EditList) {
        if let next {
            edits.remove(item.lowerBound..<next, rule)
        } else {
            edits.remove((keptEnd < 0 ? item.lowerBound : keptEnd)..<item.upperBound, rule)
        }
    }
}
