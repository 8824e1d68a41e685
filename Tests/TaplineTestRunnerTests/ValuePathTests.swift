// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

@testable import TaplineTestRunner

@Suite("A path")
struct ValuePathTests {
    private func read(_ text: String, of side: ValuePath.Side? = nil) -> (ValuePath?, String) {
        var diagnostics = Diagnostics()
        let source = ConfigSource(name: "path", text: text, hasLines: false)
        let node = ConfigNode(.scalar(text, isPlain: true), at: source.location(at: 0))
        let path = ValuePath(node, of: side, into: &diagnostics)
        #expect((path == nil) == diagnostics.hasErrors)
        return (path, diagnostics.rendered)
    }

    @Test(
        "is read and shown in the same form",
        arguments: [
            "server.url", "client.status", "request.headers.x-team", "response.json", "tags.a.b",
            "state", "json.a", "response.json.items[0].name", "response.json[\"a.b\"][12]",
            "error.code", "messages[0].text", "server.headers", "tags", "original.url",
        ]
    )
    func form(text: String) {
        let side: ValuePath.Side? = text.hasPrefix("json") ? .client : nil
        let path = read(text, of: side).0
        #expect(path?.text == (side == nil ? text : "client.\(text)"))
    }

    @Test(
        "is refused if it names no field",
        arguments: [
            "", ".", "server", "server.", "server.none", "none", "state.x", "client.status.x",
            "response.json.a[", "response.json.a[x]", "response.json[\"a]", "response.json.a..b",
            "response.json[99999999999999999999]", "headers.a", "server.headers.",
        ]
    )
    func refused(text: String) {
        #expect(read(text).0 == nil)
    }

    @Test("treats everything after headers, tags and similar fields as a name")
    func names() {
        #expect(read("tags.a.b[0]").0?.name == "a.b[0]")
        #expect(read("headers.x.y", of: .server).0?.name == "x.y")
    }
}
