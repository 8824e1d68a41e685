// SPDX-License-Identifier: MIT

import TaplineRuntime
import Testing

@testable import TaplineCommand

@Suite("The summary of a run")
struct SummaryTests {
    @Test("tells of each sink whose records waited on the disk")
    func spill() {
        var counters = SinkCounters()
        #expect(Summary.spill(of: "db", counters) == nil)
        counters.spilled = 1200
        counters.peakSpillBytes = 3_000_000
        let start = "note: 1200 records of sink 'db' waited on the disk, at most 3 MiB"
        #expect(Summary.spill(of: "db", counters) == start)
        counters.inSpill = 5
        counters.unspilled = 2
        #expect(
            Summary.spill(of: "db", counters)
                == start + "; 5 are there now; 2 were dropped, since there was no room"
        )
    }
}
