// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineFormats
internal import TaplineImport
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// Reads files of other tools and writes their exchanges, a chunk at a time.
///
/// A file that cannot be read is reported, and the other ones are imported.
final class ImportRun {
    /// How many bytes are read at once.
    private static let chunk = 1 << 18
    /// How many errors of a file are shown; all are counted.
    private static let shownErrors = 5

    private let arguments: ImportArguments
    private let target: any ImportTarget
    private let console: Console
    private var chain: RecordChain
    private var count = 0
    private var dropped = 0
    private var failures = 0
    private var errors = 0
    private var unread = LossReport()
    private var losses = LossReport()

    init(
        _ arguments: ImportArguments,
        _ target: any ImportTarget,
        _ chain: RecordChain,
        _ console: Console
    ) {
        self.arguments = arguments
        self.target = target
        self.chain = chain
        self.console = console
    }

    /// Whether a file could not be read, or something was left out although that is a failure.
    var hasFailed: Bool {
        let isComplete = unread.isEmpty && losses.isEmpty && dropped == 0
        return failures > 0 || arguments.isStrict && !isComplete
    }

    /// Imports all files.
    ///
    /// **Throws**: if the output cannot be written; then no new recording is left.
    func readAll() throws {
        do {
            for input in arguments.inputs { try read(input) }
            if count == 0, failures == arguments.inputs.count { return target.abandon() }
            try target.finish()
            losses.add(target.losses)
        } catch {
            target.abandon()
            throw error
        }
    }

    private func read(_ name: String) throws {
        errors = 0
        let before = count
        do {
            try copy(name)
        } catch let error as RecordError where error.code == .cutOff && count > before {
            console.note("warning: \(error); the rest was not read")
            unread.count("files (cut off)")
        } catch let error as RecordError {
            failures += 1
            console.note("tapline: error: \(error)")
        } catch let error as UnreadableInput {
            failures += 1
            console.note("tapline: error: \(error.cause)")
        }
    }

    private func copy(_ name: String) throws {
        let source = try Self.open(name)
        let start = (try? source.status()).flatMap { $0.kind == .regular ? $0.modified : nil }
        let reader = ImportReader(
            arguments.format,
            options: ImportOptions(
                file: name == "-" ? "standard input" : name,
                fallbackStart: Timestamp(microseconds: start ?? WallClock.microseconds)
            )
        )
        defer {
            unread.add(reader.unread)
            losses.add(reader.losses)
            if errors > Self.shownErrors {
                let more = Counted.text(errors - Self.shownErrors, "more error")
                console.note("warning: \(name): and \(more)")
            }
        }
        var bytes: [UInt8] = []
        while try Self.next(source, &bytes) {
            try reader.read(bytes.span) { try take($0) }
            bytes.removeAll(keepingCapacity: true)
        }
        try reader.finish { try take($0) }
    }

    private static func open(_ name: String) throws(UnreadableInput) -> File {
        if name == "-" { return File.standardInput }
        do throws(FileError) {
            return try File(name, for: .read)
        } catch {
            throw UnreadableInput(cause: error)
        }
    }

    private static func next(
        _ source: borrowing File,
        _ bytes: inout [UInt8]
    ) throws(UnreadableInput) -> Bool {
        do throws(FileError) {
            return try source.read(appendingTo: &bytes, atMost: chunk) > 0
        } catch {
            throw UnreadableInput(cause: error)
        }
    }

    private func take(_ element: ImportReader.Element) throws {
        switch element {
        case .success(let exchange):
            guard case .sealed(let record) = chain.seal(exchange) else {
                dropped += 1
                return
            }
            try target.write(record)
            count += 1
        case .failure(let error):
            errors += 1
            if errors <= Self.shownErrors { console.note("warning: \(error)") }
        }
    }

    /// What was imported, and what was not.
    var report: [String] {
        let files = Counted.text(arguments.inputs.count, "file")
        let new = Counted.text(count - target.duplicates, "exchange")
        var lines = ["\(new) imported from \(files) to \(arguments.path)"]
        if target.duplicates > 0 {
            lines.append("\(Counted.text(target.duplicates, "exchange")) had been there before")
        }
        if dropped > 0 {
            lines.append("dropped \(Counted.text(dropped, "exchange")) that could not be redacted")
        }
        if !unread.isEmpty { lines += ["not read:"] + Self.table(unread) }
        if !losses.isEmpty { lines += ["not carried over:"] + Self.table(losses) }
        return lines
    }

    private static func table(_ report: LossReport) -> [String] {
        Columns.table(report.losses.map { ["  \($0.field)", Counted.text($0.count, "time")] })
    }
}

/// A file that cannot be read, in contrast to output that cannot be written.
private struct UnreadableInput: Error {
    let cause: FileError
}
