// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStore

/// `tapline store merge STORE... --out FILE`: one store of several, ordered by the start of their
/// exchanges.
///
/// Of exchanges with the same id, the first one is kept, with the notes and tags of all.
final class StoreMerge {
    private let output: NewStore
    private var chain = RecordChain()
    private var known: Set<ExchangeID> = []
    /// The last exchange that was not written yet, since its duplicates come next.
    private var last: Exchange?
    private var duplicates = 0

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
                try output.finish()
                try merge.keepFilters(of: stores)
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
            last?.addAnnotations(of: exchange)
            return
        }
        guard known.insert(exchange.id).inserted else {
            duplicates += 1
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

    /// Copies saved filters; of those with the same name, the first one is kept.
    private func keepFilters(of stores: StoreSet) throws {
        let filters = try stores.savedFilters()
        guard output.isDatabase, !filters.isEmpty else { return }
        let editor = try StoreEditor(output.path)
        var names: Set<String> = []
        for filter in filters where names.insert(filter.name).inserted { try editor.save(filter) }
    }

    private func show(on console: Console) {
        console.note("\(Counted.text(output.count, "exchange")) written to \(output.path)")
        let repeated = duplicates + output.duplicates
        if repeated > 0 {
            console.note("\(Counted.text(repeated, "duplicate")) by id left out")
        }
        if output.refused > 0 {
            console.note("\(Counted.text(output.refused, "exchange")) could not be stored")
        }
    }
}

extension Exchange {
    /// Adds the notes and tags that only another copy of the exchange has.
    fileprivate mutating func addAnnotations(of other: Exchange) {
        let known = extra?.notes ?? []
        let notes = (other.extra?.notes ?? []).filter { !known.contains($0) }
        if !notes.isEmpty {
            var extra = self.extra ?? ExchangeExtra()
            extra.notes += notes
            self.extra = extra
        }
        for tag in other.tags where tags[tag.name] == nil { tags[tag.name] = tag.value }
    }
}
