// SPDX-License-Identifier: MIT

import LimitBodyStage
import TaplinePlugin
import TaplineTesting
import Testing

@Suite("limit_body conformance")
struct LimitBodyConformanceTests {
    @Test(
        "limit_body satisfies the stage contract",
        arguments: [
            "{}",
            "{ max_bytes: 0B }",
            "{ max_bytes: 16B, skip: ['image/*'], messages: { max_bytes: 4B } }",
        ]
    )
    func conforms(options: String) async {
        let found = await Conformance.violations(of: .limitBody, options: options)
        #expect(found.isEmpty, "\(found)")
    }
}
