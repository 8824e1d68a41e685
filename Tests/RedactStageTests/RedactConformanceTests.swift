// SPDX-License-Identifier: MIT

import RedactStage
import TaplinePlugin
import TaplineTesting
import Testing

@Suite("redact conformance")
struct RedactConformanceTests {
    @Test(
        "redact satisfies the stage contract",
        arguments: [
            "{}",
            "{ preset: none }",
            "{ action: remove, headers: [x-*], json: [$.a.b] }",
            "{ action: hash, key_env: TAPLINE_REDACT_KEY }",
            "{ action: pseudonym, key_env: TAPLINE_REDACT_KEY, mark: true }",
        ]
    )
    func conforms(options: String) async {
        // The key in the page's example comes from the environment.
        let settings = ConformanceSettings(
            environment: ["TAPLINE_REDACT_KEY": "0123456789abcdef0123456789abcdef"]
        )
        let found = await Conformance.violations(
            of: .redact,
            options: options,
            settings: settings
        )
        #expect(found.isEmpty, "\(found)")
    }
}
