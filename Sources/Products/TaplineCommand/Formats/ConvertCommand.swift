// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineFormats
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// `tapline convert IN OUT`.
enum ConvertCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        let input = invocation.operands[0]
        let output = invocation.operands[1]
        let console = invocation.console
        guard let format = OutputFormat(path: output) else {
            console.note(
                "tapline: error: unknown format of '\(output)'; expected a name that ends in "
                    + OutputFormat.suffixes.joined(separator: ", ")
            )
            return .usage
        }
        do {
            if !invocation.has("force"), try FileSystem.status(of: output) != nil {
                console.note("tapline: error: '\(output)' exists; --force replaces it")
                return .usage
            }
            guard let maxExtraBytes = extraBytes(invocation) else {
                console.note(
                    "tapline: error: malformed --max-extra; expected a size such as 64KiB"
                )
                return .usage
            }
            guard let chain = try redaction(invocation) else { return .usage }
            var conversion = try Conversion(
                from: input,
                to: output,
                format,
                skipsBadRecords: invocation.value("bad-records") == "skip",
                maxExtraBytes: maxExtraBytes,
                through: chain
            ) { console.note("warning: \($0)") }
            try conversion.run()
            console.note(conversion.report)
            return .success
        } catch {
            console.note("tapline: error: \(error)")
            return .failure
        }
    }
}

extension ConvertCommand {
    /// The limit on what only HAR can hold; `nil` if the option is malformed.
    private static func extraBytes(_ invocation: Invocation) -> Int? {
        guard let text = invocation.value("max-extra") else { return HARReader.defaultExtraBytes }
        return ByteSizeText.bytes(text) ?? Int(text).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// A chain of `redact` with the requested preset, or an empty chain without one; `nil` if the
    /// stage cannot be built.
    static func redaction(
        _ invocation: Invocation,
        digests: Bool = false
    ) throws -> RecordChain? {
        guard let preset = invocation.value("redact") else { return RecordChain(digests: digests) }
        return try redaction(
            stages: "{ redact: { preset: \(preset) } }",
            invocation,
            digests: digests
        )
    }

    /// A chain of stages `redact`, given in YAML; `nil` if they cannot be built.
    static func redaction(
        stages: String,
        _ invocation: Invocation,
        digests: Bool = false
    ) throws -> RecordChain? {
        let text = """
            version: 1
            sources: [{ replay: { path: "-" } }]
            stages: [\(stages)]
            sinks: [{ stdout: {} }]
            """
        var diagnostics = Diagnostics()
        let builder = TopologyBuilder(
            registry: invocation.registry,
            environment: invocation.environment
        )
        let source = ConfigSource(name: "--redact", text: text)
        let root = ConfigReader().read(source, into: &diagnostics)
        let stages = root.flatMap { builder.stages($0, into: &diagnostics)?.stages }
        guard let stages else {
            LogWriter(format: invocation.logFormat, isQuiet: false, console: invocation.console)
                .write(diagnostics)
            return nil
        }
        return RecordChain(
            try stages.map { stage in
                let context = StageContext(id: "redact")
                let made = try stage.factory.makeStage(context)
                return RecordChain.Link(stage: made as? any RecordStage, redacts: true)
            },
            digests: digests
        )
    }
}

/// A format to write, chosen by the suffix of the file.
struct OutputFormat {
    /// The suffixes that a file name may have.
    static let suffixes = [".ndjson", ".ndjson.gz", ".ndjson.zst", ".har", ".har.gz", ".har.zst"]

    let isHAR: Bool
    /// `gz`, `zst` or `nil`.
    let compression: String?

    /// A format without compression.
    init(isHAR: Bool) {
        self.isHAR = isHAR
        compression = nil
    }

    /// The format of a path's suffix; `nil` if the suffix is unknown.
    init?(path: String) {
        var name = FileSystem.name(of: path)[...]
        let compression = ["gz", "zst"].first { name.hasSuffix(".\($0)") }
        if let compression { name = name.dropLast(compression.count + 1) }
        guard name.hasSuffix(".har") || name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") else {
            return nil
        }
        isHAR = name.hasSuffix(".har")
        self.compression = compression
    }
}
