// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import LuaStage

@Suite struct LogLimitTests {
    private let second: UInt64 = 1_000_000_000

    @Test func allowsABurstOfFiveSecondsAndThenTheRate() {
        let limit = LogLimit(linesASecond: 2)
        for _ in 0..<10 { #expect(limit.admit(at: 5) == .write(leftOut: 0)) }
        for _ in 0..<3 { #expect(limit.admit(at: 5) == .leaveOut) }
        #expect(limit.admit(at: 5 + second / 2) == .write(leftOut: 3))
        #expect(limit.admit(at: 5 + second / 2) == .leaveOut)
        #expect(limit.leftOutInAll == 4)
        #expect(limit.takeLeftOut() == 1)
        #expect(limit.takeLeftOut() == 0)
    }

    @Test func anIdlePeriodRefillsTheBurst() {
        let limit = LogLimit(linesASecond: 1)
        var written = 0
        for _ in 0..<9 where limit.admit(at: 1) == .write(leftOut: 0) { written += 1 }
        #expect(written == 5)
        for _ in 0..<9 where limit.admit(at: .max) != .leaveOut { written += 1 }
        #expect(written == 10)
        #expect(limit.admit(at: 0) == .leaveOut)
    }

    @Test func zeroMeansNoLimit() {
        let limit = LogLimit(linesASecond: 0)
        for _ in 0..<5000 { #expect(limit.admit(at: 1) == .write(leftOut: 0)) }
    }

    @Test func hugeRatesDoNotTrap() {
        let limit = LogLimit(linesASecond: .max)
        #expect(limit.admit(at: .max) == .write(leftOut: 0))
        #expect(limit.admit(at: 1) == .write(leftOut: 0))
    }

    @Test func aScriptThatFloodsTheLogIsLimited() throws {
        let bench = try Bench(
            "function record(ex) for i = 1, 100 do log(i) end end",
            logLinesASecond: 10
        )
        var exchange = Exchange.sample
        try bench.run("record", &exchange)
        bench.stage.stop()
        // A few more lines may be admitted while the test runs.
        #expect(bench.log.count < 90)
        #expect(Array(bench.log.prefix(50)) == (1...50).map(String.init))
        #expect(bench.log.last?.contains(" of script output left out") == true)
        let leftOut = bench.setup.shared.logLimit.leftOutInAll
        #expect(bench.log.filter { Int($0) != nil }.count + leftOut == 100)
    }
}
