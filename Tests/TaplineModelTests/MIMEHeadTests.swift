// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineModel

@Suite struct MIMEHeadTests {
    private func head(_ text: String, usesReturn: Bool = true) -> MIMEHead {
        MIMEHead(text.utf8.span, 0..<text.utf8.count, usesReturn: usesReturn)
    }

    @Test func fieldsAreUnfolded() {
        let text = "\r\nA : b\r\nContent-Disposition:\r\n\tform-data;\r\n name=\"a\"\r\n\r\nrest"
        let head = head(text)
        #expect(!head.isDoubtful)
        #expect(head.end == text.utf8.count - 4)
        #expect(head.fields.count == 2)
        #expect(head.names == [Array("a".utf8), Array("a".utf8)])
        #expect(head.value(of: "a", text.utf8.span) == 6..<7)
    }

    @Test(arguments: ["p%61ss", "p%2561ss", "'pass'", "pa ss", "pass"])
    func namesAreDecoded(name: String) {
        let head = head("\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n")
        #expect(head.names.contains(Array("pass".utf8)))
    }

    @Test(arguments: [
        "x\r\nA: b\r\n\r\n", "\r\nA: b\n\r\n\r\n", "\r\nA: b\rc\r\n\r\n", "\r\nA b\r\n\r\n",
        "\r\n A: b\r\n\r\n", "\r\nA: b\r\n \r\nc\r\n\r\n", "\r\nA: b\u{0}\r\n\r\n",
        "\r\n: b\r\n\r\n", "\r\nA B: c\r\n\r\n",
        "\r\nA: b\r\n Content-Disposition: form-data; name=x\r\n\r\n",
        "\r\nContent-Type: a/b\r\ncontent-type: a/c\r\n\r\n",
        "\r\nContent-Disposition: form-data; name==?utf-8?Q?x?=\r\n\r\n",
    ])
    func ambiguousHeadsAreDoubtful(text: String) {
        #expect(head(text).isDoubtful)
    }

    @Test func headsWithoutAnEndHaveNoContent() {
        #expect(head("\r\nA: b\r\n").end == nil)
        #expect(head("").end == nil)
        #expect(head("\nA: b\n\nc", usesReturn: false).end == 7)
    }
}
