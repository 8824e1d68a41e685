// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// The list of problems: order, limit, text.
@Suite
struct DiagnosticsTests {
    @Test func sortedByFileAndLocationWithUnlocatedOnesFirst() {
        let first = ConfigSource(name: "a.yaml", text: "abc\ndef\n")
        let second = ConfigSource(name: "b.yaml", text: "abc\n")
        var diagnostics = Diagnostics()
        diagnostics.note(at: second.location(at: 0), "5")
        diagnostics.error(at: first.location(at: 5), "3")
        diagnostics.error(at: first.location(at: 5), "4")
        diagnostics.warning(at: first.location(at: 1), "2")
        diagnostics.error(at: nil, "1", help: "h")
        #expect(diagnostics.sorted.map(\.message) == ["1", "2", "3", "4", "5"])
        #expect(diagnostics.all.map(\.message) == ["5", "3", "4", "2", "1"])
        #expect(diagnostics.rendered.hasPrefix("error: 1\nhelp: h\na.yaml:1:2: warning: 2\n"))
    }

    @Test func theSummaryHasNoLinesOfTheSource() {
        let source = ConfigSource(name: "a.yaml", text: "url: hunter2\n")
        var diagnostics = Diagnostics()
        diagnostics.warning(at: source.location(at: 5), "2", help: "h")
        diagnostics.error(at: source.location(at: 0), "1")
        #expect(diagnostics.rendered.contains("hunter2"))
        #expect(diagnostics.summary == "a.yaml:1:1: error: 1\na.yaml:1:6: warning: 2")
        for number in 0..<Diagnostics.limit { diagnostics.warning(at: nil, "\(number)") }
        #expect(diagnostics.summary.hasSuffix("\nnote: 2 more problems are not shown"))
    }

    @Test func onlyErrorsAreErrors() {
        var diagnostics = Diagnostics()
        #expect(diagnostics.isEmpty)
        #expect(diagnostics.rendered.isEmpty)
        diagnostics.warning(at: nil, "a")
        diagnostics.note(at: nil, "b")
        #expect(!diagnostics.hasErrors)
        diagnostics.error(at: nil, "c")
        #expect(diagnostics.hasErrors)
        #expect(Diagnostic.Severity.note < .warning)
        #expect(Diagnostic.Severity.warning < .error)
    }

    @Test func aRepeatedNoteIsKeptOnce() {
        var diagnostics = Diagnostics()
        let source = ConfigSource(name: "a", text: "abc")
        for place in 0..<3 {
            diagnostics.note(at: source.location(at: place), "advice")
            diagnostics.warning(at: source.location(at: place), "beware")
        }
        #expect(diagnostics.all.map(\.message) == ["advice", "beware", "beware", "beware"])
        #expect(diagnostics.withoutNotes.all.map(\.message) == ["beware", "beware", "beware"])
    }

    @Test func aRepeatedProblemIsKeptOnce() {
        var diagnostics = Diagnostics()
        let source = ConfigSource(name: "a", text: "abc")
        for _ in 0..<3 {
            diagnostics.error(at: source.location(at: 1), "twice")
        }
        diagnostics.error(at: source.location(at: 2), "twice")
        #expect(diagnostics.all.count == 2)
    }

    @Test func tooManyAreCounted() {
        var diagnostics = Diagnostics()
        for number in 0..<250 {
            diagnostics.warning(at: nil, "\(number)")
        }
        diagnostics.error(at: nil, "last")
        #expect(diagnostics.all.count == 200)
        #expect(diagnostics.omitted == 51)
        #expect(diagnostics.hasErrors)
        #expect(diagnostics.rendered.hasSuffix("note: 51 more problems are not shown\n"))
        var other = Diagnostics()
        other.append(contentsOf: diagnostics)
        #expect(other.omitted == 51)
        #expect(other.hasErrors)
    }
}
