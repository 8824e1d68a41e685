// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineTesting
import Testing

@testable import TaplineCommand

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
}
