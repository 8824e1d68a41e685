// SPDX-License-Identifier: MIT

import Synchronization
import TaplinePlugin
import TestSupport
import Testing

@testable import TaplineRuntime

@Suite("The controller of shedding")
struct SheddingControllerTests {
    private typealias Load = SheddingController.Load
    private let limits = SheddingLimits(processor: 0.9, memory: 1)

    private func controller(afterHighs count: Int) -> SheddingController {
        var controller = SheddingController(limits)
        for _ in 0..<count { _ = controller.measured(Load(processor: 1)) }
        return controller
    }

    @Test(
        "halves the share from the second high measurement on, down to a minimum",
        arguments: [(1, 65_536), (2, 32_768), (3, 16_384), (7, 1024), (8, 1024), (100, 1024)]
            as [(Int, UInt32)]
    )
    func halving(count: Int, kept: UInt32) {
        #expect(controller(afterHighs: count).state.kept == kept)
    }

    @Test(
        "reacts to a measurement while shedding",
        arguments: [
            (Load(processor: 0.9), 8192, SheddingState.Cause.processor),
            (Load(memory: 1), 8192, .memory),
            (Load(processor: 1, memory: 2), 8192, .memory),
            // Between calm and high nothing changes.
            (Load(processor: 0.89), 16_384, .processor),
            (Load(processor: 0.82), 16_384, .processor),
            (Load(memory: 0.95), 16_384, .processor),
            (Load(processor: 0.8, memory: 0.89), 16_384 + 1638, .processor),
            (Load(), 16_384 + 1638, .processor),
        ] as [(Load, UInt32, SheddingState.Cause)]
    )
    private func reaction(load: Load, kept: UInt32, cause: SheddingState.Cause) {
        var controller = controller(afterHighs: 3)
        #expect(controller.measured(load) == nil)
        #expect(controller.state == SheddingState(kept: kept, cause: cause))
    }

    @Test("reports once that shedding begins, and once that it ends")
    func events() {
        var controller = controller(afterHighs: 1)
        #expect(controller.measured(Load(processor: 1)) == .began)
        #expect(controller.measured(Load(processor: 1)) == nil)
        var count = 0
        while controller.state.isActive, count < 100 {
            let event = controller.measured(Load())
            #expect((event == .ended) == !controller.state.isActive)
            count += 1
        }
        // About ten seconds, at four measurements a second.
        #expect((30...41).contains(count))
        #expect(controller.measured(Load()) == nil)
    }

    @Test("does not shed for single peaks, or without a limit")
    func peaks() {
        var controller = controller(afterHighs: 0)
        for _ in 0..<50 {
            #expect(controller.measured(Load(processor: 1, memory: 1)) == nil)
            #expect(controller.measured(Load()) == nil)
        }
        var unlimited = SheddingController(.none)
        for _ in 0..<50 { #expect(unlimited.measured(Load(processor: 9, memory: 9)) == nil) }
        #expect(!controller.state.isActive && !unlimited.state.isActive)
    }

    @Test("keeps its share within bounds for any load")
    func bounds() {
        var random = Random(seed: 7)
        var controller = controller(afterHighs: 0)
        for _ in 0..<10_000 {
            let before = controller.state.kept
            let loads = [0, 0.5, 0.85, 0.95, 1, .infinity, .nan]
            let load = loads[Int(random.next() % UInt64(loads.count))]
            _ = controller.measured(Load(processor: load))
            let after = controller.state.kept
            #expect((SheddingController.leastKept...1 << 16).contains(after))
            #expect(after >= before / 2 && after <= before + SheddingController.step)
        }
    }

    @Test("is followed by one line in the log at the beginning, and one with the total at the end")
    func log() {
        let lines = Mutex<[String]>([])
        let log = Log(component: "runtime") { entry in lines.withLock { $0.append(entry.message) } }
        let limits = RecordingLimits()
        let use = Mutex(1.5)
        let monitor = SheddingMonitor(self.limits, limits, log: log) {
            Load(processor: 0, memory: use.withLock { $0 })
        }
        for _ in 0..<5 { #expect(monitor.measure()) }
        #expect(limits.shedding.decision == .shedMemory && limits.shedding.isActive)
        for _ in 0..<3 { limits.noteShed() }
        use.withLock { $0 = 0 }
        for _ in 0..<60 { #expect(monitor.measure()) }
        #expect(!limits.shedding.isActive)
        monitor.stop()
        #expect(!monitor.measure())
        #expect(
            lines.withLock { $0 } == [
                "memory use is at 150 %, so not all exchanges are recorded; traffic passes as before",
                "shedding has ended after 0 s; 3 exchanges not recorded",
            ]
        )
    }
}
