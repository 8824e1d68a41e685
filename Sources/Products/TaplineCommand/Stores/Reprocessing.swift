// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineStore
internal import TaplineSystem

/// Runs stored exchanges through record stages, into a new store or into the same one.
final class Reprocessing {
    /// Why a store is not changed in place.
    private struct Incomplete: Error, CustomStringConvertible {
        let description: String
    }

    private let stages: RecordStages
    private var changes = RecordChanges()
    /// How many exchanges a stage dropped, by its id.
    private var dropped: [String: Int] = [:]
    private var failed = 0
    private var firstFailure = ""

    init(_ stages: RecordStages) { self.stages = stages }

    /// Reprocesses a store and shows a summary; returns whether every exchange was processed.
    func run(_ arguments: ReprocessArguments, _ invocation: Invocation) throws -> Bool {
        try UnfinishedStores.removedBySignals { unfinished in
            if let output = arguments.output {
                let store = try NewStore(output, invocation, unfinished)
                return try write(arguments.path, to: store, invocation.console)
            }
            try replace(arguments, invocation, unfinished)
            return true
        }
    }

    // MARK: Stores

    /// Writes a new store; returns whether every exchange was processed.
    private func write(_ path: String, to store: NewStore, _ console: Console) throws -> Bool {
        let unread: Int
        do {
            unread = try copy(path, to: store, console)
            try store.finish()
        } catch {
            store.discard()
            throw error
        }
        stages.stop()
        show(on: console, written: store.count, to: store.path)
        if unread > 0 {
            let what = Counted.text(unread, "exchange or body", "exchanges or bodies")
            console.note("\(what) could not be read")
        }
        if store.refused > 0 {
            console.note("\(Counted.text(store.refused, "exchange")) could not be stored")
        }
        return failed == 0 && unread == 0 && store.refused == 0
    }

    private func copy(_ path: String, to store: NewStore, _ console: Console) throws -> Int {
        let source = try StoreSet([path]) { console.note("warning: \($0)") }
        try source.forEach(StoreQuery(order: .oldestFirst)) { stored in
            if let record = seal(stored.exchange) { try store.write(record) }
        }
        return source.problems
    }

    /// Replaces the exchanges of a database in one transaction.
    private func replace(
        _ arguments: ReprocessArguments,
        _ invocation: Invocation,
        _ unfinished: UnfinishedStores
    ) throws {
        let path = arguments.path
        let rewrite = try DatabaseRewrite(path, .exclusive)
        // Before all exchanges are processed, which may take long.
        let backup = path + ".backup"
        try DatabaseRewrite.checkBackup(backup)
        let fresh = NewStore(temporaryFor: path, invocation, unfinished)
        defer { fresh.discard() }
        let unread = try rewrite.forEach { exchange in
            if let record = seal(exchange) { try fresh.write(record) }
        }
        try fresh.prepare()
        if let reason = obstacle(unread, fresh) {
            throw Incomplete(description: "'\(path)' was not changed; \(reason)")
        }
        // It is of no use before it is complete, nor while the database is unchanged.
        try rewrite.backUp(to: backup) { unfinished.add(backup) }
        let removed: [String]
        do {
            rewrite.beforeCommit = { unfinished.remove(backup) }
            removed = try rewrite.replaceContent(with: fresh.temporary)
        } catch {
            if rewrite.isChanged {
                invocation.console.note(
                    "'\(path)' has the new exchanges; the former content is in '\(backup)'"
                )
            } else {
                try? DatabaseRewrite.removeBackup(backup)
                unfinished.remove(backup)
                invocation.console.note("the exchanges of '\(path)' were not changed")
            }
            throw error
        }
        if !arguments.keepsBackup { try DatabaseRewrite.removeBackup(backup) }
        stages.stop()
        show(on: invocation.console, written: fresh.count, to: path)
        for index in removed {
            invocation.console.note(
                "warning: '\(path)': the full-text index '\(index)' was removed"
            )
        }
        if arguments.keepsBackup {
            invocation.console.note("the former content is in '\(backup)'")
        }
    }

    /// Why the new content must not replace the former one; `nil` if it may.
    private func obstacle(_ unread: Int, _ fresh: NewStore) -> String? {
        if unread > 0 {
            return "\(Counted.text(unread, "row or body", "rows or bodies")) could not be read"
        }
        if failed > 0 {
            return "a stage failed for \(Counted.text(failed, "exchange")): \(firstFailure)"
        }
        if fresh.refused > 0 {
            return "\(Counted.text(fresh.refused, "exchange")) could not be stored"
        }
        return nil
    }

    // MARK: Stages

    /// Runs the stages; `nil` if there is no record.
    private func seal(_ exchange: Exchange) -> Record? {
        switch stages.seal(exchange) {
        case .sealed(let record):
            guard record.exchange.id == exchange.id else {
                fail("a stage has changed the id")
                return nil
            }
            changes.note(from: exchange, to: record.exchange)
            return record
        case .dropped(let position, _):
            dropped[stages.id(at: position), default: 0] += 1
            return nil
        case .failed(let position, let error):
            fail("stage '\(stages.id(at: position))': \(error)")
            return nil
        }
    }

    private func fail(_ reason: String) {
        failed += 1
        if failed == 1 { firstFailure = reason }
    }

    // MARK: Summary

    private func show(on console: Console, written: Int, to path: String) {
        console.note("\(Counted.text(written, "exchange")) written to \(path)")
        console.note("\(Counted.text(changes.count, "exchange")) changed")
        for (stage, count) in dropped.sorted(by: { $0.key < $1.key }) {
            console.note("\(Counted.text(count, "exchange")) dropped by '\(stage)'")
        }
        if failed > 0 {
            console.note(
                "\(Counted.text(failed, "exchange")) left out, since a stage failed: "
                    + firstFailure
            )
        }
        for line in changes.lines { console.note(line) }
        for (stage, metrics) in stages.metrics {
            for line in StageMetrics(id: stage, metrics: metrics).lines { console.note(line) }
        }
    }
}
