// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplinePlugin

@Suite("What the hooks of an exchange did so far")
struct ProvenanceLogTests {
    private func exchange() -> Exchange {
        Exchange(id: ExchangeID(high: 0, low: 1), response: Response())
    }

    /// A log with a tag of a name, set by the stage `a`.
    private func log(_ exchange: inout Exchange, naming name: String) -> ProvenanceLog {
        var log = ProvenanceLog()
        log.begin(.request, exchange, Tags())
        exchange.tags[name] = "1"
        log.add(ProvenanceDetail(name: "rule", value: name))
        log.noteHook(
            .request,
            of: "a",
            .proceed,
            delay: nil,
            isRedacting: false,
            exchange,
            Tags()
        )
        return log
    }

    private func steps(_ log: ProvenanceLog) -> [ProvenanceStep] {
        var exchange = exchange()
        log.store(in: &exchange)
        return exchange.extra?.provenance ?? []
    }

    @Test("lends names and details to redacting stages, and takes the edited ones back")
    func lending() {
        var exchange = exchange()
        var log = log(&exchange, naming: "secret")
        var extra = ExchangeExtra()
        extra.notes = [ExchangeNote(text: "a")]
        exchange.extra = extra
        log.lend(to: &exchange)
        #expect(exchange.extra?.provenance.count == 1)
        #expect(exchange.extra?.provenance[0].stage == "")
        exchange.extra?.editTexts { text, _ in if text == "secret" { text = "*" } }
        log.takeBack(from: &exchange)
        #expect(exchange.extra == extra)
        let found = steps(log)
        #expect(found.map(\.stage) == ["a"])
        #expect(found[0].changes.map(\.name) == ["*"])
        #expect(found[0].details == [ProvenanceDetail(name: "rule", value: "*")])
    }

    @Test("hides names that a redacting stage does not give back")
    func lost() {
        var exchange = exchange()
        var log = log(&exchange, naming: "secret")
        log.lend(to: &exchange)
        exchange.extra = nil
        log.takeBack(from: &exchange)
        let found = steps(log)
        #expect(found[0].changes.map(\.name) == [""])
        #expect(found[0].changes.map(\.part) == ["tag"])
        #expect(found[0].details.isEmpty)
    }

    @Test("lends nothing if there are no names")
    func nothingToLend() {
        var exchange = exchange()
        var log = ProvenanceLog()
        log.begin(.record, exchange, Tags())
        exchange.state = .failed
        log.noteHook(
            .record,
            of: "a",
            .keep,
            delay: nil,
            isRedacting: false,
            exchange,
            Tags()
        )
        log.lend(to: &exchange)
        #expect(exchange.extra == nil)
        log.takeBack(from: &exchange)
        #expect(exchange.extra == nil)
        #expect(steps(log).map(\.changes) == [[ProvenanceChange(part: "state", kind: "changed")]])
    }

    @Test("keeps a bounded number of details")
    func details() {
        let exchange = exchange()
        var log = ProvenanceLog()
        log.begin(.message, exchange, Tags())
        for _ in 0..<3 {
            for number in 0..<50 {
                log.add(ProvenanceDetail(name: "rule", value: "\(number)"))
            }
            log.noteMessage(of: "a", .pass, isChanged: false, exchange, Tags())
        }
        let found = steps(log)
        #expect(found.map(\.calls) == [3])
        #expect(found[0].details.count == ProvenanceLog.maxDetails)
    }

    @Test("bounds the steps of an exchange that is processed again and again")
    func boundedSteps() {
        var exchange = Exchange(id: ExchangeID(high: 1, low: 2))
        for number in 0..<300 {
            var log = ProvenanceLog()
            log.begin(.record, exchange, [:])
            log.noteHook(
                .record,
                of: "s\(number)",
                .keep,
                delay: nil,
                isRedacting: false,
                exchange,
                [:]
            )
            log.store(in: &exchange)
        }
        let steps = exchange.extra?.provenance ?? []
        #expect(steps.count == ProvenanceLog.maxSteps)
        #expect(steps.last?.stage == "s299")
    }
}
