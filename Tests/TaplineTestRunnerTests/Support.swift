// SPDX-License-Identifier: MIT

import TaplineBuiltIns
import TaplineConfig
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineTestRunner

/// Returns a pipeline with a script; its source and its sink cannot be opened.
func pipeline(_ script: String, more stages: String = "") -> String {
    let lines = script.split(separator: "\n", omittingEmptySubsequences: false)
    return """
        version: 1
        sources: [{ replay: { path: nowhere.har } }]
        stages:
          - lua:
              code: |
        \(lines.map { "        \($0)" }.joined(separator: "\n"))
        \(stages)
        sinks: [{ sqlite: { path: /nowhere/at/all.db } }]
        """
}

/// The result of a test file.
struct Ran {
    var results: [TestResult] = []
    var diagnostics = ""
    var usage = StageUsage()

    /// The differences of all tests as they are printed, without the folder's name.
    var text = ""

    /// Whether all tests ran and passed.
    var isPassed: Bool { !results.isEmpty && results.allSatisfy(\.isPassed) }
}

/// Runs a test file next to a pipeline file in a temporary folder.
func run(
    _ tests: String,
    _ pipeline: String,
    files: [String: [UInt8]] = [:],
    plugins: PluginRegistry = PluginRegistry()
) throws -> Ran {
    let folder = try TemporaryFolder(["pipeline.yaml": pipeline])
    for (name, bytes) in files { try folder.write(bytes, to: name) }
    let name = "\(folder.path)/a.test.yaml"
    var diagnostics = Diagnostics()
    var ran = Ran()
    let registry = PluginRegistry.builtIn.adding(plugins)
    let runner = TestRunner(registry: registry, collectsCoverage: true)
    if let file = TestFile(Array(tests.utf8), name: name, into: &diagnostics),
        let prepared = runner.prepare(file.tests, of: file, into: &diagnostics)
    {
        for test in prepared { ran.results.append(runner.run(test, usage: &ran.usage)) }
    }
    ran.diagnostics = diagnostics.rendered.replacing("\(folder.path)/", with: "")
    ran.text = ran.results.filter { !$0.isPassed }
        .map { "\($0.name)\n" + TestReport().details($0) + "\n" }
        .joined().replacing("\(folder.path)/", with: "")
    return ran
}

/// Runs one test with an expectation for one exchange, after a script.
func expecting(
    _ expectation: String,
    of exchange: String = "{ request: GET https://shop.test/cart }",
    after script: String = "function request(ex) end"
) throws -> Ran {
    let tests = """
        pipeline: pipeline.yaml
        tests:
          - name: it
            exchange: \(exchange)
            expect: \(expectation)
        """
    return try run(tests, pipeline(script))
}
