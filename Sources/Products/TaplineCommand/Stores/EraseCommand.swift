// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineLeaks
internal import TaplineModel
internal import TaplineStore
internal import TaplineSystem

/// `tapline erase STORE... [FILTER]`.
enum EraseCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        StoreSet.prepareProgram()
        return invocation.reportErrors {
            var erasure = Erasure(try EraseArguments(invocation), invocation.console)
            return erasure.run()
        }
    }
}

/// Erases in one store after the other: counts, erases, and verifies that nothing is left.
private struct Erasure {
    private let arguments: EraseArguments
    private let console: Console
    /// Whether a store was not changed, or still has what was erased.
    private var hasFailed = false
    /// Whether a part of a store could not be searched.
    private var hasUnverified = false
    /// Whether there is something to erase.
    private var hasMatches = false

    init(_ arguments: EraseArguments, _ console: Console) {
        self.arguments = arguments
        self.console = console
    }

    mutating func run() -> ExitCode {
        for path in arguments.paths {
            do {
                if arguments.isConfirmed { try erase(path) } else { try count(path) }
            } catch {
                // The other stores are independent of it.
                console.note("tapline: error: \(error)")
                hasFailed = true
            }
        }
        if hasMatches { console.note("nothing was changed; '--yes' erases this") }
        if hasFailed { return .failure }
        return hasUnverified ? .unread : .success
    }

    private mutating func count(_ path: String) throws {
        let erasure = try StoreErasure(path, try target())
        let report = try erasure.preview()
        show(report, of: path)
        if try !report.isEmpty || hasRemains(erasure, path) { hasMatches = true }
    }

    private mutating func erase(_ path: String) throws {
        let erasure = try StoreErasure(path, try target())
        let state = ErasureState(path)
        let signals = Signals(
            beforeEnding: { [console, temporary = erasure.temporary] in
                console.note(state.interruption)
                try? FileSystem.remove(temporary)
            }
        )
        defer { signals.end() }
        let report = try erasure.run { state.enter(.committing) }
        state.enter(.verifying)
        show(report, of: path)
        for index in report.droppedIndexes {
            console.note("warning: '\(path)': the full-text index '\(index)' was removed")
        }
        do {
            if try !verify(erasure, report, path) { hasFailed = true }
        } catch {
            console.note("tapline: error: '\(path)': erased, but not searched; \(error)")
            hasFailed = true
        }
        warnOfCopies(of: path)
    }

    private func target() throws -> StoreErasure.Target {
        if let filter = arguments.filter { return .exchanges(filter) }
        let values = arguments.values
        return .values { LeakEraser(try ValueEraser(values)) }
    }

    /// Shows what was counted, without any value.
    private mutating func show(_ report: ErasureReport, of path: String) {
        if arguments.filter != nil {
            console.print("\(path): \(Counted.text(report.exchanges, "exchange"))")
        } else {
            let sum = report.places.reduce(0) { $0 + $1.count }
            console.print("\(path): \(Counted.text(sum, "occurrence"))")
            for line in Columns.table(report.places.map { ["  \($0.place)", "\($0.count)"] }) {
                console.print(line)
            }
        }
        if report.removedParts > 0 {
            let parts = Counted.text(report.removedParts, "line or column", "lines or columns")
            console.note(
                "warning: '\(path)': \(parts) removed as a whole, since values are part of the "
                    + "structure"
            )
        }
        if !report.joinedNames.isEmpty {
            let places = report.joinedNames.map { "\($0.place) (\($0.count))" }
            console.note(
                "warning: '\(path)': names become equal in \(places.joined(separator: ", ")); of "
                    + "tags and saved filters in tables the first one stays, of members of a JSON "
                    + "object programs read one"
            )
        }
        if report.problems > 0 {
            hasUnverified = true
            console.note(
                "warning: '\(path)': \(Counted.text(report.problems, "part")) could not be read, "
                    + "and cannot be searched"
            )
        }
    }

    /// Shows values that only the free space or the log of a database still has.
    private func hasRemains(_ erasure: StoreErasure, _ path: String) throws -> Bool {
        guard arguments.filter == nil, erasure.isDatabase else { return false }
        let count = try search(for: arguments.values, in: path) { _ in }.leaks
        if count > 0 { console.print("  free pages and log  \(count)") }
        return count > 0
    }

    // MARK: Verification

    /// Searches the files of a store for what was erased; returns whether nothing is left.
    ///
    /// What remains in the free space of a database is removed by writing it anew.
    private mutating func verify(
        _ erasure: StoreErasure,
        _ report: ErasureReport,
        _ path: String
    ) throws -> Bool {
        let values = try wanted(report, erasure)
        guard !values.isEmpty else {
            console.note("\(path): erased")
            return true
        }
        if report.freePages > 0 { try erasure.vacuum() }
        var totals = try search(for: values, in: path) { _ in }
        if totals.leaks > 0, erasure.isDatabase, report.freePages == 0 {
            try erasure.vacuum()
            totals = try search(for: values, in: path) { _ in }
        }
        if totals.leaks > 0 {
            var leaks = LeaksReport(isJSON: false, limit: 100, console: console)
            _ = try search(for: values, in: path) { leaks.add($0) }
            console.note("tapline: error: '\(path)': \(totals.leaks) left, in the places above")
            return false
        }
        if totals.unread > 0 {
            hasUnverified = true
            console.note(
                "warning: '\(path)': \(Counted.text(totals.unread, "part")) could not be searched"
            )
        }
        console.note(
            "\(path): erased; nothing found in \(Counted.text(totals.files, "file")) afterwards"
        )
        return true
    }

    /// What the search looks for: the values, or ids of removed exchanges as a database has them.
    ///
    /// A recording has nothing but its lines.
    private func wanted(
        _ report: ErasureReport,
        _ erasure: StoreErasure
    ) throws -> [LeakValue] {
        if arguments.filter == nil { return arguments.values }
        guard erasure.isDatabase else { return [] }
        return report.sample.compactMap { LeakValue($0.bytes, name: $0.description) }
    }

    /// Warns of backups, and of new files that a command left when it was killed.
    private func warnOfCopies(of path: String) {
        for other in StoreLeftovers.paths(of: path) {
            console.note("warning: '\(other)' is a copy; it was not changed")
        }
    }

    private func search(
        for values: [LeakValue],
        in path: String,
        _ report: @escaping (LeakEvent) -> Void
    ) throws -> LeakTotals {
        let scan = try LeakScan(for: values, detectors: nil, report: report)
        scan.scan(path)
        return scan.totals
    }
}

/// Erases values by the forms that `tapline leaks` searches for.
struct LeakEraser: ContentEraser {
    private let eraser: ValueEraser

    init(_ eraser: ValueEraser) { self.eraser = eraser }

    func areClean(_ texts: Span<UInt8>) -> Bool { eraser.areClean(texts) }

    func erase(text: Span<UInt8>) -> ErasedContent? { content(eraser.erase(text)) }

    func erase(json: Span<UInt8>) -> ErasedContent? { content(eraser.erase(json: json)) }

    func erase(body: Span<UInt8>, codings: [[ContentCoding]]) -> ErasedContent? {
        content(eraser.erase(body: body, codings: codings))
    }

    func takeMetLimit() -> Bool { eraser.takeMetLimit() }

    func takeJoinedNames() -> Int { eraser.takeJoinedNames() }

    private func content(_ erased: ErasedBytes?) -> ErasedContent? {
        erased.map { ErasedContent($0.bytes, count: $0.count) }
    }
}
