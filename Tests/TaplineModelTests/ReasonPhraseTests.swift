// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite struct ReasonPhraseTests {
    @Test(arguments: [
        (100, "Continue"), (203, "Non-Authoritative Information"), (308, "Permanent Redirect"),
        (413, "Content Too Large"), (431, "Request Header Fields Too Large"),
        (505, "HTTP Version Not Supported"), (511, "Network Authentication Required"),
    ])
    func registeredStatusesHaveAReason(status: Int, reason: String) {
        #expect(Response.reason(of: status) == reason)
        #expect(Response.registeredReason(of: status).utf8CodeUnitCount == reason.utf8.count)
    }

    @Test(arguments: [.min, -1, 0, 99, 104, 306, 418, 430, 499, 510, 599, 600, 999, .max] as [Int])
    func otherStatusesHaveNone(status: Int) {
        #expect(Response.reason(of: status) == "")
    }

    /// The registry has 63 statuses of which two are unused and one is obsolete.
    @Test func reasonsAreUnique() {
        let reasons = (0..<1000).map(Response.reason(of:)).filter { !$0.isEmpty }
        #expect(reasons.count == 60)
        #expect(Set(reasons).count == reasons.count)
    }
}
