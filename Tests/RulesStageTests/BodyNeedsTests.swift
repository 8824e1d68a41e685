// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RulesStage

/// Which bodies are buffered, so that all others stream.
@Suite("The bodies that rules read") struct BodyNeedsTests {
    private let get = Exchange.request("http://a.test/x")
    private let post = Exchange.request("http://a.test/x", method: "POST")

    @Test(
        "of requests are those of a rule that may match",
        arguments: [
            ("  - actions: [delay: 1s]", false, false),
            ("  - actions: [replace: { text: a, with: b }]", false, false),
            (
                "  - { when: method == \"POST\", actions: [replace: { in: request, text: a, with: b }] }",
                false, true
            ),
            (
                "  - { when: 'method == \"POST\" and request.body contains \"a\"', actions: [stop] }",
                false, true
            ),
            ("  - { when: request.json \"$.a\" exists, actions: [stop] }", true, true),
            (
                "  - { when: 'status == 200 and request.body contains \"a\"', actions: [stop] }",
                true, true
            ),
            (
                "  - { when: method == \"POST\", actions: [set: { tag.a: \"{{request.body}}\" }] }",
                false, true
            ),
            (
                """
                  - { when: method == "GET", actions: [set: { request.method: POST }] }
                  - { when: method == "POST", actions: [replace: { in: request, text: a, with: b }] }
                """, true, true
            ),
        ]
    )
    func requests(rules: String, ofGet: Bool, ofPost: Bool) throws {
        let set = try RuleText.parse(rules)
        #expect(set.needsRequestBody(get, mayChange: false) == ofGet)
        #expect(set.needsRequestBody(post, mayChange: false) == ofPost)
        #expect(set.needsRequestBody(get, mayChange: true) == (ofGet || ofPost))
    }

    @Test(
        "of responses are those of a rule that has matched, or that may",
        arguments: [
            ("  - actions: [delay: 1s]", false, false),
            ("  - { when: path == \"/x\", actions: [replace: { text: a, with: b }] }", true, true),
            ("  - { when: path == \"/\", actions: [replace: { text: a, with: b }] }", false, false),
            ("  - { when: status == 404, actions: [replace: { text: a, with: b }] }", false, true),
            ("  - { when: 'status == 404 and response.size > 1', actions: [stop] }", false, true),
            (
                """
                  - { when: path == "/x", actions: [stop] }
                  - { when: status == 404, actions: [replace: { text: a, with: b }] }
                """, false, false
            ),
            (
                """
                  - { when: path == "/x", actions: [set: { response.status: 404 }] }
                  - { when: status == 404, actions: [replace: { text: a, with: b }] }
                """, true, true
            ),
        ]
    )
    func responses(rules: String, ofOK: Bool, ofMissing: Bool) throws {
        for (status, expected) in [(200, ofOK), (404, ofMissing)] {
            var exchange = get
            var progress = RuleProgress(set: try RuleText.parse(rules))
            var run = RuleRun(.init(seed: 0, clock: { Timestamp(microseconds: 0) }))
            run.request(&exchange, &progress)
            exchange.response = Response(status: status)
            #expect(progress.needsResponseBody(exchange, mayChange: false) == expected)
            // Events would wait for an end that may never come.
            exchange.response?.fields.append(name: "Content-Type", value: "text/event-stream")
            #expect(!progress.needsResponseBody(exchange, mayChange: true))
        }
    }
}
