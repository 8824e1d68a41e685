// SPDX-License-Identifier: MIT

import TaplineStore
import TestSupport
import Testing

@testable import TaplineInspector

@Suite("The search box", .timeLimit(.minutes(3)))
struct FilterEndpointsTests {
    let folder: TemporaryFolder
    let browser: Browser

    init() throws {
        folder = try TemporaryFolder()
        try Stored.add(Stored.exchanges, to: folder("traffic.db"))
        browser = try Browser(folder("traffic.db"))
    }

    @Test("says what a text means, or where it is wrong")
    func check() throws {
        let word = try browser.get("check?filter=needle").json
        #expect(word["means"].text == "any contains \"needle\"")
        let wrong = try browser.get("check?filter=\("host == \"a\" and sttus == 1".encoded)")
        #expect(wrong.status == 400)
        let error = try wrong.json["error"]
        #expect(error["from"].number == 16)
        #expect(error["to"].number == 21)
        #expect(error["message"].text?.contains("sttus") == true)
        #expect(try browser.get("check").json["means"].text == "")
    }

    @Test("saves filters, which '@' stands for")
    func saved() throws {
        let filter = "{\"name\":\"bad\",\"filter\":\"status >= 500\"}"
        #expect(try browser.post("saved", filter).status == 204)
        #expect(try browser.post("saved", "{\"name\":\"a b\",\"filter\":\"x\"}").status == 400)
        #expect(try browser.post("saved", "{\"name\":\"w\",\"filter\":\"==\"}").status == 400)
        let saved = try browser.get("saved").json["filters"]
        #expect(saved[0]["name"].text == "bad")
        #expect(saved[0]["filter"].text == "status >= 500")
        #expect(try browser.items("filter=@bad") == [37, 27, 17, 7])
        let completion = try browser.get("complete?filter=@b&at=2").json
        #expect(completion["items"][0]["text"].text == "@bad")
        #expect(try browser.post("saved/remove", "{\"name\":\"bad\"}").status == 204)
        #expect(try browser.post("saved/remove", "{\"name\":\"bad\"}").status == 404)
        #expect(try browser.get("rows?filter=@bad").status == 400)
    }

    @Test("'@' and a name stand for a saved filter within a larger one")
    func named() throws {
        let save = "{\"name\":\"bad\",\"filter\":\"status >= 500 or status == 0\"}"
        #expect(try browser.post("saved", save).status == 204)
        func check(_ filter: String) throws -> Answer {
            try browser.get("check?filter=\(filter.encoded)")
        }
        let means = try check(" @bad and host == \"shop.test\" ").json["means"].text
        #expect(means == "(status >= 500 or status == 0) and host == \"shop.test\"")
        #expect(try check("@bad ").json["means"].text == "status >= 500 or status == 0")
        #expect(try check("path == \"@bad\"").json["means"].text == "path == \"@bad\"")
        let filter = "not @bad and host == \"shop.test\"".encoded
        #expect(try browser.items("filter=\(filter)").isEmpty == false)
        #expect(try browser.items("filter=\("@bad and @bad".encoded)") == [37, 27, 17, 7])
        // Errors have the place of the term, or of what is around it.
        for (text, from, to, part) in [
            (" @bad or @none", 9, 14, "'none'"), ("@bad and sttus == 1", 9, 14, "sttus"),
            ("@bad @bad", 5, 9, ""),
        ] {
            let wrong = try check(text)
            #expect(wrong.status == 400, "\(text)")
            let error = try wrong.json["error"]
            #expect(error["from"].number == from, "\(text)")
            #expect(error["to"].number == to, "\(text)")
            #expect(error["message"].text?.contains(part) == true, "\(text)")
        }
        // A filter that is saved has the text of those that it names.
        let other = "{\"name\":\"both\",\"filter\":\"@bad and status > 1\"}"
        #expect(try browser.post("saved", other).status == 204)
        let saved = try browser.get("saved").json["filters"]
        #expect(saved[1]["filter"].text == "(status >= 500 or status == 0) and status > 1")
    }

    @Test("completes values from the store")
    func values() throws {
        let text = "host == \"sh"
        let found = try browser.get("complete?filter=\(text.encoded)&at=\(text.utf8.count)").json
        #expect(found["items"][0]["text"].text == "\"shop.test\"")
        #expect(found["from"].number == 8)
        #expect(found["to"].number == 11)
    }
}

@Suite struct FilterTextTests {
    @Test(
        "a plain word or a quoted text means 'any contains'",
        arguments: [
            ("needle", "any contains \"needle\""),
            ("a-b_c.d/e:f?", "any contains \"a-b_c.d/e:f?\""),
            ("é", "any contains \"é\""), ("\"two words\"", "any contains \"two words\""),
            ("\"a\\\"b\"", "any contains \"a\\\"b\""), ("\"a\" \"b\"", nil), ("a b", nil),
            ("a==b", nil), ("\"a", nil), ("\"", nil), ("\"a\\\"", nil), ("(a)", nil), ("a\\b", nil),
        ] as [(String, String?)]
    )
    func words(_ typed: String, _ expected: String?) {
        #expect(FilterText.containing(typed) == expected)
    }

    @Test("filters are joined")
    func both() {
        #expect(FilterText.both("a", "") == "a")
        #expect(FilterText.both("", "b") == "b")
        #expect(FilterText.both("a or b", "c") == "(a or b) and (c)")
    }

    @Test("a text that is too long, or becomes so by saved filters, is refused")
    func long() throws {
        let long = String(repeating: "x", count: 70_000)
        #expect(throws: APIError.self) { try FilterText(long) { [] } }
        let part = "host == \"x\"\(String(repeating: " ", count: 30_000))and port == 1"
        let saved = [try SavedFilter(name: "a", text: part)]
        #expect(try FilterText("@a or @a") { saved }.filter != nil)
        #expect(throws: APIError.self) { try FilterText("@a or @a or @a") { saved } }
    }

    @Test("spaces around a text are ignored, and the place of an error counts them")
    func spaces() throws {
        #expect(try FilterText("  needle ") { [] }.text == "any contains \"needle\"")
        #expect(try FilterText("   ") { [] }.filter == nil)
        let error = #expect(throws: APIError.self) { try FilterText("  x y") { [] } }
        #expect(error?.place?.lowerBound ?? 0 >= 2)
    }
}

@Suite struct FilterCompletionTests {
    private func items(_ text: String, at offset: Int? = nil) throws -> [String] {
        try FilterCompletion(text, at: offset ?? text.utf8.count).items { field, prefix in
            ["value-of-\(field)", "other"].filter { $0.hasPrefix(prefix) }
        } saved: {
            []
        }
        .map(\.text)
    }

    @Test(
        "what is expected follows from the words before",
        arguments: [
            ("", "status"), ("sta", "status"), ("not sta", "status"), ("(sta", "status"),
            ("host == \"a\" and sta", "status"), ("status ", ">="), ("status >", "value-of-status"),
            ("status_class ", "contains"), ("any ", "contains"), ("status == 1 ", "and"),
            ("status == 1 a", "and"), ("note exists ", "or"), ("host == ", "\"value-of-host\""),
            ("host == \"v", "\"value-of-host\""), ("host==", "\"value-of-host\""),
            ("host in [", "\"value-of-host\""), ("host in [\"a\", ", "\"value-of-host\""),
            ("query[\"a b\"] ", "contains"), ("(host == \"a\") ", "and"),
            ("host == \"a and b\" ", "and"),
        ]
    )
    func expected(_ text: String, _ item: String) throws {
        #expect(try items(text).contains(item), "\(text)")
    }

    @Test("what is not expected is not offered")
    func others() throws {
        #expect(try !items("status ").contains("contains"))
        #expect(try !items("status == 1 ").contains("host"))
        #expect(try items("xyz").isEmpty)
        #expect(try items("host == \"a\" and sta", at: 2) == ["host"])
    }

    @Test("completion accepts any text and any position")
    func odd() throws {
        let text = "query[\"a\\\" ] == (not [\"\\ \u{e9}\" ~ <"
        for offset in -1...text.utf8.count + 1 { _ = try items(text, at: offset) }
    }
}
