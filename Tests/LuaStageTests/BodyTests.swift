// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

/// Replaced bodies, forms and multipart bodies.
@Suite struct BodyTests {
    private static func exchange(_ type: String, _ body: String) -> Exchange {
        var exchange = Exchange.sample
        exchange.request.fields = ["Content-Type": type, "Content-Length": "\(body.utf8.count)"]
        exchange.request.body = Body(Array(body.utf8))
        return exchange
    }

    private static let described: Exchange = {
        var exchange = Exchange.sample
        exchange.response?.fields = [
            "Content-Encoding": "gzip", "Transfer-Encoding": "chunked", "ETag": "\"1\"", "X": "1",
            "Content-Digest": "sha-256=:x:", "Repr-Digest": "sha-256=:x:", "Digest": "x",
            "Content-MD5": "x", "Content-Type": "text/plain", "Last-Modified": "x",
        ]
        return exchange
    }()

    @Test func contentFieldsAreUpdatedOnTheWire() throws {
        let made = try Bench.edit("ex.response.body = 'new'", hook: "response", of: Self.described)
        #expect(
            made.response?.fields == [
                "X": "1", "Content-Type": "text/plain", "Last-Modified": "x", "Content-Length": "3",
            ]
        )
        #expect(made.response?.body.size == 3)
    }

    @Test func lengthIsOmittedIfItIsNotAllowed() throws {
        let made = try Bench.edit(
            "ex.response.status = 204 ex.response.body = nil",
            hook: "response"
        )
        #expect(made.response?.fields.contains("Content-Length") == false)
    }

    @Test func fieldsOfARecordAreKept() throws {
        let made = try Bench.edit("ex.response.json = {a = 1}", of: Self.described)
        #expect(made.response?.fields == Self.described.response?.fields)
        #expect(made.response?.body.bytes == Array(#"{"a":1}"#.utf8))
        #expect(made.response?.body.size == 5)
    }

    @Test(arguments: [
        ("application/json; charset=utf-8", "application/json; charset=utf-8"),
        ("application/problem+json", "application/problem+json"),
        ("text/plain", "application/json"), ("json", "application/json"),
    ])
    func assigningJSONSetsTheContentType(type: String, expected: String) throws {
        let exchange = Self.exchange(type, "x")
        let made = try Bench.edit("ex.request.json = {1}", hook: "request", of: exchange)
        #expect(made.request.fields.first("Content-Type")?.description == expected)
        #expect(made.request.body.bytes == Array("[1]".utf8))
    }

    @Test func hostIsUpdatedUnlessTheScriptAssignedIt() throws {
        let follows = try Bench.edit("ex.request.host = 'b.test'", hook: "request")
        #expect(follows.request.fields.first("Host")?.description == "b.test:8443")
        let stays = try Bench.edit(
            "ex.request.headers.host = 'a.test' ex.request.host = 'b.test'",
            hook: "request"
        )
        #expect(stays.request.fields.first("host")?.description == "a.test")
        #expect(stays.request.authority.description == "b.test:8443")
    }

    // MARK: - Forms

    private static let formType = "application/x-www-form-urlencoded; charset=utf-8"

    @Test(arguments: [
        ("f.a = 'é'", "a=%C3%A9&b=x+y&c"), ("f.a = nil", "b=x+y&c"),
        ("f:add('d', 1)", "a=1&b=x+y&a=2&c&d=1"),
        ("f.b = nil f.a = nil f.c = nil", ""), ("f:set('b', 'p&q=r')", "a=1&b=p%26q%3Dr&a=2&c"),
    ])
    func writesForms(body: String, expected: String) throws {
        let exchange = Self.exchange(Self.formType, "a=1&b=x+y&a=2&c")
        let made = try Bench.edit(
            "local f = ex.request:form() \(body)",
            hook: "request",
            of: exchange
        )
        #expect(String(decoding: made.request.body.bytes, as: UTF8.self) == expected)
        #expect(
            made.request.fields.first("Content-Length")?.description == "\(expected.utf8.count)"
        )
    }

    /// A recording may store the type of a body outside the fields.
    @Test func theTypeMayComeFromTheRecording() throws {
        var exchange = Self.exchange("", "a=1&b=2")
        exchange.request.fields.removeAll("Content-Type")
        let form = "local f = ex.request:form() log(f and f.b)"
        #expect(try Bench.log(form, of: exchange) == ["nil"])
        exchange.request.body.contentType = "application/x-www-form-urlencoded"
        #expect(try Bench.log(form, of: exchange) == ["2"])
        let edited = try Bench.edit("ex.request.body = 'c=3'", of: exchange)
        #expect(edited.request.mediaType == "application/x-www-form-urlencoded")
        exchange.request.body = Body(Array(Self.two.utf8))
        exchange.request.body.contentType = "multipart/form-data; boundary=b"
        #expect(try Bench.log("log(#ex.request:multipart())", of: exchange) == ["2"])
    }

    @Test func bodiesOfOtherTypesAreNotForms() throws {
        #expect(try Bench.log("log((ex.request:form()))") == ["nil"])
        #expect(Bench.failure("ex.request.form()")?.message.contains("colon") == true)
    }

    /// A truncated form can be neither read nor written.
    @Test func truncatedFormsAreNotRead() {
        var exchange = Self.exchange(Self.formType, "a=1")
        exchange.request.body.isTruncated = true
        let failure = Bench.failure("ex.request:form().a = 2", hook: "request", of: exchange)
        #expect(failure?.message.contains("capture_max_bytes") == true)
    }

    // MARK: - Multipart

    private static func parts(
        _ body: String,
        type: String = "multipart/form-data; boundary=b"
    ) -> Exchange {
        exchange(type, body)
    }

    private static let two =
        "--b\r\nContent-Disposition: form-data; name=\"a;\\\"\"\r\n\r\n1\r\n2\r\n"
        + "--b\r\nA: x\r\ncontent-type: text/csv\r\n\r\n\r\n--b--\r\nepilogue"

    @Test func readsParts() throws {
        let lines = try Bench.log(
            """
            local parts = ex.request:multipart()
            log(#parts, parts[1].name, #parts[1].body, parts[2].content_type, #parts[2].body, parts[2].headers.a)
            log(parts[2].name, parts[2].filename, parts[1].filename)
            """,
            of: Self.parts(Self.two)
        )
        #expect(lines == [#"2 a;" 4 text/csv 0 x"#, "nil nil nil"])
    }

    @Test func writesParts() throws {
        let made = try Bench.edit(
            """
            local parts = ex.request:multipart()
            parts[1].body = "" parts[2].body = "three" parts[1].body = parts[2].body .. "!"
            log(parts[1].body, parts[2].body)
            """,
            hook: "request",
            of: Self.parts(Self.two)
        )
        let expected = Self.two.replacing("1\r\n2", with: "three!")
            .replacing("text/csv\r\n\r\n\r\n", with: "text/csv\r\n\r\nthree\r\n")
        #expect(String(decoding: made.request.body.bytes, as: UTF8.self) == expected)
    }

    /// The line break that ends an empty head may also belong to the delimiter; a new text then
    /// needs its own line break.
    @Test func writesPartsWithoutALineBreak() throws {
        let made = try Bench.edit(
            """
            local parts = ex.request:multipart()
            parts[1].body = "one" parts[2].body = "two" parts[1].body = ""
            log(#ex.request:multipart(), ex.request:multipart()[2].body)
            """,
            hook: "request",
            of: Self.parts("--b\r\nA: x\r\n\r\n--b\r\n\r\n--b--")
        )
        #expect(
            String(decoding: made.request.body.bytes, as: UTF8.self)
                == "--b\r\nA: x\r\n\r\n\r\n--b\r\n\r\ntwo\r\n--b--"
        )
    }

    /// A nested multipart body whose boundary begins like that of the outer one.
    @Test func aLongerBoundaryDoesNotEndAPart() throws {
        let inner = "--bc\r\n\r\nx\r\n--bc--"
        let lines = try Bench.log(
            """
            local parts = ex.request:multipart()
            log(#parts, #parts[1].body) parts[1].body = parts[1].body .. "!" log(#parts[1].body)
            """,
            of: Self.parts("--b\r\nA: x\r\n\r\n\(inner)\r\n--b--")
        )
        #expect(lines == ["1 \(inner.utf8.count)", "\(inner.utf8.count + 1)"])
    }

    @Test func addsParts() throws {
        let made = try Bench.edit(
            """
            local parts = ex.request:multipart()
            parts[2].body = "three"
            local part = parts:add{name = "f\\"", filename = "a\\n", content_type = "text/csv", body = "1,2"}
            log(part.name, #parts, parts[3].body, parts[1].name)
            part.body = "1,2,3" parts[1].body = "0"
            parts:add{headers = {B = "2", A = 1}}.body = "end"
            log(#ex.request:multipart())
            """,
            hook: "request",
            of: Self.parts(Self.two)
        )
        let expected = Self.two.replacing("1\r\n2", with: "0")
            .replacing("text/csv\r\n\r\n\r\n", with: "text/csv\r\n\r\nthree\r\n")
            .replacing(
                "--b--",
                with: "--b\r\nContent-Disposition: form-data; name=\"f%22\"; filename=\"a%0A\"\r\n"
                    + "Content-Type: text/csv\r\n\r\n1,2,3\r\n--b\r\nA: 1\r\nB: 2\r\n\r\nend\r\n--b--"
            )
        #expect(String(decoding: made.request.body.bytes, as: UTF8.self) == expected)
        #expect(
            made.request.fields.first("Content-Length")?.description == "\(expected.utf8.count)"
        )
    }

    @Test func addsToAnEmptyList() throws {
        let made = try Bench.edit(
            "ex.request:multipart():add{name = 'a', body = '1'}",
            hook: "request",
            of: Self.parts("--b--\r\n")
        )
        #expect(
            String(decoding: made.request.body.bytes, as: UTF8.self)
                == "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n"
        )
    }

    @Test(arguments: [
        "parts:add{body = 'x\\r\\n--b'}", "parts:add{nmae = 'a'}", "parts:add{name = {}}",
        "parts:add{content_type = 'a\\r\\nb'}", "parts:add{headers = {['a b'] = 'c'}}",
        "parts:add{headers = {'a'}}", "parts:add{headers = 'a: b'}", "parts.add{}", "parts:add()",
        "ex.request.body = 'x' parts:add{}", "parts[3] = 1 parts:add{}", "parts.ad = parts:ad()",
        "for i = 1, 1100 do parts:add{} end",
    ])
    func refusesToAdd(body: String) {
        let failure = Bench.failure(
            "local parts = ex.request:multipart() \(body)",
            of: Self.parts(Self.two)
        )
        #expect(failure?.code == .fault)
    }

    @Test(arguments: [
        "", "--b", "--b--", "--b\r\n", "--b\r\nA: b\r\n\r\nx", "--b\r\nA: b\r\n--b--",
        "--c\r\n\r\n\r\n--c--",
        "x--b\r\n\r\nx\r\nx--b--", "--b\n\nx\n--b--", "--b\r\n\r\n--b--",
        "--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b--",
        "--b \r\n\r\nx\r\n--b--", "\r\n--b\r\n\r\nx\r\n--b--",
    ])
    func unusualBodiesAreRead(body: String) throws {
        let lines = try Bench.log(
            """
            local parts = ex.request:multipart()
            for _, part in ipairs(parts or {}) do log(#part.body, part.name, part.headers.a) end
            log("end")
            """,
            of: Self.parts(body)
        )
        #expect(lines.last == "end")
    }

    @Test(arguments: [
        "text/plain", "multipart/form-data", "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"\"",
        "multipart/", "",
    ])
    func bodiesWithoutPartsAreReported(type: String) throws {
        let lines = try Bench.log(
            "log((ex.request:multipart()))",
            of: Self.parts(Self.two, type: type)
        )
        #expect(lines == ["nil"])
    }

    @Test(arguments: [
        "parts[1].body = 'x\\r\\n--b\\r\\ny'", "parts[1].name = 'x'", "parts[1].bdoy = 'x'",
        "parts[1].body = {}",
        "ex.request.body = 'x' log(parts[1].body)", "ex.request:multipart() log(parts[1].body)",
        "ex.request.multipart()", "getmetatable(parts[1]).__index(ex, 'body')",
    ])
    func invalidAssignmentsAreRefused(body: String) {
        let failure = Bench.failure(
            "local parts = ex.request:multipart() \(body)",
            of: Self.parts(Self.two)
        )
        #expect(failure?.code == .fault)
    }

    @Test func listsOfPartsAreInvalidInLaterCalls() throws {
        let bench = try Bench(
            """
            function record(ex)
              kept = kept or ex.request:multipart()
              log(pcall(function() return #kept:add{body = ("x"):rep(100000)}.body end))
            end
            """
        )
        for _ in 0..<3 {
            var exchange = Self.parts(Self.two)
            try bench.run("record", &exchange)
        }
        #expect(bench.log.first == "true 100000")
        #expect(bench.log.dropFirst().allSatisfy { $0.contains("call multipart again") })
    }

    @Test func partsAreInvalidInLaterCalls() throws {
        let bench = try Bench(
            "function record(ex) kept = kept or ex.request:multipart()[1] log(pcall(function() return kept.body end)) end"
        )
        for _ in 0..<2 {
            var exchange = Self.parts(Self.two)
            try bench.run("record", &exchange)
        }
        #expect(bench.log.count == 2)
        #expect(bench.log[0].hasPrefix("true"))
        #expect(bench.log[1].contains("call multipart again"))
    }

    @Test func tooManyPartsAreRefused() {
        let body = String(repeating: "--b\r\n\r\n\r\n", count: 1025) + "--b--"
        let failure = Bench.failure("ex.request:multipart()", of: Self.parts(body))
        #expect(failure?.message == "multipart body has more than 1024 parts")
    }
}
