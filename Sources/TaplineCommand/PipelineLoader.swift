// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFiles
internal import TaplineRuntime

/// Reads a pipeline file and builds it; what is wrong goes to the console.
struct PipelineLoader {
    /// Where a file is read.
    enum Input: Sendable {
        /// At a path; `-` is standard input.
        case file(String)
        /// It is this text.
        case text(String, name: String)
    }

    /// Sets options beside those of the command line, once the file is read.
    typealias Adjustment =
        @Sendable (TopologyBuilder, ConfigNode, inout Diagnostics) -> [OptionAssignment]

    let invocation: Invocation
    private let input: Input
    private let adjusting: Adjustment
    /// What no message of a run shows: the values of variables that the file refers to.
    private(set) var values: InterpolatedValues

    /// A loader of the file that the command names, or of another.
    init(
        invocation: Invocation,
        input: Input? = nil,
        adjusting: @escaping Adjustment = { _, _, _ in [] }
    ) {
        self.invocation = invocation
        self.input = input ?? .file(invocation.operands.first ?? "-")
        self.adjusting = adjusting
        values = InterpolatedValues(of: [], in: invocation.environment)
    }

    /// The topology of the file, or nothing.
    ///
    /// Advice is for those who ask for a check.
    mutating func load(givesAdvice: Bool = false) -> Topology? {
        var diagnostics = Diagnostics()
        let topology = build(&diagnostics)
        let told = givesAdvice ? diagnostics : diagnostics.withoutNotes
        let shown = told.hidingValues(of: invocation.environment)
        LogWriter(format: invocation.logFormat, isQuiet: false, console: invocation.console)
            .write(shown)
        return diagnostics.hasErrors ? nil : topology
    }

    private mutating func build(_ diagnostics: inout Diagnostics) -> Topology? {
        let source: ConfigSource
        do throws(FileError) {
            source = try read()
        } catch {
            diagnostics.error(at: nil, "\(error)")
            return nil
        }
        let arguments = invocation.values("set")
        values = InterpolatedValues(
            of: [source.bytes] + arguments.map { Array($0.utf8) },
            in: invocation.environment
        )
        var overrides = arguments.compactMap {
            OptionAssignment($0, into: &diagnostics)
        }
        // More can be found in a tree that has problems of its own.
        guard let root = ConfigReader().read(source, into: &diagnostics) else { return nil }
        let builder = TopologyBuilder(
            registry: invocation.registry,
            environment: invocation.environment
        )
        overrides += adjusting(builder, root, &diagnostics)
        return builder.build(
            root,
            overrides: overrides,
            standardInputIsTaken: isStandardInput,
            into: &diagnostics
        )
    }

    private var isStandardInput: Bool {
        if case .file("-") = input { true } else { false }
    }

    private func read() throws(FileError) -> ConfigSource {
        switch input {
        case .text(let text, let name): ConfigSource(name: name, text: text)
        case .file("-"):
            ConfigSource(name: "standard input", bytes: try InputFile.read("-"), folder: ".")
        case .file(let name):
            ConfigSource(
                name: name,
                bytes: try InputFile.read(name),
                folder: FileSystem.folder(of: name)
            )
        }
    }
}
