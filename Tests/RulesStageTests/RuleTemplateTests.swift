// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RulesStage

@Suite("Templates of rules") struct RuleTemplateTests {
    private func filled(_ text: String, _ form: RuleTemplate.Form = .plain) throws -> String {
        var exchange = Exchange.request(
            "https://shop.test:8443/a%20b?x=1+2&x=3&%79=%26",
            method: "POST",
            fields: ["Cookie": "a=1; b=2", "cookie": "c=3", "X-A": "v"],
            body: "content",
            response: .json("{}", status: 201)
        )
        exchange.tags["team"] = "checkout"
        var values = RuleValues(
            random: RuleRandom(seed: 1, exchange.id, rule: 0),
            clock: { Timestamp(microseconds: 1_700_000_000_250_000) }
        )
        let bytes = try RuleTemplate(text).filled(&values, exchange, form)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "contain values of the exchange",
        arguments: [
            ("", ""), ("plain", "plain"), ("{ {}} }", "{ {}} }"), ("{{{{id}}", "{{id}}"),
            ("a{{request.method}}b", "aPOSTb"),
            ("{{request.url}}", "https://shop.test:8443/a%20b?x=1+2&x=3&%79=%26"),
            ("{{request.scheme}}", "https"), ("{{request.host}}", "shop.test"),
            ("{{request.port}}", "8443"), ("{{request.path}}", "/a%20b"),
            ("{{request.query.x}}{{request.query.y}}", "1 2&"), ("{{request.query.z}}", ""),
            ("{{request.header.x-a}}{{request.header.none}}", "v"),
            ("{{request.cookie.b}}{{request.cookie.c}}{{request.cookie.d}}", "23"),
            ("{{request.body}}", "content"), ("{{response.status}}", "201"),
            ("{{response.header.content-type}}", "application/json"),
            ("{{response.body}}", "{}"), ("{{tag.team}}{{tag.none}}", "checkout"),
            ("{{id}}", "00000000-0000-0001-0000-000000000002"),
            ("{{now}}", "2023-11-14T22:13:20.250000Z"),
        ]
    )
    func values(text: String, expected: String) throws {
        #expect(try filled(text) == expected)
    }

    @Test("contain random ids of version 4, all of them different")
    func ids() throws {
        let ids = try filled("{{uuid}} {{uuid}}").split(separator: " ")
        #expect(Set(ids).count == 2)
        for id in ids {
            #expect(id.utf8.count == 36)
            #expect(Array(id.utf8)[14] == UInt8(ascii: "4"))
            #expect("89ab".contains(id.dropFirst(19).prefix(1)))
        }
    }

    @Test("write values in the form of their place")
    func forms() throws {
        #expect(try filled("/{{request.path}}/{{request.query.x}}", .path) == "//a%20b/1%202")
        #expect(try filled(#""{{request.query.y}}""#, .json) == #""&""#)
    }

    @Test(
        "are refused with the place of the problem",
        arguments: [
            ("a{{", 1..<3, nil), ("{{id} }", 0..<7, nil), ("é{{ID}}", 2..<8, "ID"),
            ("{{}}", 0..<4, ""), ("{{request.query.}}", 0..<18, "request.query."),
            ("{{0}}", 0..<5, "0"),
        ] as [(String, Range<Int>, String?)]
    )
    func invalid(text: String, range: Range<Int>, name: String?) throws {
        let error = #expect(throws: TemplateError.self) { try RuleTemplate(text) }
        #expect(error?.range == range)
        #expect(error?.unknownName == name)
    }

    @Test("of replacements know as many groups as their expression has")
    func groups() throws {
        _ = try RuleTemplate("{{0}}{{2}}", groups: 3)
        #expect(throws: TemplateError.self) { try RuleTemplate("{{3}}", groups: 3) }
        #expect(throws: TemplateError.self) { try RuleTemplate("{{-1}}", groups: 3) }
    }
}
