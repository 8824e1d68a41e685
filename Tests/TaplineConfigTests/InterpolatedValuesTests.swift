// SPDX-License-Identifier: MIT

import TaplineSystem
import Testing

@testable import TaplineConfig

@Suite struct InterpolatedValuesTests {
    private let source = ConfigSource(
        name: "a.yaml",
        text: "a: '${TOKEN}'\nb: '${SHORT}' ${FOLDER:-x}\nc: $${OTHER}\n"
    )
    private let environment = Environment([
        "TOKEN": "hunter2-hunter2", "SHORT": "10s", "FOLDER": "/var/log", "UNUSED": "a value",
    ])

    private func shown(_ message: String, help: String? = nil) -> Diagnostic? {
        var diagnostics = Diagnostics()
        diagnostics.error(at: source.location(at: 3), message, help: help)
        let hidden = diagnostics.hidingValues(of: environment)
        #expect(hidden.hasErrors)
        return hidden.all.first
    }

    @Test func valuesOfReferencedVariablesAreHidden() {
        let one = shown("found 'hunter2-hunter2', expected a number", help: "not hunter2-hunter2")
        #expect(one?.message == "found '${TOKEN}', expected a number")
        #expect(one?.help == "not ${TOKEN}")
    }

    @Test func theBeginningOfATruncatedValueIsHidden() {
        #expect(shown("found 'hunter2-h…'")?.message == "found '${TOKEN}…'")
        #expect(shown("found 'hunter'")?.message == "found '${TOKEN}'")
    }

    @Test func shortValuesPathsAndUnreferencedValuesAreShown() {
        let message = "found '10s' in '/var/log/x' with a value hunt"
        #expect(shown(message)?.message == message)
    }

    @Test func withoutVariablesNothingChanges() {
        var diagnostics = Diagnostics()
        diagnostics.warning(at: nil, "hunter2-hunter2")
        #expect(diagnostics.hidingValues(of: environment).all == diagnostics.all)
    }

    @Test func logsHideValues() {
        let values = InterpolatedValues(of: [source.bytes], in: environment)
        #expect(
            values.hiding(in: "cannot write /data/hunter2-hunter2/x.db")
                == "cannot write /data/${TOKEN}/x.db"
        )
        #expect(values.hiding(in: "cannot write /var/log/x") == "cannot write /var/log/x")
    }
}
