// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import Testing

@testable import TaplinePlugin

@Suite("The board of exchanges that wait") struct PausedExchangesTests {
    private final class Calls: Sendable {
        private let count = Atomic<Int>(0)
        var all: Int { count.load(ordering: .relaxed) }
        func add() { count.add(1, ordering: .relaxed) }
    }

    private func entry(_ number: UInt64, bodyBytes: Int? = 0) -> PausedExchanges.Entry {
        var exchange = Exchange(id: ExchangeID(high: 1, low: number))
        var record: Record?
        if let bodyBytes {
            var chain = RecordChain()
            exchange.request.body = Body(Array(repeating: 0x61, count: bodyBytes))
            if case .sealed(let sealed) = chain.seal(exchange) { record = sealed }
        }
        return PausedExchanges.Entry(
            ActiveExchange(exchange),
            at: Timestamp(microseconds: 0),
            until: Timestamp(microseconds: 1),
            hook: .request,
            rule: "r",
            record: record
        )
    }

    @Test("takes exchanges only while somebody can decide; they pass when nobody can any more")
    func attendance() {
        let (board, decided) = (PausedExchanges(), Calls())
        #expect(!board.add(entry(1), of: "s", atMost: 9) { _ in decided.add() })
        let (first, second) = (board.attend(), board.attend())
        #expect(board.add(entry(1), of: "s", atMost: 9) { if $0 == nil { decided.add() } })
        first.leave()
        first.leave()
        #expect(board.isAttended)
        #expect(decided.all == 0)
        second.leave()
        #expect(decided.all == 1)
        #expect(board.all.isEmpty)
        #expect(!board.isAttended)
    }

    @Test("lets all exchanges pass when it closes, and takes no more")
    func closing() {
        let (board, passed, changes) = (PausedExchanges(), Calls(), Calls())
        let attendance = board.attend { changes.add() }
        defer { attendance.leave() }
        #expect(board.add(entry(1), of: "s", atMost: 9) { if $0 == nil { passed.add() } })
        board.close()
        #expect(passed.all == 1)
        #expect(changes.all == 2)
        #expect(board.all.isEmpty)
        #expect(!board.isAttended)
        #expect(!board.add(entry(2), of: "s", atMost: 9) { _ in passed.add() })
    }

    @Test("is not attended any more by somebody who is released")
    func release() {
        let board = PausedExchanges()
        var attendance: PauseAttendance? = board.attend()
        #expect(attendance != nil)
        #expect(board.isAttended)
        attendance = nil
        #expect(!board.isAttended)
    }

    @Test("bounds the exchanges of each stage")
    func limit() {
        let board = PausedExchanges()
        let attendance = board.attend()
        defer { attendance.leave() }
        #expect(board.add(entry(1), of: "a", atMost: 1) { _ in })
        #expect(!board.add(entry(2), of: "a", atMost: 1) { _ in })
        #expect(!board.hasRoom(for: "a", atMost: 1))
        #expect(board.add(entry(3), of: "b", atMost: 1) { _ in })
        #expect(board.all.map(\.active.id.low) == [1, 3])
    }

    @Test("bounds the memory of the copies; more exchanges are shown without content")
    func memory() {
        let board = PausedExchanges()
        let attendance = board.attend()
        defer { attendance.leave() }
        for number in 1...3 as ClosedRange<UInt64> {
            #expect(board.add(entry(number, bodyBytes: 30 << 20), of: "a", atMost: 9) { _ in })
        }
        #expect(board.all.map { $0.record != nil } == [true, true, false])
        #expect(board.remove(ExchangeID(high: 1, low: 1)))
        #expect(board.add(entry(4, bodyBytes: 30 << 20), of: "a", atMost: 9) { _ in })
        #expect(board.all.map { $0.record != nil } == [true, false, true])
    }

    @Test("decides once, and not about what has passed meanwhile")
    func decisions() throws {
        let (board, decided, changes) = (PausedExchanges(), Calls(), Calls())
        let attendance = board.attend { changes.add() }
        defer { attendance.leave() }
        let id = ExchangeID(high: 1, low: 1)
        #expect(board.add(entry(1), of: "s", atMost: 9) { _ in decided.add() })
        #expect(board.entry(id)?.rule == "r")
        #expect(try board.resume(id, PauseDecision()))
        #expect(try !board.resume(id, PauseDecision()))
        #expect(!board.remove(id))
        #expect(board.add(entry(1), of: "s", atMost: 9) { _ in decided.add() })
        #expect(board.remove(id))
        #expect(try !board.resume(id, PauseDecision()))
        #expect(decided.all == 1)
        #expect(changes.all == 4)
    }

    @Test("checks decisions first; an exchange waits on after one that is not possible")
    func refusals() throws {
        let (board, decided) = (PausedExchanges(), Calls())
        let attendance = board.attend()
        defer { attendance.leave() }
        let id = ExchangeID(high: 1, low: 1)
        let refusal = PauseRefusal([PauseRefusal.Problem("request.url", "no")])
        let isAdded = board.add(
            entry(1),
            of: "s",
            atMost: 9,
            checking: { decision throws(PauseRefusal) in
                if decision.edit != nil { throw refusal }
            },
            decided: { _ in decided.add() }
        )
        #expect(isAdded)
        #expect(throws: refusal) { try board.resume(id, PauseDecision(edit: { _ in })) }
        #expect(board.entry(id) != nil)
        #expect(decided.all == 0)
        // What was meant for another hook is not even checked.
        let late = PauseDecision(edit: { _ in })
        #expect(try !board.resume(id, late, after: .response))
        #expect(try board.resume(id, PauseDecision()))
        #expect(decided.all == 1)
    }
}
