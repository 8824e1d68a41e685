// SPDX-License-Identifier: MIT

import Synchronization
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite struct SignalTargetTests {
    @Test func signalsWaitForTheStartOfTheProgram() {
        let numbers = Numbers()
        let target = SignalTarget()
        target.send(15)
        target.send(1)
        #expect(numbers.all.isEmpty)
        target.started { numbers.add($0) }
        target.send(10)
        #expect(numbers.all == [15, 1, 10])
    }

    private final class Numbers: Sendable {
        private let state = Mutex<[Int32]>([])
        var all: [Int32] { state.withLock { $0 } }
        func add(_ number: Int32) { state.withLock { $0.append(number) } }
    }
}
