// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineStore
internal import TaplineSystem

/// `tapline reprocess STORE --config FILE`.
enum ReprocessCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        StoreSet.prepareProgram()
        return invocation.reportErrors {
            let arguments = try ReprocessArguments(invocation)
            guard let built = stages(arguments, invocation) else { return .configuration }
            let running = try RecordStages(
                built.stages,
                log: log(invocation.console),
                seed: .random(in: 0 ... .max),
                clock: { Timestamp(microseconds: WallClock.microseconds) },
                recordsProvenance: built.recordsProvenance
            )
            defer { running.stop() }
            guard running.haveHooks else {
                throw UsageError(
                    message: "no stage of '\(arguments.config)' acts on records; wire hooks are "
                        + "not run again"
                )
            }
            let reprocessing = Reprocessing(running)
            let isComplete = try reprocessing.run(arguments, invocation)
            return isComplete ? .success : .failure
        }
    }

    /// Builds the stages of the pipeline file; `nil` if it has errors, which are shown.
    private static func stages(
        _ arguments: ReprocessArguments,
        _ invocation: Invocation
    ) -> (stages: [Topology.Stage], recordsProvenance: Bool)? {
        var diagnostics = Diagnostics()
        var stages: (stages: [Topology.Stage], recordsProvenance: Bool)?
        do throws(FileError) {
            let source = ConfigSource(
                name: arguments.config,
                bytes: try InputFile.read(arguments.config),
                folder: FileSystem.folder(of: arguments.config)
            )
            let overrides = invocation.values("set").compactMap {
                OptionAssignment($0, into: &diagnostics)
            }
            let builder = TopologyBuilder(
                registry: invocation.registry,
                environment: invocation.environment
            )
            if let root = ConfigReader().read(source, into: &diagnostics) {
                stages = builder.stages(root, overrides: overrides, into: &diagnostics)
                    .map { (stages: $0.stages, recordsProvenance: $0.recordsProvenance) }
            }
        } catch {
            diagnostics.error(at: nil, "\(error)")
        }
        LogWriter(format: .text, isQuiet: false, console: invocation.console)
            .write(diagnostics.withoutNotes.hidingValues(of: invocation.environment))
        return diagnostics.hasErrors ? nil : stages
    }

    private static func log(_ console: Console) -> Log {
        Log(component: "") { entry in
            guard entry.level == .warning || entry.level == .error else { return }
            console.note("\(entry.level): [\(entry.component)] \(entry.message)")
        }
    }
}

/// What to reprocess, read from the command line.
struct ReprocessArguments {
    /// The file of the store.
    let path: String
    /// The pipeline file.
    let config: String
    /// The new store; `nil` to change the store itself.
    let output: String?
    /// Whether the backup is kept.
    let keepsBackup: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        path = invocation.operands[0]
        guard let config = invocation.value("config") else {
            throw UsageError(message: "'reprocess' needs '--config FILE', a pipeline with stages")
        }
        self.config = config
        output = invocation.value("out")
        keepsBackup = invocation.has("keep-backup")
        guard (output == nil) == invocation.has("in-place") else {
            throw UsageError(
                message: "'reprocess' needs either '--out NEW' or '--in-place'",
                help: "'--out NEW' leaves the store as it is"
            )
        }
        if keepsBackup, output != nil {
            throw UsageError(message: "'--keep-backup' belongs to '--in-place'")
        }
    }
}
