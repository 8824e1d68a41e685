// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStore
internal import TaplineSystem

/// `tapline store split STORE --every TIME`: one store for each period in which exchanges began.
///
/// Periods are counted from 1970 in UTC, so that a day begins at midnight. The new stores get their
/// names when all of them are complete.
final class StoreSplit {
    /// How many stores are open at once.
    private static let maxOpen = 16
    /// How many stores a split may make.
    private static let maxStores = 10_000
    private static let microsecondsPerDay: Int64 = 86_400_000_000

    private let invocation: Invocation
    private let unfinished: UnfinishedStores
    private let name: String
    private let width: Int64
    private let folder: String
    /// The new stores by the number of their period.
    private var stores: [Int64: NewStore] = [:]
    /// The periods of the open stores; the one used last comes last.
    private var recent: [Int64] = []
    private var chain = RecordChain()

    private init(_ invocation: Invocation, _ unfinished: UnfinishedStores) throws {
        let names = StoreCommand.names(invocation)
        guard names.count == 1, let name = names.first else {
            throw UsageError(
                message: "'store split' needs one store; found \(names.count)",
                help: "'tapline store merge' makes one of several"
            )
        }
        guard let width = try invocation.time("every") else {
            throw UsageError(message: "'store split' needs '--every', a time such as 1d")
        }
        self.invocation = invocation
        self.unfinished = unfinished
        self.name = name
        self.width = width.count
        folder = invocation.value("out") ?? FileSystem.folder(of: name)
    }

    static func run(_ invocation: Invocation) throws -> ExitCode {
        try UnfinishedStores.removedBySignals { try StoreSplit(invocation, $0).run() }
    }

    private func run() throws -> ExitCode {
        let console = invocation.console
        if try FileSystem.status(of: folder) == nil { try FileSystem.makeFolder(folder) }
        let source = try StoreSet([name]) { console.note("warning: \($0)") }
        do {
            try source.forEach(StoreQuery(order: .oldestFirst)) { stored in
                guard case .sealed(let record) = chain.seal(stored.exchange) else { return }
                try store(at: stored.key.started).write(record)
            }
            for period in stores.keys.sorted() { try stores[period]?.prepare() }
            for store in stores.values { try store.keepFilters(of: source) }
            for period in stores.keys.sorted() { try stores[period]?.finish() }
        } catch {
            for store in stores.values { store.discard() }
            throw error
        }
        var refused = 0
        for (_, store) in stores.sorted(by: { $0.key < $1.key }) {
            console.note("\(Counted.text(store.count, "exchange")) written to \(store.path)")
            refused += store.refused
        }
        if refused > 0 { console.note("\(Counted.text(refused, "exchange")) could not be stored") }
        return source.problems > 0 || refused > 0 ? .failure : .success
    }

    /// Returns the store of a moment, and closes the one that was not used for the longest time.
    private func store(at moment: Timestamp) throws -> NewStore {
        let rest = moment.microseconds % width
        let period = moment.microseconds / width - (rest < 0 ? 1 : 0)
        if recent.last != period {
            recent.removeAll { $0 == period }
            recent.append(period)
            if recent.count > Self.maxOpen { try stores[recent.removeFirst()]?.pause() }
        }
        if let store = stores[period] { return store }
        guard stores.count < Self.maxStores else {
            throw UsageError(
                message: "'--every' makes more than \(Self.maxStores) stores; give a longer time"
            )
        }
        let store = try NewStore(path(of: period), invocation, unfinished)
        stores[period] = store
        return store
    }

    // MARK: Names

    /// `traffic-2026-11-20.db`, with the time of day if a period is no multiple of a day.
    private func path(of period: Int64) -> String {
        let (start, isBeyond) = period.multipliedReportingOverflow(by: width)
        let begins = Timestamp(microseconds: isBeyond ? 0 : start)
        let (year, month, day) = begins.date
        var label = "\(year)-\(Self.digits(month))-\(Self.digits(day))"
        if width % Self.microsecondsPerDay != 0 {
            let time = begins.time
            label += "T\(Self.digits(time.hour))\(Self.digits(time.minute))"
            label += "\(Self.digits(time.second))"
            if width % 1_000_000 != 0 { label += ".\(Self.digits(time.microsecond, width: 6))" }
            label += "Z"
        }
        let (stem, suffix) = Self.parts(of: FileSystem.name(of: name))
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        return "\(prefix)\(stem)-\(label)\(suffix)"
    }

    /// The name without its suffix, and the suffix of the new stores.
    private static func parts(of name: String) -> (stem: String, suffix: String) {
        for suffix in NewStore.suffixes.sorted(by: { $0.count > $1.count })
        where name.hasSuffix(suffix) {
            return (String(name.dropLast(suffix.count)), suffix)
        }
        for suffix in OutputFormat.suffixes.sorted(by: { $0.count > $1.count })
        where name.hasSuffix(suffix) {
            return (String(name.dropLast(suffix.count)), ".ndjson")
        }
        return (name == "-" ? "split" : name, ".db")
    }

    private static func digits(_ number: Int, width: Int = 2) -> String {
        Columns.padLeft("\(number)", to: width).replacing(" ", with: "0")
    }
}
