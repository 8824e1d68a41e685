// SPDX-License-Identifier: MIT

import RulesStage
import TaplinePlugin
import TaplineTesting
import Testing

@Suite("rules conformance")
struct RulesConformanceTests {
    private static let rules = """
        version: 1
        rules:
          - name: answers
            when: method == "DELETE"
            actions: [respond: { status: 405, headers: { Allow: GET }, body: "no {{request.path}}" }]
          - name: changes
            when: path like "*1*"
            actions:
              - map: { host: b.test, path: "/v2{{request.path}}" }
              - set: { request.header.X-A: "{{request.host}}", response.header.X-B: "{{id}}" }
              - replace: { text: a, with: b }
              - replace: { in: request, regex: "[0-9]+", with: "<{{0}}>" }
          - name: flaky
            actions: [fail: { status: 503, share: 0.1 }, delay: { min: 1us, max: 9us }]
          - name: errors
            when: status >= 500
            actions: [replace: { json: "$.*", with: 0 }, remove: response.header.Server, stop]
        """

    @Test(
        "rules satisfies the stage contract",
        arguments: ["version: 1\nrules: []\n", Self.rules]
    )
    func conforms(rules: String) async {
        let found = await Conformance.violations(
            of: .rules,
            options: "{ file: rules.yaml }",
            settings: ConformanceSettings(files: ["rules.yaml": rules])
        )
        #expect(found.isEmpty, "\(found)")
    }
}
