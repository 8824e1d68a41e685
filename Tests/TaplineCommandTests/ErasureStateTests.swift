// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineCommand

@Suite("The message of an interrupted erasure")
struct ErasureStateTests {
    @Test("states what the store has in each phase", arguments: ErasureState.Phase.allCases)
    func phases(phase: ErasureState.Phase) {
        let state = ErasureState("a.db")
        #expect(state.interruption == "interrupted; nothing was erased in 'a.db'")
        state.enter(phase)
        let expected =
            switch phase {
            case .searching: "nothing was erased in 'a.db'"
            case .committing: "'a.db' is intact, but may still have a part of what is erased; run"
            case .verifying: "'a.db' was erased, but not searched completely afterwards; run"
            }
        #expect(state.interruption.hasPrefix("interrupted; \(expected)"))
    }
}
