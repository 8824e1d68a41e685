// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineModel

@Suite struct PathTemplateTests {
    @Test(arguments: [
        ("/", "/"), ("", ""), ("*", "*"), ("/a/b", "/a/b"), ("/a//b/", "/a//b/"),
        ("/users/17", "/users/{id}"), ("/users/17/orders/3", "/users/{id}/orders/{id}"),
        ("/v1/x2", "/v1/x2"), ("/2026-11-20/1.5/10:30", "/{id}/{id}/{id}"), ("/-/.", "/-/."),
        ("/0193a5b2-7c4d-7e8f-9a0b-1c2d3e4f5a6b", "/{id}"),
        ("/0193a5b2-7c4d-7e8f-9a0b-1c2d3e4f5a6", "/0193a5b2-7c4d-7e8f-9a0b-1c2d3e4f5a6"),
        ("/deadbeef", "/deadbeef"), ("/deadbee1", "/{id}"), ("/DEADBEE1.js", "/DEADBEE1.js"),
        ("/a1b2c3", "/a1b2c3"), ("/caf\u{e9}/1", "/caf\u{e9}/{id}"),
        ("shop.test:443", "shop.test:443"),
        ("/" + String(repeating: "z", count: 65), "/{id}"),
        ("/" + String(repeating: "z", count: 64), "/" + String(repeating: "z", count: 64)),
        (String(repeating: "/a", count: 30), String(repeating: "/a", count: 23) + "/**"),
        (
            String(repeating: "/" + String(repeating: "y", count: 60), count: 9),
            String(repeating: "/" + String(repeating: "y", count: 60), count: 3) + "/**"
        ),
    ])
    func replacesVariableSegments(path: String, template: String) {
        var output = Array("left over".utf8)
        PathTemplate.make(path.utf8.span, into: &output)
        #expect(String(decoding: output, as: UTF8.self) == template)
    }
}
