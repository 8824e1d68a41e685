// SPDX-License-Identifier: MIT

import TaplineRuntime
import Testing

@testable import TaplineCommand

@Suite("The summary of a run")
struct SummaryTests {
    @Test("has a note for each sink whose records waited on disk")
    func spill() {
        var counters = SinkCounters()
        #expect(Summary.spill(of: "db", counters) == nil)
        counters.spilled = 1200
        counters.peakSpillBytes = 3_000_000
        let start = "note: 1200 records of sink 'db' waited on disk, at most 3 MiB"
        #expect(Summary.spill(of: "db", counters) == start)
        counters.inSpill = 5
        counters.unspilled = 2
        #expect(
            Summary.spill(of: "db", counters)
                == start + "; 5 are still there; 2 were dropped because there was no room"
        )
    }
}
