// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStatistics

/// Counts the redactions of one lane's rules, and remembers which rules fired in the current
/// exchange.
///
/// An exchange without findings costs nothing here.
struct RuleCounter {
    /// The tag that lists the rules that fired.
    static let tag = "tapline.redacted"
    /// The tag with the version and the key check value of the stand-ins.
    static let standInTag = "tapline.pseudonyms"
    /// The maximum number of rules in a tag.
    static let maxMarks = 32

    private let book: RuleBook
    private let counters: CounterBank
    /// Whether rules are remembered for the tag.
    private let marks: Bool
    /// The value of `standInTag`; `nil` if no stand-ins are made.
    private let standIns: String?
    /// Whether the current exchange is a copy, whose redactions are not counted.
    var isPreview = false
    /// The rules that fired in the current exchange, in the order of the rules.
    private var fired: [UInt32] = []

    init(_ book: RuleBook, _ counters: CounterBank, marks: Bool, standIns: String? = nil) {
        self.book = book
        self.counters = counters
        self.marks = marks
        self.standIns = standIns
    }

    /// Counts a redaction by a rule.
    mutating func count(_ rule: UInt32) {
        if !isPreview { counters.add(to: Int(rule)) }
        guard marks, !fired.contains(rule) else { return }
        let position = fired.firstIndex { $0 > rule } ?? fired.endIndex
        fired.insert(rule, at: position)
    }

    /// Counts the edits of a text for their rules.
    mutating func count(_ edits: borrowing EditList) {
        edits.forEachRule { count($0) }
    }

    /// Writes the tags at the end of an exchange; appends to the text that another stage wrote.
    mutating func mark(_ tags: inout Tags) {
        guard !fired.isEmpty else { return }
        defer { fired.removeAll(keepingCapacity: true) }
        if let standIns { tags[RuleCounter.standInTag] = standIns }
        var text = tags[RuleCounter.tag] ?? ""
        for rule in fired.prefix(RuleCounter.maxMarks) {
            if !text.isEmpty { text += ", " }
            text += book.entries[Int(rule)].name
        }
        if fired.count > RuleCounter.maxMarks {
            text += ", and \(fired.count - RuleCounter.maxMarks) more"
        }
        tags[RuleCounter.tag] = text
    }
}

/// The counters of all lanes of a stage.
final class RuleCounters: Sendable {
    private let book: RuleBook
    private let lanes = Mutex<[CounterBank]>([])

    init(_ book: RuleBook) { self.book = book }

    /// Creates the counters of another lane.
    func makeCounters() -> CounterBank {
        let counters = CounterBank(count: book.entries.count)
        lanes.withLock { $0.append(counters) }
        return counters
    }

    /// The number of redactions by each rule, in the order of the rules; omits preset rules that
    /// never matched.
    var metrics: [Metric] {
        let lanes = lanes.withLock { $0 }
        let totals = lanes.isEmpty ? book.entries.map { _ in 0 } : CounterBank.sum(lanes)
        return zip(book.entries, totals).compactMap { entry, count in
            guard count > 0 || entry.isOwn else { return nil }
            return Metric("redactions", of: entry.name, count: count)
        }
    }
}
