// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin

/// Formats test results for people.
package struct TestReport: Sendable {
    /// The most lines of a test's log that are shown.
    private static let logLines = 20

    private let style: TestStyle

    /// Creates a report, with or without colours.
    package init(isColoured: Bool = false) { style = TestStyle(isColoured: isColoured) }

    /// Returns the line of one test.
    package func line(_ result: TestResult) -> String {
        let word = result.isPassed ? style.good("ok    ") : style.bad("FAILED")
        return
            "\(word)  \(ShownText.escaped(result.name)) \(style.faint("(\(time(result.elapsed)))"))"
    }

    /// Returns the failures of a test: each difference with its place, and the messages that stages
    /// logged.
    package func details(_ result: TestResult) -> String {
        var blocks = result.mismatches.map(text)
        if result.omitted > 0 { blocks.append("… \(result.omitted) more differences") }
        let lines = result.log.suffix(TestReport.logLines).map {
            "  \($0.component): \(ShownText.escaped(ShownText.bounded($0.message)))"
        }
        if !lines.isEmpty { blocks.append((["logged:"] + lines).joined(separator: "\n")) }
        return blocks.joined(separator: "\n")
    }

    /// Formats one difference: the place of the expectation, the expected value, the value found.
    package func text(_ mismatch: Mismatch) -> String {
        let subject = mismatch.subject.map { " in \($0)" } ?? ""
        var lines = [
            Diagnostic(.error, at: mismatch.location, mismatch.message + subject).rendered
        ]
        if let expected = mismatch.expected { lines.append("  expected: \(style.good(expected))") }
        if let found = mismatch.found { lines.append("     found: \(style.bad(found))") }
        if !mismatch.difference.isEmpty {
            lines.append("  \(style.good("- expected")) \(style.bad("+ found"))")
            lines += mismatch.difference.map { line in
                switch line.first {
                case "-": "  " + style.good(line)
                case "+": "  " + style.bad(line)
                default: "  " + style.faint(line)
                }
            }
        }
        if let help = mismatch.help { lines.append("help: \(help)") }
        return lines.joined(separator: "\n")
    }

    /// Returns the results of all tests on one line.
    package func summary(passed: Int, failed: Int, skipped: Int, elapsed: Duration) -> String {
        let all = passed + failed
        if all == 0 { return style.bad("no test ran") }
        var text = "\(Counted.text(all, "test")): "
        text += failed == 0 ? style.good("all passed") : "\(passed) passed, "
        if failed > 0 { text += style.bad("\(failed) failed") }
        if skipped > 0 { text += ", \(skipped) excluded by --filter" }
        return "\(text) \(style.faint("(\(time(elapsed)))"))"
    }

    private func time(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int(clamping: seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        return milliseconds < 10_000 ? "\(milliseconds) ms" : "\(milliseconds / 1000) s"
    }
}

/// The colours of a terminal, or none (ECMA-48 §8.3.117).
struct TestStyle: Sendable {
    let isColoured: Bool

    func good(_ text: String) -> String { paint(text, "32") }
    func bad(_ text: String) -> String { paint(text, "31") }
    func faint(_ text: String) -> String { paint(text, "2") }

    private func paint(_ text: String, _ code: String) -> String {
        isColoured && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
