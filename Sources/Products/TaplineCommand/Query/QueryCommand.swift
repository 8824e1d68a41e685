// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineFormats
internal import TaplineModel
internal import TaplineStore
internal import TaplineSystem

/// `tapline query STORE... [FILTER]`.
enum QueryCommand {
    /// How often followed stores are asked whether they have changed.
    private static let pollInterval = Duration.milliseconds(100)
    /// How many exchanges are shown before those that are followed.
    private static let shownBefore = 10

    static func run(_ invocation: Invocation) async -> ExitCode {
        if let code = SavedFilterCommand.run(invocation) { return code }
        StoreSet.prepareProgram()
        do {
            let arguments = try QueryArguments(invocation)
            let stores = try arguments.stores.open(invocation.console)
            let code = try await answer(arguments, stores, invocation)
            return code == .success && stores.problems > 0 ? .failure : code
        } catch {
            return invocation.report(error)
        }
    }

    private static func answer(
        _ arguments: QueryArguments,
        _ stores: StoreSet,
        _ invocation: Invocation
    ) async throws -> ExitCode {
        if arguments.isExplained {
            try explain(arguments, stores, invocation)
            return .success
        }
        switch arguments.task {
        case .count: return try count(arguments, stores, invocation.console)
        case .show: return try show(arguments, stores, invocation)
        case .follow:
            try await follow(arguments, stores, invocation)
            return .success
        }
    }

    private static func query(
        _ arguments: QueryArguments,
        _ stores: StoreSet,
        _ parts: StoreParts
    ) throws -> StoreQuery {
        StoreQuery(
            arguments.stores.filter,
            order: arguments.order,
            sort: arguments.sort,
            after: try arguments.after.map { try stores.key(of: $0) },
            limit: arguments.limit,
            parts: parts
        )
    }

    // MARK: Answers

    /// Prints the number of matches.
    private static func count(
        _ arguments: QueryArguments,
        _ stores: StoreSet,
        _ console: Console
    ) throws -> ExitCode {
        let watch = QueryWatch(console)
        defer { watch.end() }
        do {
            let count = try stores.count(arguments.stores.filter, progress: watch.progress)
            console.print("\(count)")
            return .success
        } catch is QueryCancelled {
            watch.end()
            watch.noteInterrupt()
            return .interrupted
        }
    }

    /// Shows the matches.
    private static func show(
        _ arguments: QueryArguments,
        _ stores: StoreSet,
        _ invocation: Invocation
    ) throws -> ExitCode {
        let paged = PagedOutput(invocation, isPaged: arguments.format == .table)
        let watch = QueryWatch(invocation.console, paged)
        var output = QueryOutput(
            arguments.format,
            columns: arguments.columns,
            to: paged,
            invocation
        )
        let isComplete: Bool
        do {
            defer { watch.end() }
            isComplete = try write(arguments, stores, watch.progress, paged, &output)
        } catch {
            _ = paged.finish()
            throw error
        }
        guard paged.finish() else { return .failure }
        guard isComplete else {
            watch.noteInterrupt("\(Counted.text(output.count, "exchange")) found")
            return .interrupted
        }
        return .success
    }

    /// Writes the matches; returns `false` if the user has interrupted it.
    private static func write(
        _ arguments: QueryArguments,
        _ stores: StoreSet,
        _ progress: QueryProgress,
        _ paged: PagedOutput,
        _ output: inout QueryOutput
    ) throws -> Bool {
        // Results that take long to find are shown when they are found, without a pager.
        let patience = DispatchWorkItem { paged.stopWaiting() }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(200), execute: patience)
        defer { patience.cancel() }
        var isComplete = true
        do {
            var query = try query(arguments, stores, output.parts)
            query.progress = progress
            query.endsBetweenIDs = true
            try stores.forEach(query) { try output.write($0.exchange) }
        } catch is OutputClosed {
            return true
        } catch is QueryCancelled {
            if paged.isClosed { return true }
            isComplete = false
        } catch {
            output.finish()
            throw error
        }
        output.finish()
        return isComplete
    }

    /// Shows the newest matches, and then those that other processes add, until the user interrupts
    /// it.
    private static func follow(
        _ arguments: QueryArguments,
        _ stores: StoreSet,
        _ invocation: Invocation
    ) async throws {
        let paged = PagedOutput(invocation, isPaged: false)
        var output = QueryOutput(
            arguments.format,
            columns: arguments.columns,
            to: paged,
            invocation
        )
        let progress = QueryProgress()
        let signals = Signals {
            progress.cancel()
            return true
        }
        defer { withExtendedLifetime(signals) {} }
        var query = try query(arguments, stores, output.parts)
        query.progress = progress
        let follower = try stores.follow(query, newest: arguments.limit ?? shownBefore)
        do {
            while !progress.isCancelled {
                try follower.next { try output.write($0.exchange) }
                output.flush()
                paged.checkReader()
                if paged.isClosed { return }
                try await Task.sleep(for: pollInterval)
            }
        } catch is OutputClosed {
            return
        } catch is QueryCancelled {}
        output.finish()
    }

    /// Prints how the stores find the matches.
    private static func explain(
        _ arguments: QueryArguments,
        _ stores: StoreSet,
        _ invocation: Invocation
    ) throws {
        let query = try query(arguments, stores, arguments.task == .count ? [] : .extra)
        var text = TerminalText(isColoured: invocation.usesColours)
        for plan in try stores.explain(query, isCount: arguments.task == .count) {
            text.styled(.bold) { $0.show(plan.store) }
            text.newLine()
            for step in plan.steps {
                text.spaces(2)
                text.put(step.label, .dim)
                text.fill(to: 12)
                text.show(step.text)
                text.newLine()
            }
        }
        invocation.console.write(text.bytes)
    }
}

extension Invocation {
    /// Whether standard output gets colours: only a terminal does, unless `NO_COLOR` is set
    /// (https://no-color.org).
    var usesColours: Bool {
        console.outputIsTerminal && (environment["NO_COLOR"] ?? "").isEmpty
    }
}
