// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import Testing

@testable import TaplinePlugin

@Suite("The state of an exchange for its stages")
struct ExchangeContextTests {
    @Test("has a set of up to 127 stages")
    func stageSet() {
        for inserted in [0, 1, 63, 64, 65, 126] {
            var set = StageSet()
            set.insert(inserted)
            #expect((0..<127).filter { set.contains($0) } == [inserted])
        }
        var all = StageSet()
        for stage in 0..<127 { all.insert(stage) }
        #expect((0..<127).allSatisfy { all.contains($0) })
    }

    @Test("decides whether 'when' matches once, before the first hook of a stage")
    func decidedOnce() throws {
        let condition = try Filter("status == 200")
        var context = ExchangeContext()
        func exchange(_ status: Int) -> Exchange {
            Exchange(id: ExchangeID(high: 0, low: 1), response: Response(status: status))
        }
        func selected(_ stage: Int, _ status: Int, when condition: Filter?) -> Bool {
            context.isSelected(stage, when: condition, exchange(status))
        }
        #expect(!context.mayBeSelected(3, when: condition, exchange(500)))
        // Nothing was decided by the question.
        #expect(context.mayBeSelected(3, when: condition, exchange(200)))
        #expect(selected(3, 200, when: condition))
        #expect(selected(3, 500, when: condition))
        #expect(context.mayBeSelected(3, when: condition, exchange(500)))
        #expect(!selected(4, 500, when: condition))
        #expect(!selected(4, 200, when: condition))
        #expect(selected(5, 500, when: nil))
    }
}
