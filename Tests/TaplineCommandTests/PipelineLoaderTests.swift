// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineDetectors
import TaplineBuiltIns
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

/// A library of detectors that finds nothing.
private struct NoDetectors: DetectorLibrary {
    var detectors: [DetectorDescription] { [] }

    func build(_ choice: DetectorChoice, into diagnostics: inout Diagnostics) -> (any DetectorSet)?
    {
        nil
    }
}

@Suite struct PipelineLoaderTests {
    private static let pipeline = """
        version: 1
        sources: [script]
        stages:
          - redact: { preset: standard }
          - redact: { preset: none, headers: [x-a] }
        sinks: [keep]
        """

    @Test func onlyCheckPrintsAdviceAndOnlyOnce() async throws {
        let advice = "note: secrets are found only by name"
        var plugins = scripted(Exchange.examples(1), into: RecordingSink())
        plugins.detectors = NoDetectors()
        for (command, times) in [("check", 1), ("run", 0)] {
            let outcome = try await withFile(PipelineLoaderTests.pipeline) {
                await tapline(command, $0, plugins: plugins)
            }
            #expect(outcome.code == .success)
            #expect(outcome.errors.split(separator: "\n").count { $0.contains(advice) } == times)
        }
    }

    @Test("the message of a reload does not begin with the word of the log")
    func reloadMessage() {
        let invocation = Invocation(
            program: TaplineCommand.program,
            registry: PluginRegistry.builtIn,
            environment: Environment(),
            console: Console(isTerminal: false, output: { _ in }, errors: { _ in })
        )
        var loader = PipelineLoader(invocation: invocation, input: .file("/nowhere/at/all.yaml"))
        let error = #expect(throws: ReloadError.self) { try loader.reload() }
        #expect(error?.description.hasPrefix("cannot open '/nowhere/at/all.yaml'") == true)
    }

    private static let app = """
        version: 1
        sources: [url_protocol]
        stages: [redact: { preset: standard }]
        sinks: [sqlite: { path: traffic.db }]
        """

    /// Such a file used to create its database before the run failed with 1.
    @Test func theFileOfAnAppIsNotRun() async throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let path = "\(folder)/tapline.yaml"
        try File(path, for: .create).write(PipelineLoaderTests.app.utf8.span)
        let outcome = await tapline("run", path)
        #expect(outcome.code == .configuration)
        #expect(
            outcome.errors.hasPrefix(
                "\(path):2:11: error: 'url_protocol' captures within a Swift app; the command "
                    + "cannot run it\n"
            )
        )
        #expect(outcome.errors.contains("\nhelp: call Tapline.start(configuration:) of the "))
        #expect(try FileSystem.names(in: folder) == ["tapline.yaml"])
        #expect(await tapline("check", path).code == .success)
    }

    /// This program has the detectors, but the app may lack them.
    @Test func checkSaysWhatAnAppNeedsForDetectors() async throws {
        let needs =
            "the product 'TaplineDetectors', and Tapline.start(configuration: …, plugins: "
            + ".detectors)"
        for (options, message, help) in [
            (
                "preset: standard", "note: secrets are found only by name",
                "or 'detectors: off'; the former needs \(needs)"
            ),
            (
                "detectors: standard", "warning: this file starts only in an app with detectors",
                "help: the app needs \(needs)"
            ),
            (
                "patterns: [{ name: a, regex: b }]",
                "warning: this file starts only in an app with detectors",
                "help: the app needs \(needs)"
            ),
        ] {
            let file = PipelineLoaderTests.app.replacing("preset: standard", with: options)
            let outcome = try await withFile(file) { path in
                await tapline("check", path, plugins: .detectors)
            }
            #expect(outcome.code == .success)
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
            #expect(outcome.errors.contains(help), "\(outcome.errors)")
            // The command runs other files itself.
            let replay = file.replacing("url_protocol", with: "replay: { path: none.har }")
            let other = try await withFile(replay) { path in
                await tapline("check", path, plugins: .detectors)
            }
            #expect(!other.errors.contains("the app"), "\(other.errors)")
            #expect(!other.errors.contains("needs"), "\(other.errors)")
        }
    }
}
