// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineFormats
internal import TaplineImport
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStore
internal import TaplineSystem

/// `tapline import FILE... --out OUT`.
enum ImportCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        let console = invocation.console
        StoreSet.prepareProgram()
        do {
            let arguments = try ImportArguments(invocation)
            let target = try arguments.openTarget(invocation)
            guard let chain = try redaction(invocation, target) else { return .usage }
            let run = ImportRun(arguments, target, chain, console)
            try run.readAll()
            for line in run.report { console.note(line) }
            return run.hasFailed ? .failure : .success
        } catch let error as UsageError {
            console.note("tapline: error: \(error.message)")
            if let help = error.help { console.note("help: \(help)") }
            return .usage
        } catch {
            console.note("tapline: error: \(error)")
            return .failure
        }
    }

    private static func redaction(
        _ invocation: Invocation,
        _ target: any ImportTarget
    ) throws -> RecordChain? {
        do {
            let chain = try ConvertCommand.redaction(invocation, digests: target.needsDigests)
            if chain == nil { target.abandon() }
            return chain
        } catch {
            target.abandon()
            throw error
        }
    }
}

/// The arguments of `tapline import`, read from the command line.
struct ImportArguments {
    private enum Output {
        case recording(OutputFormat)
        case database
    }

    /// The files to read; `-` is standard input.
    let inputs: [String]
    /// The format of the files; `nil` to detect it.
    let format: ImportFormat?
    /// The file to write.
    let path: String
    /// Whether anything that is not read is a failure.
    let isStrict: Bool
    private let output: Output

    init(_ invocation: Invocation) throws {
        inputs = invocation.operands
        format = invocation.value("from").flatMap(ImportFormat.init(rawValue:))
        isStrict = invocation.has("strict")
        guard let path = invocation.value("out") else {
            throw UsageError(
                message: "'import' needs '--out'; expected a database or a file that ends in "
                    + OutputFormat.suffixes.joined(separator: ", ")
            )
        }
        self.path = path
        let status = try FileSystem.status(of: path)
        if let status {
            for input in inputs where input != "-" {
                guard try FileSystem.status(of: input)?.isSameFile(as: status) != true else {
                    throw UsageError(message: "'\(path)' is both read and written")
                }
            }
        }
        output = try Self.output(path, invocation.value("format"), exists: status != nil)
        if case .recording = output, status != nil, !invocation.has("force") {
            throw UsageError(message: "'\(path)' exists; --force replaces it")
        }
    }

    /// The format to write: as asked, as that of an existing database, or by the suffix.
    private static func output(
        _ path: String,
        _ format: String?,
        exists: Bool
    ) throws -> Output {
        let isNamedDatabase = DatabaseOutput.suffixes.contains { path.hasSuffix($0) }
        switch format {
        case "sqlite": return .database
        case "ndjson", "har":
            let suffixed = OutputFormat(path: path)
            let isHAR = format == "har"
            // The suffix may ask for compression.
            if let suffixed, suffixed.isHAR == isHAR { return .recording(suffixed) }
            return .recording(OutputFormat(isHAR: isHAR))
        default: break
        }
        if isNamedDatabase { return .database }
        if exists, try isDatabase(path) { return .database }
        guard let format = OutputFormat(path: path) else {
            throw UsageError(
                message: "unknown format of '\(path)'; expected '--format', or a name that ends in "
                    + ".db, " + OutputFormat.suffixes.joined(separator: ", ")
            )
        }
        return .recording(format)
    }

    /// Whether a file begins as databases of SQLite do; called before one is open, since closing
    /// the file would release its locks.
    private static func isDatabase(_ path: String) throws(FileError) -> Bool {
        var bytes: [UInt8] = []
        let file = try File(path, for: .read)
        while bytes.count < 16, try file.read(appendingTo: &bytes, atMost: 16) > 0 {}
        return bytes.starts(with: "SQLite format 3\0".utf8)
    }

    /// Opens what is written.
    func openTarget(_ invocation: Invocation) throws -> any ImportTarget {
        switch output {
        case .recording(let format): try RecordingTarget(path, format)
        case .database: try DatabaseOutput(path, invocation, isNew: false)
        }
    }
}
