// SPDX-License-Identifier: MIT

package import TaplineConfig
package import TaplineRuntime
internal import TaplineSystem

/// Reads a pipeline file and builds its topology; reports problems to the console.
package struct PipelineLoader {
    /// Where the pipeline comes from.
    package enum Input: Sendable {
        /// The file at a path; `-` is standard input.
        case file(String)
        /// A text.
        case text(String, name: String)
        /// A tree that a command has generated.
        case tree(ConfigNode)
    }

    /// Returns options to set in addition to those of the command line, after the file is read.
    package typealias Adjustment =
        @Sendable (TopologyBuilder, ConfigNode, inout Diagnostics) -> [OptionAssignment]

    let invocation: Invocation
    private let input: Input
    private let adjusting: Adjustment
    private let adapting: @Sendable (ConfigNode) -> ConfigNode
    private let purpose: TopologyBuilder.Purpose
    /// The values of variables that the file refers to, which messages of a run must not show.
    package private(set) var values: InterpolatedValues

    /// Creates a loader for `input`, or for the file that the command names.
    ///
    /// `adapting` changes the file after it was read.
    package init(
        invocation: Invocation,
        input: Input? = nil,
        purpose: TopologyBuilder.Purpose = .check,
        adjusting: @escaping Adjustment = { _, _, _ in [] },
        adapting: @escaping @Sendable (ConfigNode) -> ConfigNode = { $0 }
    ) {
        self.invocation = invocation
        self.input = input ?? .file(invocation.operands.first ?? "-")
        self.purpose = purpose
        self.adjusting = adjusting
        self.adapting = adapting
        values = InterpolatedValues(of: [], in: invocation.environment)
    }

    /// Returns the topology of the file, or `nil` if it has errors.
    ///
    /// With `givesAdvice`, notes are printed too; only `tapline check` asks for them.
    package mutating func load(givesAdvice: Bool = false) -> Topology? {
        var diagnostics = Diagnostics()
        let topology = build(&diagnostics)
        let reported = givesAdvice ? diagnostics : diagnostics.withoutNotes
        let shown = reported.hidingValues(of: invocation.environment)
        LogWriter(format: invocation.logFormat, isQuiet: false, console: invocation.console)
            .write(shown)
        return diagnostics.hasErrors ? nil : topology
    }

    /// Returns the topology of the file as it is now, for a running pipeline.
    ///
    /// - Throws: `ReloadError` with all problems of the file.
    mutating func reload() throws(ReloadError) -> Topology {
        var diagnostics = Diagnostics()
        let topology = build(&diagnostics)
        if let topology, !diagnostics.hasErrors { return topology }
        let shown = diagnostics.withoutNotes.hidingValues(of: invocation.environment)
        // Without a place, the text begins as the line of the log and of the command does.
        let text = shown.rendered
        let prefix = "error: "
        throw ReloadError(
            text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text,
            summary: shown.summary
        )
    }

    private mutating func build(_ diagnostics: inout Diagnostics) -> Topology? {
        let arguments = invocation.values("set")
        var texts = arguments.map { Array($0.utf8) }
        var overrides = arguments.compactMap { OptionAssignment($0, into: &diagnostics) }
        let file: ConfigNode
        do throws(FileError) {
            // Building a tree that has problems can find more of them.
            guard let tree = try read(&texts, &diagnostics) else { return nil }
            file = tree
        } catch {
            diagnostics.error(at: nil, "\(error)")
            return nil
        }
        values = InterpolatedValues(of: texts, in: invocation.environment)
        let root = adapting(file)
        var builder = TopologyBuilder(
            registry: invocation.registry,
            environment: invocation.environment
        )
        builder.purpose = purpose
        overrides += adjusting(builder, root, &diagnostics)
        return builder.build(
            root,
            overrides: overrides,
            standardInputIsTaken: isStandardInput,
            into: &diagnostics
        )
    }

    /// The file of the pipeline; `nil` if it is none.
    var path: String? {
        if case .file(let path) = input, path != "-" { path } else { nil }
    }

    private var isStandardInput: Bool {
        if case .file("-") = input { true } else { false }
    }

    /// Returns the tree of the pipeline, and adds its text to those that may name variables; `nil` if
    /// it is not valid.
    private func read(
        _ texts: inout [[UInt8]],
        _ diagnostics: inout Diagnostics
    ) throws(FileError) -> ConfigNode? {
        let source: ConfigSource
        switch input {
        case .tree(let root): return root
        case .text(let text, let name): source = ConfigSource(name: name, text: text)
        case .file("-"):
            source = ConfigSource(
                name: "standard input",
                bytes: try InputFile.read("-"),
                folder: "."
            )
        case .file(let name):
            source = ConfigSource(
                name: name,
                bytes: try InputFile.read(name),
                folder: FileSystem.folder(of: name)
            )
        }
        texts.append(source.bytes)
        return ConfigReader().read(source, into: &diagnostics)
    }
}
