// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNATS
import TaplineTesting
import Testing

@Suite("Templates of subjects")
struct SubjectTemplateTests {
    private static func subject(_ template: String, _ exchange: Exchange) throws -> String {
        var bytes: [UInt8] = []
        try SubjectTemplate(template).append(for: exchange, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("values become single tokens without a special meaning")
    func cleaned() throws {
        var exchange = Exchange.example(status: 404)
        exchange.request.authority = "API.shop.test:8443"
        #expect(
            try Self.subject("t.{host}.{method}-{status}", exchange) == "t.api_shop_test.GET-404"
        )
        exchange.request.authority = "a>b.*.c d\u{7}"
        #expect(try Self.subject("{host}", exchange) == "a_b___c_d_")
        exchange.request.authority = ByteString(String(repeating: "x", count: 1000))
        #expect(try Self.subject("{host}", exchange).utf8.count == 128)
        exchange.response = nil
        exchange.request.authority = ByteString()
        #expect(try Self.subject("{host}.{status}", exchange) == "_._")
    }

    @Test(
        "texts that are not templates say why",
        arguments: [
            ("", "1 to 256 bytes"), ("a..b", "empty token"), ("a.*", "letters"), ("a b", "letters"),
            ("$JS.x", "belong to the server"), ("a.{host", "without '}'"),
            ("a.{path}", "unknown field 'path'"), ("a.>", "letters"), (".", "empty token"),
        ]
    )
    func wrong(text: String, problem: String) {
        let error = #expect(throws: SubjectTemplate.Problem.self) { try SubjectTemplate(text) }
        #expect(error?.message.contains(problem) == true)
    }

    @Test(
        "a pattern covers others",
        arguments: [
            ("a.*", "a.*", true), ("a.>", "a.*", true), ("a.>", "a", false), (">", "a.b", true),
            ("a.b", "a.*", false), ("a.*", "a.>", false), ("*.*", "a.b", true), ("a", "a.b", false),
            ("a.b", "a", false), ("a.>", "a.>", true),
        ]
    )
    func covers(wide: String, narrow: String, isCovered: Bool) {
        #expect(SubjectPattern(wide).covers(SubjectPattern(narrow)) == isCovered)
    }

    @Test("a template's pattern has a wildcard for each token with a field")
    func pattern() throws {
        #expect(try SubjectTemplate("t.x-{host}.{status}.y").pattern == "t.*.*.y")
    }
}

@Suite("Reply subjects")
struct NATSReplyTests {
    @Test("both forms are read")
    func forms() throws {
        let old = NATSReply("$JS.ACK.T.w.2.17.18.1795771833159181331.99".utf8.span)
        let reply = try #require(old)
        #expect(reply.deliveries == 2 && reply.position == 17 && reply.pending == 99)
        #expect(reply.stored == 1_795_771_833_159_181)
        let new = NATSReply("$JS.ACK.hub.Acc1.T.w.2.17.18.1795771833159181331.99.x1".utf8.span)
        #expect(new == reply)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "a.b", "$JS.ACK.T.w.2.17.18.x.99", "$JS.ACK.T.w.-2.17.18.1.9",
            "$JS.ACK.T.w.99999999999999999999.17.18.1.9",
        ]
    )
    func wrong(subject: String) { #expect(NATSReply(subject.utf8.span) == nil) }
}
