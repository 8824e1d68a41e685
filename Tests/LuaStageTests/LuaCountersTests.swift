// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineStatistics
import Testing

@testable import LuaStage

@Suite struct LuaCountersTests {
    private func metrics(_ code: String, _ limits: LuaLimits, calls: Int) throws -> [Metric] {
        let bench = try Bench(code, limits: limits)
        for _ in 0..<calls {
            var exchange = Exchange.sample
            try? bench.run("record", &exchange)
        }
        bench.stage.stop()
        return LuaCounters.metrics(bench.setup.shared.counters, script: "test.lua")
    }

    private func count(_ name: String, _ hook: String, _ metrics: [Metric]) -> Int? {
        metrics.first { $0.name == name && $0.subject == "test.lua \(hook)" }?.count
    }

    @Test func callsAndTimesAreCountedPerHook() throws {
        let metrics = try metrics(
            "function start() end function record(ex) end function stop() end",
            LuaLimits(),
            calls: 33
        )
        #expect(count("calls", "record", metrics) == 33)
        #expect(count("calls", "start", metrics) == 1)
        #expect(count("calls", "stop", metrics) == 1)
        #expect(count("calls", "request", metrics) == 0)
        #expect(count("errors", "record", metrics) == 0)
        // One call in sixteen is timed, starting with the first.
        #expect(count("time", "record", metrics) == 3)
        #expect(count("time", "start", metrics) == 1)
        let times = metrics.first { $0.name == "time" && $0.count == 3 }?.durations
        #expect((times?.maximum ?? 0) > 0)
    }

    @Test(arguments: [
        ("error('x')", "errors", LuaLimits()),
        ("while true do end", "instruction limit hits", LuaLimits(instructions: 10_000)),
        (
            "while true do end", "time limit hits",
            LuaLimits(instructions: .max, time: .milliseconds(5))
        ),
        ("local s = ('x'):rep(1 << 40)", "memory limit hits", LuaLimits(memory: 1 << 20)),
    ])
    func failuresAreCountedByKind(body: String, name: String, limits: LuaLimits) throws {
        let metrics = try metrics("function record(ex) \(body) end", limits, calls: 2)
        #expect(count("calls", "record", metrics) == 2)
        #expect(count("errors", "record", metrics) == 2)
        #expect(count(name, "record", metrics) == 2)
        let hits = metrics.filter { $0.name.hasSuffix("limit hits") }.reduce(0) { $0 + $1.count }
        #expect(hits == (name == "errors" ? 0 : 2))
    }

    @Test func countsOfLanesAreAdded() throws {
        let shared = LuaShared(logLinesASecond: 0)
        for lane in 1...3 {
            let counters = shared.makeCounters()
            for _ in 0..<lane { counters.count(hook: 2, nanoseconds: 5) }
        }
        let metrics = LuaCounters.metrics(shared.counters, script: "test.lua")
        #expect(count("calls", "record", metrics) == 6)
        #expect(count("time", "record", metrics) == 6)
    }

    @Test func theFactoryReportsTheCounters() throws {
        let factory = try LuaStageFactory(
            LuaScript(path: "test.lua", text: Array("function record(ex) log(1) end".utf8)),
            limits: LuaLimits(),
            config: nil,
            logLinesASecond: 1
        )
        var context = ExchangeContext()
        for lane in 0..<2 {
            let stage = try factory.makeStage(StageContext(id: "lua", lane: lane))
            for _ in 0..<50 {
                var exchange = Exchange.sample
                _ = try (stage as? any RecordStage)?.record(&exchange, &context)
            }
        }
        #expect(count("calls", "record", factory.metrics) == 100)
        let leftOut = factory.metrics.first { $0.name == "log lines left out" }
        #expect((leftOut?.count ?? 0) >= 80)
    }
}
