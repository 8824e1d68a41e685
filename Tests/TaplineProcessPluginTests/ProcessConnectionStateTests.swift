// SPDX-License-Identifier: MIT

import TaplineSystem
import TestSupport
import Testing

@testable import TaplineProcessPlugin

@Suite("When a call wakes the thread of a plugin's process")
struct ProcessConnectionStateTests {
    /// A state in which the thread waits until 100.
    private func state(isAsleep: Bool = true, output: String = "") -> ProcessConnection.State {
        var state = ProcessConnection.State(machine: ProcessPluginStateMachine(.init()))
        state.isAsleep = isAsleep
        state.wakesAt = 100
        state.output = Array(output.utf8)
        return state
    }

    @Test("a thread that waits is woken to write, and for a call that is due before it wakes")
    func asleep() {
        for (output, deadline) in [("call", Int64(100)), ("", 99), ("call", 99)] {
            var state = state(output: output)
            let wakes = state.wakes(forCallDueAt: deadline, isAwaited: false)
            let again = state.wakes(forCallDueAt: deadline, isAwaited: false)
            #expect(wakes && !again, "\(output) \(deadline)")
        }
        // The window is full.
        var state = state()
        let wakes = state.wakes(forCallDueAt: 100, isAwaited: false)
        #expect(!wakes)
    }

    @Test("a thread that does not wait looks for calls by itself")
    func awake() {
        for isAwaited in [true, false] {
            var state = state(isAsleep: false, output: "call")
            let wakes = state.wakes(forCallDueAt: 99, isAwaited: isAwaited)
            #expect(!wakes)
        }
    }

    @Test("a call that is waited for is written at once, without the thread")
    func writesAtOnce() throws {
        let program = try BidirectionalProcess(["/bin/cat"], environment: [:])
        var state = state(output: "call")
        state.input = program.sharedInput
        let wakes = state.wakes(forCallDueAt: 100, isAwaited: true)
        let isWritten = state.output.isEmpty
        #expect(!wakes && isWritten)
        var output: [UInt8] = []
        try blockingWait(for: "the call") {
            _ = try program.read(.output, appendingTo: &output, atMost: 10)
            return output == Array("call".utf8)
        }
        _ = program.kill()
    }
}
