// SPDX-License-Identifier: MIT

import TaplineMatching
import TaplineModel
import Testing

/// The differences between a request and a recording.
@Suite struct RequestDifferenceTests {
    private static let json = "application/json"
    private static let form = "application/x-www-form-urlencoded"

    private func request(
        _ url: String,
        _ body: String = "",
        _ type: String = "",
        fields: FieldSection = [:]
    ) -> Request {
        var request = Request(method: "POST")
        request.setURL(url.utf8.span)
        request.fields = fields
        if !type.isEmpty { request.fields.append(name: "Content-Type", value: type) }
        request.body = Body(Array(body.utf8))
        return request
    }

    private func differences(
        _ recorded: Request,
        _ found: Request,
        raw: Request? = nil,
        _ rules: RequestRules = RequestRules(.standard)
    ) -> [String] {
        LiveRequest(raw: RequestParts(raw ?? found), clean: RequestParts(found))
            .differences(from: RequestParts(recorded), rules).map(\.text)
    }

    @Test(arguments: [
        ("https://shop.test:80/a", "http://shop.test:80/a", "scheme: recorded 'https', now 'http'"),
        ("http://SHOP.test/a", "http://shop.test/a", ""),
        ("http://shop.test/a", "http://cart.test/a", "host: recorded 'shop.test', now 'cart.test'"),
        ("http://shop.test/a", "http://shop.test:80/a", ""),
        ("http://shop.test/a", "http://shop.test:81/a", "port: recorded '80', now '81'"),
        ("http://shop.test/%61b/%5Bx%5d", "http://shop.test/ab/[x]", ""),
        ("http://shop.test/a%2Fb", "http://shop.test/a/b", "path: recorded '/a%2Fb', now '/a/b'"),
        ("http://shop.test/a%3Fb", "http://shop.test/a?b", "path: recorded '/a%3Fb', now '/a'"),
        ("http://shop.test/a%2541", "http://shop.test/a%41", "path: recorded '/a%2541', now '/aA'"),
    ])
    func urls(recorded: String, found: String, text: String) {
        let differences = differences(request(recorded), request(found))
        #expect((differences.first ?? "") == text)
    }

    @Test func allValuesOfAFieldAreCompared() {
        let url = "http://shop.test/"
        let differences = differences(
            request(url, fields: ["X-A": "1", "X-A": "2"]),
            request(url, fields: ["X-A": "1"]),
            RequestRules(.standard, fields: ["x-a"])
        )
        #expect(differences == ["field 'x-a': recorded '1, 2', now '1'"])
    }

    @Test(arguments: [
        (#"{"a":1,"b":2}"#, #"{"b":2, "a":1}"#, form, ""),
        ("a=1&b=2", "b=2&a=1", form, ""),
        ("a=1", "a=2", form, "form field 'a': recorded '1', now '2'"),
        (
            "a=1", "a=1 ", "text/plain",
            "body: recorded 3 bytes, now 4 bytes, first difference at byte 3"
        ),
    ])
    func bodies(recorded: String, found: String, type: String, text: String) {
        let url = "http://shop.test/"
        let differences = differences(
            request(url, recorded, type),
            request(url, found, type),
            RequestRules([.standard, .body])
        )
        #expect((differences.first ?? "") == text)
    }

    @Test func bodiesThatAreNotVisibleAreReported() {
        let url = "http://shop.test/"
        var unseen = request(url)
        unseen.body.isTruncated = true
        let seen = request(url, "a")
        let rules = RequestRules([.body])
        let hint = "not visible; upload it through a TapSession"
        #expect(differences(seen, unseen, rules) == ["body: recorded one, now \(hint)"])
        #expect(differences(unseen, seen, rules) == ["body: recorded \(hint), now one"])
        #expect(differences(unseen, unseen, rules) == [])
    }

    /// Each part of a request matches the recorded one unchanged or cleaned.
    @Test(arguments: [
        (#"{"a":"h-1","b":"h-2"}"#, #"{"a":"h-1","b":"h-3"}"#, #"{"a":"x","b":"h-2"}"#, json),
        (#"["h-1",["h-2"]]"#, #"["h-1",["h-3"]]"#, #"["x",["h-2"]]"#, json),
        ("a=h-1&b=h-2", "a=h-1&b=h-3", "a=x&b=h-2", form),
    ])
    func partsMayAlreadyBeClean(recorded: String, clean: String, raw: String, type: String) {
        let url = "http://shop.test/"
        let differences = differences(
            request(url, recorded, type),
            request(url, clean, type),
            raw: request(url, raw, type),
            RequestRules([.body])
        )
        #expect(differences == [])
    }
}
