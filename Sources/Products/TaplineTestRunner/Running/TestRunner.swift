// SPDX-License-Identifier: MIT

package import TaplineConfig
internal import TaplineSystem
internal import TaplineModel
package import TaplinePlugin
internal import TaplineRuntime
internal import Synchronization

/// Runs the tests of test files.
///
/// Each test has its own stages, built from the pipeline file, so tests depend neither on each
/// other nor on their order. Time stands still, and random generators start from the same seed.
package struct TestRunner: Sendable {
    private let registry: PluginRegistry
    private let collectsCoverage: Bool

    /// Creates a runner for pipelines with these plugins.
    package init(registry: PluginRegistry, collectsCoverage: Bool = false) {
        self.registry = registry
        self.collectsCoverage = collectsCoverage
    }

    /// Builds the stages of tests, or reports everything that is wrong with the pipeline file or
    /// with the tests' settings in the diagnostics.
    package func prepare(
        _ tests: [TestCase],
        of file: TestFile,
        into diagnostics: inout Diagnostics
    ) -> [PreparedTest]? {
        let path = file.pipeline.value
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileBytes.read(path, atMost: YAMLLimits().bytes + 1)
        } catch {
            diagnostics.error(at: file.pipeline.location, "\(error)")
            return nil
        }
        guard let root = ConfigReader().read(bytes, name: path, into: &diagnostics) else {
            return nil
        }
        let prepared = tests.compactMap { prepare($0, root, path, into: &diagnostics) }
        return diagnostics.hasErrors ? nil : prepared
    }

    private func prepare(
        _ test: TestCase,
        _ root: ConfigNode,
        _ path: String,
        into diagnostics: inout Diagnostics
    ) -> PreparedTest? {
        test.checkRecordings(into: &diagnostics)
        var own = Diagnostics()
        let stages = TopologyBuilder(registry: registry, environment: test.environment)
            .stages(root, only: test.stages, overrides: test.overrides, into: &own)
        // The same mistake in the file appears in each test.
        for diagnostic in own.all where diagnostic.severity == .error {
            diagnostics.append(diagnostic)
        }
        return stages.map {
            PreparedTest(
                test: test,
                pipeline: path,
                stages: $0.stages,
                wholeBodies: $0.wholeBodies
            )
        }
    }

    /// Runs one test and records what it used.
    package func run(_ prepared: PreparedTest, usage: inout StageUsage) -> TestResult {
        var result = TestResult(name: prepared.test.name)
        let log = LogBook()
        let begun = ContinuousClock.now
        do {
            let test = prepared.test
            let trial = try StageRunner(
                prepared.stages,
                wholeBodies: prepared.wholeBodies,
                log: log.log,
                seed: test.seed,
                clock: { test.clock },
                collectsCoverage: collectsCoverage
            )
            var run = TestRun(test: test, trial: trial, log: log)
            for step in test.steps { result.add(run.mismatches(of: step)) }
            trial.stop()
            if let error = log.takeStep().first(where: { $0.level == .error }) {
                result.add([
                    Mismatch(test.location, "a stage failed while it stopped", found: error)
                ])
            }
            usage.add(trial, of: prepared.pipeline)
        } catch {
            var mismatch = Mismatch(prepared.test.location, "a stage did not start")
            mismatch.found = ShownText.escaped(ShownText.bounded("\(error)"))
            result.add([mismatch])
        }
        result.elapsed = ContinuousClock.now - begun
        result.log = log.all
        return result
    }
}

/// A test whose stages are built.
package struct PreparedTest: Sendable {
    let test: TestCase
    let pipeline: String
    let stages: [Topology.Stage]
    let wholeBodies: Hooks
}

/// The messages that stages log during a test; limited, so that a script cannot let it grow without
/// bound.
final class LogBook: Sendable {
    /// The most lines of a step, and of the beginning of a test, that are kept.
    private static let limit = 2000
    private struct State {
        var all: [LogEntry] = []
        var step: [LogEntry] = []
    }
    private let state = Mutex(State())

    /// The log that is passed to the stages.
    var log: Log {
        Log(component: "") { [self] entry in
            state.withLock { state in
                if state.all.count < LogBook.limit { state.all.append(entry) }
                if state.step.count < LogBook.limit { state.step.append(entry) }
            }
        }
    }

    /// The first messages, up to the limit.
    var all: [LogEntry] { state.withLock { $0.all } }

    /// Returns the messages since the last call.
    func takeStep() -> [LogEntry] {
        state.withLock { state in
            defer { state.step = [] }
            return state.step
        }
    }
}

/// Reads complete files.
enum FileBytes {
    static func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
        let file = try File(path, for: .read)
        var bytes: [UInt8] = []
        while bytes.count < limit, try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
        return bytes
    }
}

extension TestCase {
    /// Whether the test's recordings exist.
    fileprivate func checkRecordings(into diagnostics: inout Diagnostics) {
        for case .recorded(let recording) in steps.map(\.exchange) {
            do throws(FileError) {
                _ = try File(recording.path, for: .read)
            } catch {
                diagnostics.error(at: recording.location, "\(error)")
            }
        }
    }
}

extension Mismatch {
    fileprivate init(_ location: SourceLocation, _ message: String, found entry: LogEntry) {
        self.init(location, message)
        found = ShownText.escaped(ShownText.bounded(entry.message))
    }
}
