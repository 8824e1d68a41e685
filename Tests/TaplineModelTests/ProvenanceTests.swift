// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite struct ProvenanceTests {
    private func extra(_ step: ProvenanceStep) -> ExchangeExtra {
        var extra = ExchangeExtra()
        extra.provenance = [step]
        return extra
    }

    @Test func wordsWithAFixedMeaningAreNotEdited() {
        var extra = extra(
            ProvenanceStep(
                stage: "lua",
                hook: "response",
                verdict: "proceed",
                skipped: "not_asked",
                changes: [
                    ProvenanceChange(part: "request.header", name: "x-team", kind: "set"),
                    ProvenanceChange(part: "url", kind: "changed"),
                ],
                details: [ProvenanceDetail(name: "rule", value: "slow")]
            )
        )
        var edited: [String] = []
        extra.editTexts { text, kind in edited.append("\(text) \(kind)") }
        #expect(edited == ["lua free", "x-team name", "rule free", "slow free"])
    }

    @Test func otherWordsAreEdited() {
        var extra = extra(
            ProvenanceStep(
                stage: "",
                hook: "secret",
                verdict: "secret",
                skipped: "secret",
                changes: [ProvenanceChange(part: "request.secret", kind: "secret")]
            )
        )
        extra.editTexts { text, _ in text = "*" }
        let expected = ProvenanceStep(
            stage: "",
            hook: "*",
            verdict: "*",
            skipped: "*",
            changes: [ProvenanceChange(part: "*", kind: "*")]
        )
        #expect(extra.provenance == [expected])
    }

    @Test func namesAndDetailsAreCountedInTheMemory() {
        let long = String(repeating: "x", count: 1000)
        let empty = extra(ProvenanceStep(stage: "a", hook: "request")).memory
        let named = extra(
            ProvenanceStep(
                stage: "a",
                hook: "request",
                changes: [ProvenanceChange(part: "tag", name: long, kind: "set")],
                details: [ProvenanceDetail(name: "rule", value: long)]
            )
        )
        #expect(named.memory > empty + 2000)
    }
}
