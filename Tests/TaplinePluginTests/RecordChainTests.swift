// SPDX-License-Identifier: MIT

import TaplineCrypto
import TaplineModel
import TaplineQuery
import Testing

@testable import TaplinePlugin

@Suite("The record stages of a lane")
struct RecordChainTests {
    private struct Failure: Error {}

    /// Calls a closure for each record.
    private final class Hook: RecordStage {
        private let hook: (inout Exchange, inout ExchangeContext) throws -> RecordVerdict

        init(_ hook: @escaping (inout Exchange, inout ExchangeContext) throws -> RecordVerdict) {
            self.hook = hook
        }

        func record(
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> RecordVerdict { try hook(&exchange, &context) }
    }

    private func exchange(status: Int = 200) -> Exchange {
        var exchange = Exchange(id: ExchangeID(high: 0, low: 1), response: Response(status: status))
        exchange.request.body = Body(Array("abc".utf8))
        return exchange
    }

    private func tagging(_ name: String) -> Hook {
        Hook { exchange, _ in
            exchange.tags["order"] = (exchange.tags["order"] ?? "") + name
            return .keep
        }
    }

    private func sealed(_ outcome: RecordChain.Outcome) -> Record? {
        if case .sealed(let record) = outcome { record } else { nil }
    }

    @Test("run from top to bottom, and seal the result")
    func order() throws {
        var chain = RecordChain(["a", "b", "c"].map { RecordChain.Link(stage: tagging($0)) })
        let record = try #require(sealed(chain.seal(exchange())))
        #expect(record.exchange.tags["order"] == "abc")
        #expect(chain.counters.map(\.received) == [1, 1, 1])
        #expect(chain.counters.map(\.sent) == [1, 1, 1])
    }

    @Test("make no record if one of them drops it or fails")
    func ends() {
        var dropping = RecordChain([
            .init(stage: nil), .init(stage: Hook { _, _ in .drop(reason: "noise") }),
            .init(stage: tagging("never")),
        ])
        guard case .dropped(by: 1, reason: "noise") = dropping.seal(exchange()) else {
            Issue.record("not dropped")
            return
        }
        #expect(dropping.counters.map(\.received) == [1, 1, 0])
        #expect(dropping.counters.map(\.dropped) == [0, 1, 0])
        var failing = RecordChain([.init(stage: Hook { _, _ in throw Failure() })])
        guard case .failed(at: 0, is Failure) = failing.seal(exchange()) else {
            Issue.record("not failed")
            return
        }
        #expect(failing.counters.map(\.errors) == [1])
        #expect(failing.counters.map(\.sent) == [0])
    }

    @Test("do not get an exchange that 'when' excludes, which is passed on")
    func condition() throws {
        var chain = RecordChain([.init(stage: tagging("a"), when: try Filter("status >= 400"))])
        let excluded = try #require(sealed(chain.seal(exchange())))
        let selected = try #require(sealed(chain.seal(exchange(status: 500))))
        #expect(excluded.exchange.tags["order"] == nil)
        #expect(selected.exchange.tags["order"] == "a")
        #expect(chain.counters.map(\.skipped) == [1])
        #expect(chain.counters.map(\.sent) == [2])
    }

    @Test("do not run after the stage whose wire hook dropped the exchange")
    func droppedOnTheWire() {
        var context = ExchangeContext()
        context.droppedBy = 1
        context.dropReason = "test traffic"
        var chain = RecordChain(["a", "b", "c"].map { RecordChain.Link(stage: tagging($0)) })
        guard case .dropped(by: 1, reason: "test traffic") = chain.seal(exchange(), context) else {
            Issue.record("not dropped")
            return
        }
        #expect(chain.counters.map(\.received) == [1, 1, 0])
    }

    @Test("see no notes of hooks after the last redaction")
    func notes() throws {
        let noting = Hook { exchange, context in
            let mark = context.vars["note"] == nil ? "-" : "+"
            exchange.tags["seen"] = (exchange.tags["seen"] ?? "") + mark
            return .keep
        }
        var context = ExchangeContext()
        context.vars["note"] = "of a hook"
        var chain = RecordChain([
            .init(stage: noting, redacts: true), .init(stage: noting, redacts: true),
            .init(stage: noting),
        ])
        let record = try #require(sealed(chain.seal(exchange(), context)))
        #expect(record.exchange.tags["seen"] == "++-")
    }

    @Test("hash bodies only if a sink or the recording needs it")
    func digests() throws {
        let hash = SHA256.hash("abc".utf8.span)
        var plain = RecordChain()
        #expect(sealed(plain.seal(exchange()))?.requestDigest == nil)
        var hashed = exchange()
        hashed.request.body.isHashed = true
        #expect(sealed(plain.seal(hashed))?.requestDigest == hash)
        var needed = RecordChain(digests: true)
        let record = try #require(sealed(needed.seal(exchange())))
        #expect(record.requestDigest == hash)
        // There is nothing to hash.
        #expect(record.responseDigest == nil)
    }

    @Test("count for all lanes together")
    func sums() {
        var sum = StageCounters()
        sum.received = 3
        var other = StageCounters()
        (other.received, other.sent, other.dropped) = (6, 1, 2)
        (other.errors, other.skipped, other.hookErrors) = (3, 4, 5)
        sum += other
        #expect(sum.received == 9 && sum.sent == 1 && sum.dropped == 2)
        #expect(sum.errors == 3 && sum.skipped == 4 && sum.hookErrors == 5)
    }
}
