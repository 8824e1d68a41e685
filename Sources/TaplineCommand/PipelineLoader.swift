// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFiles
internal import TaplineRuntime

/// Reads a pipeline file and builds it; what is wrong goes to the console.
struct PipelineLoader {
    let invocation: Invocation
    /// What no message of a run shows: the values of variables that the file refers to.
    private(set) var values: InterpolatedValues

    init(invocation: Invocation) {
        self.invocation = invocation
        values = InterpolatedValues(of: [], in: invocation.environment)
    }

    /// The topology of the file that the command names, or nothing.
    ///
    /// Advice is for those who ask for a check.
    mutating func load(givesAdvice: Bool = false) -> Topology? {
        var diagnostics = Diagnostics()
        let topology = build(&diagnostics)
        let told = givesAdvice ? diagnostics : diagnostics.withoutNotes
        let shown = told.hidingValues(of: invocation.environment)
        if !shown.isEmpty { invocation.console.note(shown.rendered) }
        return diagnostics.hasErrors ? nil : topology
    }

    private mutating func build(_ diagnostics: inout Diagnostics) -> Topology? {
        let name = invocation.operands.first ?? "-"
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try InputFile.read(name)
        } catch {
            diagnostics.error(at: nil, "\(error)")
            return nil
        }
        let arguments = invocation.values("set")
        values = InterpolatedValues(
            of: [bytes] + arguments.map { Array($0.utf8) },
            in: invocation.environment
        )
        let overrides = arguments.compactMap {
            OptionAssignment($0, into: &diagnostics)
        }
        let isInput = name == "-"
        let root = ConfigReader().read(
            bytes,
            name: isInput ? "standard input" : name,
            folder: isInput ? "." : FileSystem.folder(of: name),
            into: &diagnostics
        )
        // More can be found in a tree that has problems of its own.
        guard let root else { return nil }
        let builder = TopologyBuilder(
            registry: invocation.registry,
            environment: invocation.environment
        )
        return builder.build(
            root,
            overrides: overrides,
            standardInputIsTaken: isInput,
            into: &diagnostics
        )
    }
}
