// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import Testing

@testable import RulesStage

@Suite("Members of JSON objects") struct JSONMemberEditTests {
    private static let document =
        #"{ "a" : 1, "b": {"c":"x\"y", "d" :[] }, "e": {}, "f": {"g":1} }"#

    private func edit(_ path: String, in content: String = document) throws -> JSONMemberEdit? {
        JSONMemberEdit(try #require(JSONPath(Array(path.utf8))), in: Array(content.utf8))
    }

    @Test(
        "are removed with one comma, and all other bytes stay",
        arguments: [
            ("$.a", #"{ "b": {"c":"x\"y", "d" :[] }, "e": {}, "f": {"g":1} }"#),
            ("$.b.c", #"{ "a" : 1, "b": {"d" :[] }, "e": {}, "f": {"g":1} }"#),
            ("$.b.d", #"{ "a" : 1, "b": {"c":"x\"y" }, "e": {}, "f": {"g":1} }"#),
            ("$.f", #"{ "a" : 1, "b": {"c":"x\"y", "d" :[] }, "e": {} }"#),
            ("$.f.g", #"{ "a" : 1, "b": {"c":"x\"y", "d" :[] }, "e": {}, "f": {} }"#),
        ]
    )
    func removes(path: String, expected: String) throws {
        let new = try #require(try edit(path)?.removed())
        #expect(String(decoding: new, as: UTF8.self) == expected)
    }

    @Test(
        "are added after the others",
        arguments: [
            ("$.b.n", #"{ "a" : 1, "b": {"c":"x\"y", "d" :[],"n":0 }, "e": {}, "f": {"g":1} }"#),
            ("$.e.n", #"{ "a" : 1, "b": {"c":"x\"y", "d" :[] }, "e": {"n":0}, "f": {"g":1} }"#),
            (
                "$['\u{e9}']",
                "{ \"a\" : 1, \"b\": {\"c\":\"x\\\"y\", \"d\" :[] }, \"e\": {}, "
                    + "\"f\": {\"g\":1},\"\u{e9}\":0 }"
            ),
        ]
    )
    func adds(path: String, expected: String) throws {
        let new = try #require(try edit(path)?.added(Array("0".utf8)))
        #expect(String(decoding: new, as: UTF8.self) == expected)
    }

    @Test("are neither removed nor added where that is not possible")
    func refuses() throws {
        for path in ["$.none", "$.b.none", "$.a.none", "$.b.d[0]", "$.*.g", "$"] {
            #expect(try edit(path)?.removed() == nil, "\(path)")
        }
        for path in ["$.a", "$.b.c", "$.a.n", "$.b.d.n", "$.none.n", "$.*.n", "$"] {
            #expect(try edit(path)?.added([0x30]) == nil, "\(path)")
        }
        #expect(try edit("$.a", in: #"{"a":1,"a":2}"#)?.removed() == nil)
        for content in ["", "{", "[]", "no JSON"] {
            #expect(try edit("$.a", in: content)?.added([0x30]) == nil, "\(content)")
        }
    }

    @Test(
        "say why something cannot be removed or added",
        arguments: [
            ("request.body.$.items[0]", nil, false, "only a single member"),
            ("request.body.$.twice", nil, false, "only a single member"),
            ("request.body.$.none", nil, false, "there is no value at"),
            ("request.header.X-A", "1", true, "is not a member of JSON"),
        ] as [(String, String?, Bool, String)]
    )
    func refusals(_ place: String, _ value: String?, _ isNew: Bool, _ message: String) {
        var exchange = Exchange(id: ExchangeID(high: 1, low: 1), request: Request())
        exchange.request.body = Body(Array(#"{"items":[1,2],"twice":1,"twice":2}"#.utf8))
        var reason = ""
        do throws(ExchangeEdit.Refusal) {
            try ExchangeEdit(at: place, value: value, isNew: isNew).apply(to: &exchange)
        } catch {
            reason = error.description
        }
        #expect(reason.contains(message), "\(reason)")
    }
}
