// SPDX-License-Identifier: MIT

import TaplinePlugin
import Testing

@Suite("The states of stages") struct StageStatesTests {
    private final class Instance {}

    @Test("belong to one instance each, and have one type")
    func states() {
        let (first, second) = (Instance(), Instance())
        var states = StageStates()
        #expect(states.value(of: first, as: Int.self) == nil)
        states.keep(1, of: first)
        states.keep("a", of: second)
        states.keep(2, of: first)
        #expect(states.value(of: first, as: Int.self) == 2)
        #expect(states.value(of: first, as: String.self) == nil)
        #expect(states.value(of: second, as: String.self) == "a")
    }
}
