// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStore

/// `tapline store merge STORE... --out FILE`: one store of several, ordered by the start of their
/// exchanges.
///
/// Of exchanges with the same id, the first one is kept, with the notes and tags of all; of different
/// colours, and of different values of a tag, those of the first one that has any.
final class StoreMerge {
    private let output: NewStore
    private var chain = RecordChain()
    private var known: Set<ExchangeID> = []
    /// The last exchange that was not written yet, since its duplicates come next.
    private var last: Exchange?
    private var duplicates = 0
    /// What people wrote about copies that came after their exchange was written.
    private var late: [ExchangeID: Annotations] = [:]
    /// How many copies there are whose notes and tags a recording does not get.
    private var lost = 0
    /// The exchanges whose copies have different colours, or different values of a tag.
    private var conflicts: Set<ExchangeID> = []

    private init(into output: NewStore) { self.output = output }

    static func run(_ invocation: Invocation) throws -> ExitCode {
        guard let path = invocation.value("out") else {
            throw UsageError(message: "'store merge' needs '--out FILE'")
        }
        let console = invocation.console
        let names = StoreCommand.names(invocation)
        let stores = try StoreSet(names) { console.note("warning: \($0)") }
        return try UnfinishedStores.removedBySignals { unfinished in
            let output = try NewStore(path, invocation, unfinished)
            let merge = StoreMerge(into: output)
            do {
                try stores.forEach(StoreQuery(order: .oldestFirst)) { try merge.add($0.exchange) }
                try merge.writeLast()
                try output.prepare()
                try merge.addLate()
                try output.keepFilters(of: stores)
                try output.finish()
            } catch {
                output.discard()
                throw error
            }
            merge.show(on: console)
            return stores.problems > 0 || output.refused > 0 ? .failure : .success
        }
    }

    private func add(_ exchange: Exchange) throws {
        if last?.id == exchange.id {
            duplicates += 1
            if last?.addAnnotations(of: exchange) == true { conflicts.insert(exchange.id) }
            return
        }
        guard known.insert(exchange.id).inserted else {
            duplicates += 1
            keepAnnotations(of: exchange)
            return
        }
        try writeLast()
        last = exchange
    }

    private func writeLast() throws {
        guard let exchange = last else { return }
        last = nil
        guard case .sealed(let record) = chain.seal(exchange) else { return }
        try output.write(record)
    }

    /// Keeps the notes and tags of a copy whose exchange was written already.
    private func keepAnnotations(of exchange: Exchange) {
        let annotations = Annotations(of: exchange)
        guard !annotations.isEmpty else { return }
        if output.isDatabase {
            let isDifferent = late[exchange.id, default: Annotations()].add(annotations)
            if isDifferent { conflicts.insert(exchange.id) }
        } else {
            lost += 1
        }
    }

    /// Adds the notes and tags of late copies to the new database, which is complete.
    private func addLate() throws {
        guard !late.isEmpty else { return }
        let editor = try StoreEditor(output.temporary)
        let store = try editor.store()
        var added: [(key: StoreKey, notes: [ExchangeNote], tags: Tags)] = []
        for (id, annotations) in late {
            guard let key = try store.key(of: id),
                let exchange = try store.exchange(at: key, [.tags, .extra])
            else { continue }
            let before = Annotations(of: exchange)
            var all = before
            if all.add(annotations) { conflicts.insert(id) }
            let missing = all.without(before)
            added.append((key: key, notes: missing.notes, tags: missing.tags))
        }
        try editor.add(added)
    }

    private func show(on console: Console) {
        console.note("\(Counted.text(output.count, "exchange")) written to \(output.path)")
        let repeated = duplicates + output.duplicates
        if repeated > 0 {
            console.note("\(Counted.text(repeated, "duplicate")) by id left out")
        }
        if lost > 0 {
            console.note(
                "the notes and tags of \(Counted.text(lost, "duplicate")) that began at another "
                    + "time were left out; a database would keep them"
            )
        }
        if !conflicts.isEmpty {
            console.note(
                "the colours or tags of \(Counted.text(conflicts.count, "exchange")) differ between "
                    + "copies; those of the first copy were kept"
            )
        }
        if output.refused > 0 {
            console.note("\(Counted.text(output.refused, "exchange")) could not be stored")
        }
    }
}

/// The notes and tags of an exchange.
private struct Annotations {
    private(set) var notes: [ExchangeNote] = []
    private(set) var tags = Tags()

    init() {}

    init(of exchange: Exchange) {
        notes = exchange.extra?.notes ?? []
        tags = exchange.tags
    }

    var isEmpty: Bool { notes.isEmpty && tags.isEmpty }

    /// Adds those of another copy.
    ///
    /// - Parameter other: The notes and tags of the copy.
    /// - Returns: Whether its colour, or its value of a tag, was left out, since there is another.
    mutating func add(_ other: Annotations) -> Bool {
        var isDifferent = false
        for note in other.notes where !notes.contains(note) {
            var note = note
            // An exchange has at most one star and one colour.
            if let former = mark(like: note.mark) {
                isDifferent = isDifferent || former != note.mark
                note.mark = ""
            }
            if !note.mark.isEmpty || !note.text.isEmpty { notes.append(note) }
        }
        for tag in other.tags {
            if let value = tags[tag.name] {
                isDifferent = isDifferent || value != tag.value
            } else {
                tags[tag.name] = tag.value
            }
        }
        return isDifferent
    }

    /// The star for a star, and the colour for any other mark; `nil` if there is none.
    private func mark(like mark: String) -> String? {
        let star = StoreMark.star.rawValue
        guard !mark.isEmpty else { return nil }
        return notes.map(\.mark).first { !$0.isEmpty && ($0 == star) == (mark == star) }
    }

    /// Those that another copy lacks; `correlation` is also a column, which only the sink sets.
    func without(_ other: Annotations) -> Annotations {
        var left = Annotations()
        left.notes = notes.filter { !other.notes.contains($0) }
        for tag in tags where other.tags[tag.name] == nil && tag.name != Correlation.tag {
            left.tags[tag.name] = tag.value
        }
        return left
    }
}

extension Exchange {
    /// Adds the notes and tags that only another copy of the exchange has; returns whether others
    /// were left out.
    fileprivate mutating func addAnnotations(of other: Exchange) -> Bool {
        let before = Annotations(of: self)
        var all = before
        let isDifferent = all.add(Annotations(of: other))
        if all.notes.count > before.notes.count {
            setExtra { $0.notes = all.notes }
        }
        tags = all.tags
        return isDifferent
    }
}
