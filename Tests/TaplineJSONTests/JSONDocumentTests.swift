// SPDX-License-Identifier: MIT

import TaplineJSON
import Testing

@Suite struct JSONDocumentTests {
    @Test func findsMembersAndOffsets() throws {
        var parser = JSONParser()
        let bytes = Array(#"{"a":1,"b":"x","a":2,"long":{"k":[1,2]}}"#.utf8)
        let document = try parser.parse(bytes.span)
        let root = document.root
        #expect(root.member("a")?.asInt64 == 1)
        #expect(root.member("b")?.asString == "x")
        #expect(root.member("b")?.offset == 12)
        #expect(root.member("long")?.offset == 28)
        if let absent = root.member("c") { Issue.record("found \(absent.kind)") }
        if let long = root.member("long") {
            let raw = text(long.bytes)
            #expect(raw == #"{"k":[1,2]}"#)
        }
        if let number = root.member("a") {
            var members = number.members
            while let member = members.next() { Issue.record("found \(member.key.kind)") }
        }
        let kind = document.value(at: 0).kind
        #expect(kind == .object)
    }
}
