// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineSystem

@Suite("The processor quota")
struct ProcessorQuotaTests {
    @Test(
        "is read from cpu.max",
        arguments: [
            ("150000 100000\n", 1.5), ("max 100000\n", nil), ("50000 100000", 0.5), ("", nil),
            ("0 0", nil), ("1", nil), ("nan 1", nil), ("1 inf", nil),
        ] as [(String, Double?)]
    )
    func quota(text: String, processors: Double?) {
        #expect(ProcessorQuota.quota(text) == processors)
    }

    @Test("is that of the process's group of version 2")
    func group() {
        #expect(ProcessorQuota.path(in: "4:cpu:/a\n0::/b/c\n") == "/b/c")
        #expect(ProcessorQuota.path(in: "4:cpu:/a\n") == nil)
    }

    @Test("is above zero and at most all processors")
    func whole() {
        #expect(ProcessorQuota.processors > 0)
        #expect(ProcessorQuota.processors <= Double(Processors.available))
    }

    @Test("is compared with the time of all threads")
    func clock() {
        let (begin, own) = (ProcessClock.microseconds, ThreadClock.microseconds)
        while ThreadClock.microseconds - own < 2000 {}
        #expect(ProcessClock.microseconds - begin >= 2000)
    }
}
