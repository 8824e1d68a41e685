// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Changes to a text, gathered while it is read and made in one go at the end.
///
/// **Shape**: ordered by place, without overlap: an edit that begins before others takes them over,
/// one that begins within another makes that one longer. Each is the work of one rule, so that what
/// is counted is what was made.
struct EditList {
    private struct Edit {
        var range: Range<Int>
        var text: Range<Int>
        let rule: UInt32
    }

    private var edits: [Edit] = []
    private var texts: [UInt8] = []

    var isEmpty: Bool { edits.isEmpty }

    /// Where the last edit ends.
    var end: Int { edits.last?.range.upperBound ?? 0 }

    /// Whether the edits leave nothing but blanks and semicolons of a text.
    func removesAll(of bytes: Span<UInt8>) -> Bool {
        guard texts.isEmpty else { return false }
        let rest = apply(to: bytes)
        return rest.allSatisfy { $0.isBlank || $0 == .ascii(";") }
    }

    /// Forgets all edits and keeps the room.
    mutating func reset() {
        edits.removeAll(keepingCapacity: true)
        texts.removeAll(keepingCapacity: true)
    }

    /// Adds an edit of a rule, whose text `write` appends.
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

    /// Tells the index of each edit's rule.
    func forEachRule(_ body: (UInt32) -> Void) {
        for edit in edits { body(edit.rule) }
    }

    /// The text with all edits made.
    func apply(to bytes: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + texts.count)
        var position = 0
        for edit in edits {
            output.append(copying: bytes.extracting(position..<edit.range.lowerBound))
            output.append(copying: texts.span.extracting(edit.text))
            position = edit.range.upperBound
        }
        output.append(copying: bytes.extracting(position..<bytes.count))
        return output
    }
}

/// Keeps a list whole while items are taken out of it: with each item goes one separator.
struct ListCutter {
    private var keptEnd: Int?

    /// An item stays.
    mutating func keep(until end: Int) {
        keptEnd = end
    }

    /// An item goes, together with the separator behind it; `next` is where the next one begins.
    ///
    /// Of the last item, the separator before it goes.
    func remove(_ item: Range<Int>, next: Int?, _ rule: Rule, _ edits: inout EditList) {
        if let next {
            edits.remove(item.lowerBound..<next, rule)
        } else {
            edits.remove((keptEnd ?? item.lowerBound)..<item.upperBound, rule)
        }
    }
}
