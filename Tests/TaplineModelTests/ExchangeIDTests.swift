// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@Suite struct ExchangeIDTests {
    @Test func parsesTheExampleOfTheRFC() {
        // RFC 9562, appendix A.6.
        let id = ExchangeID("017F22E2-79B0-7CC3-98C4-DC0C0C07398F")
        #expect(id?.high == 0x017F_22E2_79B0_7CC3)
        #expect(id?.low == 0x98C4_DC0C_0C07_398F)
        #expect(id?.isVersion7 == true)
        #expect(id?.description == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
        #expect(ExchangeID("017f22e2-79b0-4cc3-98c4-dc0c0c07398f")?.isVersion7 == false)
        #expect(ExchangeID("017f22e2-79b0-7cc3-18c4-dc0c0c07398f")?.isVersion7 == false)
    }

    @Test(arguments: [
        "", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
        "017f22e2079b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
        "017f22e279b07cc398c4dc0c0c07398f----",
    ])
    func rejectsTextsThatAreNotIDs(text: String) {
        #expect(ExchangeID(text) == nil)
    }

    @Test func createsVersion7IDsThatSortByMicrosecond() {
        var random = Random(seed: 5)
        for _ in 0..<2000 {
            let start = Int64(random.below(4_000_000_000_000_000))
            let step = Int64([1, 2, 999, 1000, 1001][random.below(5)])
            let first = ExchangeID(
                started: Timestamp(microseconds: start),
                random: random.next(),
                random.next()
            )
            let second = ExchangeID(
                started: Timestamp(microseconds: start + step),
                random: random.next(),
                random.next()
            )
            #expect(first.isVersion7)
            #expect(first < second)
            #expect(first.description < second.description)
            #expect(first.high >> 16 == UInt64(start / 1000))
            #expect(ExchangeID(first.description) == first)
        }
    }

    @Test func treatsTimesBefore1970As1970() {
        let id = ExchangeID(started: Timestamp(microseconds: -5), random: 0, 0)
        #expect(id.high == 0x7000)
    }
}
