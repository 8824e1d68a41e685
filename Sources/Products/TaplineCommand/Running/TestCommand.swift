// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineModel
internal import TaplineSystem
internal import TaplineTestRunner

/// `tapline test FILE...`.
struct TestCommand {
    /// A test file and the tests in it that were selected.
    private struct Chosen {
        let file: TestFile
        let tests: [TestCase]
    }

    private let invocation: Invocation
    private let minimum: Double?
    /// Problems with files, in the order in which they were found.
    private var mistakes: [(file: String, text: String)] = []
    private var skipped = 0

    static func run(_ invocation: Invocation) async -> ExitCode {
        var minimum: Double?
        if let text = invocation.value("min-coverage") {
            guard let percent = Double(text), 0...100 ~= percent else {
                invocation.console.note(
                    "tapline: error: wrong value of '--min-coverage'; found '\(text)', expected a "
                        + "number from 0 to 100"
                )
                return .usage
            }
            minimum = percent
        }
        var command = TestCommand(invocation: invocation, minimum: minimum)
        return command.run()
    }

    private init(invocation: Invocation, minimum: Double?) {
        self.invocation = invocation
        self.minimum = minimum
    }

    private var console: Console { invocation.console }

    private mutating func run() -> ExitCode {
        let chosen = choose()
        if chosen.allSatisfy(\.tests.isEmpty) {
            if !mistakes.isEmpty {
                _ = write(junit(of: []).text, to: "junit")
                return .configuration
            }
            let filter = invocation.value("filter").map { " whose name contains '\($0)'" } ?? ""
            let places = invocation.operands.joined(separator: ", ")
            console.note("tapline: error: no tests found\(filter) in \(places)")
            console.note(
                skipped > 0
                    ? "help: 'tapline test --list' prints the names"
                    : "help: folders are searched for files named '*\(TestFinder.suffix)'"
            )
            return .usage
        }
        if invocation.has("list") {
            for file in chosen {
                for test in file.tests { console.print("\(file.file.name): \(test.name)") }
            }
            return mistakes.isEmpty ? .success : .configuration
        }
        return run(chosen)
    }

    // MARK: Reading

    /// Reads all files and selects the requested tests; reports problems to the console.
    private mutating func choose() -> [Chosen] {
        var chosen: [Chosen] = []
        var seen: Set<String> = []
        for operand in invocation.operands {
            do throws(FileError) {
                for name in try TestFinder.files(operand) where seen.insert(name).inserted {
                    if let file = read(name) { chosen.append(file) }
                }
            } catch {
                var diagnostics = Diagnostics()
                diagnostics.error(at: nil, "\(error)")
                report(diagnostics, in: operand)
            }
        }
        return chosen
    }

    private mutating func read(_ name: String) -> Chosen? {
        var diagnostics = Diagnostics()
        defer { report(diagnostics, in: name) }
        do throws(FileError) {
            let bytes = try InputFile.read(name)
            guard let file = TestFile(bytes, name: name, into: &diagnostics) else { return nil }
            let filter = invocation.value("filter")
            let tests = file.tests.filter { test in filter.map { test.name.contains($0) } ?? true }
            skipped += file.tests.count - tests.count
            return Chosen(file: file, tests: tests)
        } catch {
            diagnostics.error(at: nil, "\(error)")
            return nil
        }
    }

    private mutating func report(_ diagnostics: Diagnostics, in file: String) {
        let diagnostics = diagnostics.hidingValues(of: invocation.environment)
        if !diagnostics.isEmpty { console.note(diagnostics.rendered) }
        if diagnostics.hasErrors { mistakes.append((file, diagnostics.rendered)) }
    }

    // MARK: Running

    private mutating func run(_ chosen: [Chosen]) -> ExitCode {
        let isColoured =
            console.outputIsTerminal && (invocation.environment["NO_COLOR"] ?? "").isEmpty
        let text = TestReport(isColoured: isColoured)
        let runner = TestRunner(registry: invocation.registry, collectsCoverage: true)
        var all: [(file: String, results: [TestResult])] = []
        var usage = StageUsage()
        var (passed, failed) = (0, 0)
        let begun = ContinuousClock.now
        for file in chosen where !file.tests.isEmpty {
            var diagnostics = Diagnostics()
            let prepared = runner.prepare(file.tests, of: file.file, into: &diagnostics)
            report(diagnostics, in: file.file.name)
            guard let prepared else { continue }
            console.print(file.file.name)
            let results = prepared.map { test in
                let result = runner.run(test, usage: &usage)
                console.print("  \(text.line(result))")
                if !result.isPassed { console.print(text.details(result)) }
                return result
            }
            passed += results.count { $0.isPassed }
            failed += results.count { !$0.isPassed }
            all.append((file.file.name, results))
        }
        usage.leaveOutClosingLines { try? InputFile.read($0) }
        let coverage = UsageReport(usage)
        for line in coverage.lines { console.print(line) }
        let elapsed = ContinuousClock.now - begun
        console.print(
            text.summary(passed: passed, failed: failed, skipped: skipped, elapsed: elapsed)
        )
        let isWritten =
            write(junit(of: all).text, to: "junit") && write(LCOVReport(usage).text, to: "coverage")
        let isCovered = isCoverageEnough(coverage)
        if !mistakes.isEmpty { return .configuration }
        return failed == 0 && isWritten && isCovered ? .success : .failure
    }

    /// The results of all files, and the errors of files that could not be run.
    private func junit(of results: [(file: String, results: [TestResult])]) -> JUnitReport {
        let now = Timestamp(microseconds: WallClock.microseconds)
        var report = JUnitReport(time: now.rfc3339)
        for (file, results) in results { report.add(file: file, results) }
        for mistake in mistakes { report.add(file: mistake.file, error: mistake.text) }
        return report
    }

    private func isCoverageEnough(_ report: UsageReport) -> Bool {
        guard let minimum else { return true }
        let percent = report.percent ?? 100
        if percent >= minimum { return true }
        console.note(
            "error: only \(Int(percent)) % of the lines of scripts ran; expected at least "
                + "\(invocation.value("min-coverage") ?? "") %"
        )
        return false
    }

    /// Writes the file that an option names, if it is given; returns whether writing succeeded.
    private func write(_ text: String, to option: String) -> Bool {
        guard let path = invocation.value(option) else { return true }
        do throws(FileError) {
            try File(path, for: .replace).write(Array(text.utf8).span)
            return true
        } catch {
            console.note("error: \(error)")
            return false
        }
    }
}
