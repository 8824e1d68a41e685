// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineExport
internal import TaplineFormats
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineStore
internal import TaplineSystem

/// `tapline export STORE... [FILTER] --to FORMAT`.
enum ExportCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        let console = invocation.console
        var isLossRefused = false
        var isInterrupted = false
        let code = invocation.askStores {
            let arguments = try ExportArguments(invocation)
            let stores = try arguments.stores.open(console)
            var export = Export(arguments, console)
            let watch = QueryWatch(console, endsQuery: arguments.output == nil)
            do {
                defer { watch.end() }
                try export.run(stores, watch.progress)
            } catch is OutputClosed {
                if let warning = export.warning { console.note(warning) }
                return stores
            } catch {
                // What was written to standard output stays there.
                if arguments.output == nil, let warning = export.warning { console.note(warning) }
                throw error
            }
            isInterrupted = watch.progress.isCancelled
            if isInterrupted { watch.noteInterrupt() }
            for line in export.report { console.note(line) }
            isLossRefused = arguments.isStrict && !export.losses.isEmpty
            return stores
        }
        if isInterrupted { return .interrupted }
        return isLossRefused ? .failure : code
    }
}

/// The arguments of `tapline export`, read from the command line.
struct ExportArguments {
    /// The stores and the filter.
    let stores: StoreArguments
    /// The maximum number of exchanges.
    let limit: Int?
    let order: StoreOrder
    let format: ExportFormat
    let shell: ShellDialect
    /// The file to write; `nil` for standard output.
    let output: String?
    /// Whether a loss is a failure.
    let isStrict: Bool

    init(_ invocation: Invocation) throws {
        guard let format = invocation.value("to").flatMap(ExportFormat.init(rawValue:)) else {
            throw UsageError(
                message: "'export' needs '--to'; expected "
                    + ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
            )
        }
        self.format = format
        stores = try StoreArguments(invocation)
        limit = try invocation.number("limit")
        order = invocation.has("newest") ? .newestFirst : .oldestFirst
        isStrict = invocation.has("strict")
        output = invocation.value("out").flatMap { $0 == "-" ? nil : $0 }
        shell = invocation.value("shell").flatMap(ShellDialect.init(rawValue:)) ?? .bash
        if invocation.has("shell"), !format.usesShell {
            throw UsageError(
                message: "'--shell' has no effect on '\(format.rawValue)'; expected it with curl, "
                    + "httpie, wget"
            )
        }
        if let output, !invocation.has("force"), try FileSystem.status(of: output) != nil {
            throw UsageError(message: "'\(output)' exists; --force replaces it")
        }
    }
}

/// Writes the exchanges of stores in one format, a chunk at a time.
struct Export {
    /// How many bytes are collected before they are written.
    private static let chunk = 1 << 18
    /// Matches the mask of the stage `redact`, also in a URL.
    private static let masked = try? Filter(
        #"any contains "[redacted]" or any contains "%5Bredacted%5D""#
    )

    private let arguments: ExportArguments
    private let console: Console
    private var writer: any ExportWriter
    private var chain = RecordChain()
    private var bytes: [UInt8] = []
    private var count = 0
    private var hasRedaction = false
    /// What the format could not represent.
    private(set) var losses = LossReport()

    init(_ arguments: ExportArguments, _ console: Console) {
        self.arguments = arguments
        self.console = console
        writer = arguments.format.makeWriter(for: arguments.shell)
    }

    /// Exports the exchanges; leaves no new file if it fails.
    ///
    /// If it is cancelled, the output ends after what was read so far.
    ///
    /// **Throws**: `OutputClosed` if nobody reads standard output any more.
    mutating func run(_ stores: StoreSet, _ progress: QueryProgress? = nil) throws {
        guard let output = arguments.output else {
            let console = console
            let isCSV = arguments.format == .csv
            return try write(stores, progress) { bytes in
                if isCSV { console.writeLines(bytes) } else { console.write(bytes) }
                if console.isOutputClosed { throw OutputClosed() }
            }
        }
        try OutputFile.write(to: output) { file in
            try write(stores, progress) { try file.write($0.span) }
        }
    }

    private mutating func write(
        _ stores: StoreSet,
        _ progress: QueryProgress?,
        _ drain: ([UInt8]) throws -> Void
    ) throws {
        var query = StoreQuery(
            arguments.stores.filter,
            order: arguments.order,
            limit: arguments.limit
        )
        query.progress = progress
        losses.add(writer.start(to: &bytes))
        do {
            try stores.forEach(query) { stored in
                guard case .sealed(let record) = chain.seal(stored.exchange) else { return }
                count += 1
                hasRedaction = hasRedaction || showsRedaction(record.exchange)
                losses.add(writer.write(record, to: &bytes))
                guard bytes.count >= Self.chunk else { return }
                try drain(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        } catch is QueryCancelled {}
        losses.add(writer.finish(to: &bytes))
        try drain(bytes)
    }

    /// What was exported, what was lost, and a warning if secrets may be in it.
    var report: [String] {
        var lines = ["\(Counted.text(count, "exchange")) exported as \(arguments.format.rawValue)"]
        if !losses.isEmpty {
            lines.append("not carried over:")
            lines += Columns.table(
                losses.losses.map { ["  \($0.field)", Counted.text($0.count, "time")] }
            )
        }
        if let warning { lines.append(warning) }
        return lines
    }

    /// Whether the stage `redact` left a mark or its default mask in an exchange.
    private func showsRedaction(_ exchange: Exchange) -> Bool {
        ExportRedaction.hasChanged(exchange) || Self.masked?.matches(exchange) == true
    }

    /// A warning if secrets may be in the output.
    ///
    /// A redaction in one of several stores says nothing about the others.
    var warning: String? {
        let remedy = "'tapline convert --redact=standard' makes a redacted copy of a store"
        if count == 0 { return nil }
        if !hasRedaction {
            return "warning: no exported exchange shows a redaction, so secrets may be in the "
                + "output; \(remedy)"
        }
        guard arguments.stores.names.count > 1 else { return nil }
        return "warning: some of the stores may not be redacted, so secrets may be in the output; "
            + remedy
    }
}
