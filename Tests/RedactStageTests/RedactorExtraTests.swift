// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RedactStage

/// With presets that have rules; `StrictModelTests` plants secrets with `preset: strict`.
@Suite struct RedactorExtraTests {
    private static let secret = "SK-PLANTED77"

    private func planted(_ text: String) -> Exchange {
        var extra = ExchangeExtra()
        extra.provenance = [
            ProvenanceStep(
                stage: text,
                hook: text,
                verdict: text,
                skipped: text,
                changes: [ProvenanceChange(part: text, name: text, kind: text)],
                details: [ProvenanceDetail(name: text, value: text)]
            )
        ]
        extra.replay = ReplayFacts(of: ExchangeID(high: 1, low: 2))
        extra.notes = [ExchangeNote(text: text, author: text, mark: text)]
        let leg = StreamLegs.Leg(id: 1, version: text)
        extra.stream = StreamLegs(client: leg, server: leg)
        extra.grpc = GRPCFacts(service: text, method: text, status: 1, message: text)
        var full = exchange()
        full.extra = extra
        full.messages = [
            StreamMessage(
                direction: .down,
                type: "event",
                event: text,
                eventID: text,
                bytes: Array(text.utf8)
            )
        ]
        return full
    }

    @Test(arguments: ["SK-PLANTED77", "see SK-PLANTED77", "{\"a\":\"SK-PLANTED77\"}"])
    func findingsOfDetectorsAreRemovedFromAllTexts(_ text: String) throws {
        let result = try redact(planted(text), "{mask: '*', detectors: key}")
        var shown = ""
        dump(result, to: &shown)
        #expect(!shown.contains(Self.secret))
        #expect(!result.messages.contains { $0.bytes.count >= text.utf8.count })
        #expect(result.extra != nil)
    }

    @Test(arguments: ["password=hunter2x", "{\"password\":\"hunter2x\"}"])
    func valuesNamedByRulesAreRemovedFromAllTexts(_ text: String) throws {
        let result = try redact(planted(text), "{mask: '*'}")
        var shown = ""
        dump(result, to: &shown)
        #expect(!shown.contains("hunter2x"))
    }

    @Test func harmlessTextStays() throws {
        let plain = planted("request.header.x-team")
        #expect(try redact(plain, "{mask: '*', detectors: key}") == plain)
    }

    @Test func namesThatARuleRemovesAreMasked() throws {
        var changed = exchange()
        var extra = ExchangeExtra()
        extra.provenance = [
            ProvenanceStep(
                stage: "lua",
                hook: "request",
                changes: ["X-Internal", "X-Team", "authorization"].map {
                    ProvenanceChange(part: "request.header", name: $0, kind: "set")
                }
            )
        ]
        changed.extra = extra
        let result = try redact(
            changed,
            "{mask: '*', headers: [{ name: x-internal, action: remove }]}"
        )
        let names = result.extra?.provenance.first?.changes.map(\.name)
        #expect(names == ["*", "X-Team", "authorization"])
    }
}
