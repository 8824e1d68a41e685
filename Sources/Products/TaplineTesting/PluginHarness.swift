// SPDX-License-Identifier: MIT

internal import TaplineConfig
public import TaplineModel
public import TaplinePlugin
internal import TaplineRuntime

/// Runs a plugin in its own pipeline, built from YAML, and returns the output for a test.
public enum PluginHarness {
    /// Returns the records that leave a stage, in order.
    ///
    /// - Throws: `PluginHarnessError` if the stage does not build, or the run fails.
    public static func records(
        of exchanges: [Exchange],
        through plugin: StagePlugin,
        options: String = "",
        settings: ConformanceSettings = ConformanceSettings()
    ) async throws -> [Exchange] {
        let sink = RecordingSink()
        let subject = Subject(plugin: .stage(plugin), options: options, settings: settings)
        return try await run(subject, ScriptedSource(exchanges), sink)
    }

    /// Returns the exchanges that a source captures until it ends, in order.
    ///
    /// - Throws: `PluginHarnessError` if the source does not build, or the run fails.
    public static func records(
        from plugin: SourcePlugin,
        options: String = "",
        settings: ConformanceSettings = ConformanceSettings()
    ) async throws -> [Exchange] {
        let sink = RecordingSink()
        let subject = Subject(plugin: .source(plugin), options: options, settings: settings)
        return try await run(subject, ScriptedSource([]), sink)
    }

    private static func run(
        _ subject: Subject,
        _ source: ScriptedSource,
        _ sink: RecordingSink
    ) async throws -> [Exchange] {
        let outcome = await PipelineRun.run(subject) { folder, diagnostics in
            subject.build(in: folder, source: source, sink: sink, into: &diagnostics)
        }
        guard outcome.violations.isEmpty, outcome.report?.isSuccess == true else {
            let texts =
                outcome.violations.map(\.text) + outcome.transcript.entries.map(\.message)
            throw PluginHarnessError(description: texts.joined(separator: "\n"))
        }
        return sink.log.exchanges
    }
}

/// The reason why a run has no result.
public struct PluginHarnessError: Error, CustomStringConvertible {
    /// The problem, with the diagnostics of the build or the log of the run.
    public let description: String
}
