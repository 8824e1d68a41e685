// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineFormats
internal import TaplineInspector
internal import TaplineLeaks
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineProtobuf
internal import TaplineStore
internal import TaplineSystem

/// `tapline share STORE... [FILTER] --out FILE`.
enum ShareCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        StoreSet.prepareProgram()
        return invocation.reportErrors {
            let arguments = try ShareArguments(invocation)
            let passphrase = try arguments.passphrase?.read()
            guard let chain = try redaction(arguments.preset, invocation) else {
                return .configuration
            }
            let console = invocation.console
            let stores = try arguments.stores.open(console)
            guard var sharing = try Sharing(arguments, chain, console) else {
                throw UsageError(
                    message: "not even an empty page fits into '--max-bytes'",
                    help: "the default is 50MiB"
                )
            }
            try sharing.collect(stores)
            guard sharing.mayWrite else { return .failure }
            try sharing.write(passphrase)
            return stores.problems > 0 ? .failure : .success
        }
    }

    /// Makes the stages of a preset.
    ///
    /// The stand-ins of `strict` look like secrets, so that a search could not tell them apart.
    /// Secrets are therefore masked first, and only the rest gets stand-ins.
    ///
    /// - Parameters:
    ///   - preset: The preset.
    ///   - invocation: The command line.
    ///   - types: The types of protobuf messages, which are redacted as a whole if theirs is unknown.
    /// - Returns: The stages; `nil` if they cannot be built.
    /// - Throws: The error of a stage's creation.
    static func redaction(
        _ preset: String,
        _ invocation: Invocation,
        types: ProtobufSchema? = nil
    ) throws -> RecordChain? {
        guard preset != "none" else { return RecordChain() }
        var invocation = invocation
        invocation.registry.protobufTypes = types
        let detectors = invocation.registry.detectors == nil ? "" : ", detectors: [standard]"
        var stages = "{ id: secrets, redact: { preset: standard\(detectors) } }"
        if preset == "strict" { stages += ", { id: rest, redact: { preset: strict } }" }
        return try ConvertCommand.redaction(stages: stages, invocation)
    }
}

/// Redacts exchanges, searches them for secrets, and writes them as a page.
struct Sharing {
    /// Ends a query when the file is full.
    private struct Full: Error {}

    /// How many findings are shown.
    private static let maxShown = 20

    private let arguments: ShareArguments
    private let console: Console
    private var chain: RecordChain
    private var document: ShareDocument
    private let search: LeakSearch?
    /// Exchanges that may not fit: only those in the file are searched.
    private var waiting: [Record] = []
    /// How many exchanges were searched.
    private var searched = 0
    /// How many exchanges the redaction refused.
    private var dropped = 0
    /// How many exchanges the stores have for the filter.
    private var total = 0

    /// Prepares a file; `nil` if not even an empty page fits.
    init?(_ arguments: ShareArguments, _ chain: RecordChain, _ console: Console) throws {
        guard let document = ShareDocument(maxBytes: arguments.maxBytes) else { return nil }
        self.arguments = arguments
        self.console = console
        self.chain = chain
        self.document = document
        search = try arguments.leaks.map {
            try LeakSearch($0, console, maxShown: Self.maxShown)
        }
    }

    /// Collects the newest exchanges that fit.
    mutating func collect(_ stores: StoreSet) throws {
        search?.scan(Array(title.utf8), "the title")
        let watch = QueryWatch(console, endsQuery: false, verb: "collected")
        defer { watch.end() }
        var query = StoreQuery(arguments.stores.filter, order: .newestFirst)
        query.progress = watch.progress
        do {
            try stores.forEach(query) { stored in
                total += 1
                guard case .sealed(let record) = chain.seal(stored.exchange) else {
                    dropped += 1
                    return
                }
                try document.add(record.exchange, number: stored.key.number)
                waiting.append(record)
                searchAdded()
                if document.isFull { throw Full() }
            }
            try document.flush()
            searchAdded()
        } catch is Full {}
        if document.isFull {
            total = try stores.count(arguments.stores.filter, progress: watch.progress)
        }
    }

    /// Searches the exchanges that the file has got since the last time.
    private mutating func searchAdded() {
        let added = min(document.count - searched, waiting.count)
        for record in waiting.prefix(added) { search?.scan(record) }
        waiting.removeFirst(added)
        searched += added
    }

    /// Whether there is something to write, and nothing was found; otherwise it was reported.
    var mayWrite: Bool {
        if let refusal = search?.refusal {
            console.note("tapline: error: \(refusal); '\(arguments.output)' was not written")
            console.note(
                "help: leave these exchanges out by a filter, or redact more with 'reprocess'; "
                    + "'--allow-file' lists values that are not secrets"
            )
            return false
        }
        if document.isFull, document.count == 0 {
            console.note(
                "tapline: error: not even the newest exchange fits into "
                    + Quantities.size(arguments.maxBytes)
                    + "; '\(arguments.output)' was not written"
            )
            return false
        }
        if arguments.isStrict, missing > 0 {
            console.note(
                "tapline: error: \(missingText); '\(arguments.output)' was not written"
            )
            return false
        }
        return true
    }

    /// Writes the file, and reports what is in it.
    mutating func write(_ passphrase: [UInt8]?) throws {
        let about = ShareDocument.About(
            title: title,
            redaction: arguments.preset,
            made: Timestamp(microseconds: WallClock.microseconds)
        )
        guard let parts = try document.finish(about, passphrase: passphrase) else {
            throw UsageError(message: "the file cannot be encrypted")
        }
        try OutputFile.write(to: arguments.output) { file in
            for part in parts { try file.write(part.span) }
        }
        let size = Quantities.size(parts.reduce(0) { $0 + $1.count })
        console.note(
            "\(Counted.text(document.count, "exchange")) written to \(arguments.output), \(size)"
                + (passphrase == nil ? "" : ", encrypted")
        )
        if missing > 0 { console.note("warning: \(missingText)") }
        if arguments.preset == "none" {
            console.note("warning: the exchanges were not redacted")
        }
        if search == nil { console.note("warning: the exchanges were not searched for secrets") }
    }

    private var missing: Int { max(total - document.count, 0) }

    private var missingText: String {
        var reasons: [String] = []
        if dropped > 0 {
            reasons.append("\(Counted.text(dropped, "exchange")) cannot be redacted")
        }
        if document.isFull {
            reasons.append(
                "only the newest \(document.count) of \(total) exchanges fit into "
                    + Quantities.size(arguments.maxBytes)
            )
        }
        return reasons.joined(separator: ", and ")
    }

    /// The names of the stores, without their folders.
    private var title: String {
        let names = arguments.stores.names.map(FileSystem.name(of:))
        guard names.count <= 3 else { return "\(names.count) stores" }
        return names.joined(separator: ", ")
    }
}

/// Searches what would be written for secrets, and shows where they are.
final class LeakSearch {
    private let scan: LeakScan
    private let findings: Findings

    init(_ arguments: LeaksArguments, _ console: Console, maxShown: Int) throws {
        let findings = Findings(
            report: LeaksReport(isJSON: false, limit: maxShown, console: console)
        )
        self.findings = findings
        scan = try LeakScan(for: arguments.values, detectors: arguments.detectors) {
            findings.report.add($0)
        }
    }

    func scan(_ record: Record) {
        var writer = NDJSONWriter()
        writer.write(record)
        scan.scan(writer.bytes, named: "exchange \(record.exchange.id)")
    }

    func scan(_ bytes: [UInt8], _ name: String) { scan.scan(bytes.span, named: name) }

    /// Why nothing may be written; `nil` if nothing was found.
    var refusal: String? {
        let totals = scan.totals
        if totals.leaks > 0 {
            return "\(Counted.text(totals.leaks, "secret")) would be in the file"
        }
        guard totals.unread > 0 else { return nil }
        return "\(Counted.text(totals.unread, "part")) could not be searched for secrets"
    }

    /// The report, which the closure of the scan changes.
    private final class Findings {
        var report: LeaksReport

        init(report: LeaksReport) { self.report = report }
    }
}
