// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

/// The chain around the stage `redact` while provenance is recorded.
@Suite struct ProvenanceTests {
    private static let secret = "SK-PLANTED77"

    /// A record stage that puts names with a secret into an exchange.
    private final class Naming: RecordStage {
        func record(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> RecordVerdict {
            exchange.tags["tag-\(ProvenanceTests.secret)"] = "1"
            exchange.request.fields.set("X-\(ProvenanceTests.secret)", to: "1")
            exchange.request.fields.set("X-Internal", to: "1")
            exchange.request.fields.set("X-Team", to: "shop")
            context.vars["var-\(ProvenanceTests.secret)"] = "1"
            context.addDetail("rule", "for \(ProvenanceTests.secret)")
            return .keep
        }
    }

    private func record(_ yaml: String) throws -> Exchange {
        let factory = try #require(build(yaml).factory)
        let stage = try factory.makeStage(StageContext(id: "redact"))
        let redact = try #require(stage as? any RecordStage)
        var chain = RecordChain(
            [
                RecordChain.Link(id: "naming", stage: Naming()),
                RecordChain.Link(id: "redact", stage: redact, redacts: true),
            ],
            recordsProvenance: true
        )
        var input = exchange()
        input.request.fields.append(name: "Y-\(Self.secret)", value: "1")
        guard case .sealed(let record) = chain.seal(input) else {
            throw ExchangeLost()
        }
        return record.exchange
    }

    private struct ExchangeLost: Error {}

    @Test(arguments: ["{mask: '*', detectors: key}", "{preset: strict, mask: '*', detectors: key}"])
    func secretsInNamesAreNotShown(_ yaml: String) throws {
        let record = try record(yaml)
        var shown = ""
        dump(record, to: &shown)
        #expect(!shown.contains(Self.secret))
        let steps = record.extra?.provenance ?? []
        #expect(steps.map(\.stage) == ["naming", "redact"])
        #expect(steps.first?.changes.count == 5)
        #expect(steps.first?.details.count == 1)
    }

    @Test func harmlessNamesAreShown() throws {
        let record = try record(
            "{mask: '*', detectors: key, headers: [{ name: x-internal, action: remove }]}"
        )
        let steps = record.extra?.provenance ?? []
        let names = steps.first?.changes.filter { $0.part == "request.header" }.map(\.name) ?? []
        #expect(names.count == 3)
        #expect(names.suffix(2) == ["*", "X-Team"])
        // What the stage itself has removed is only counted.
        let removed = steps.last?.changes.first { $0.kind == "removed" && $0.part != "tag" }
        #expect(removed?.name == "")
    }
}
