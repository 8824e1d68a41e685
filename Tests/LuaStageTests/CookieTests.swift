// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

@Suite struct CookieTests {
    private static func exchange(_ cookies: String...) -> Exchange {
        var exchange = Exchange.sample
        for value in cookies { exchange.request.fields.append(name: "Cookie", value: value) }
        return exchange
    }

    @Test(arguments: [
        ("a=1; b=2; a=3", "a 1,b 2,a 3"), ("a=1;b=2", "a 1,b 2"), ("a", "a "), ("=x", " x"),
        ("a=", "a "),
        ("a=b=c", "a b=c"), (" a = 1 ;; b=\"x y\" ", "a 1,b \"x y\""), ("", ""), (";", ""),
    ])
    func readsFields(field: String, expected: String) throws {
        let lines = try Bench.log(
            "for n, v in pairs(ex.request.cookies) do log(n, v) end",
            of: Self.exchange(field)
        )
        #expect(lines.joined(separator: ",") == expected)
    }

    @Test(arguments: [
        ("ex.request.cookies.a = 9", ["a=9; b=2"]), ("ex.request.cookies.a = nil", ["b=2"]),
        ("ex.request.cookies.c = 'x y'", ["a=1; b=2; a=3; c=x y"]),
        ("ex.request.cookies.a = nil ex.request.cookies.b = nil", []),
        ("ex.request.cookies.none = nil", ["a=1; b=2; a=3"]),
    ])
    func writesOneField(body: String, expected: [String]) throws {
        let made = try Bench.edit(body, hook: "request", of: Self.exchange("a=1; b=2", "a=3"))
        #expect(made.request.fields.all("Cookie").map(\.description) == expected)
    }

    @Test(arguments: [
        "ex.request.cookies.a = 'x;y'", "ex.request.cookies.a = 'x\\r\\ny'",
        "ex.request.cookies['a b'] = 1",
        "ex.request.cookies[''] = 1", "ex.request.cookies.a = {}", "ex.request.cookies.a = ' x'",
        "ex.request.cookies[1] = 1", "ex.response.cookies.a = {value = 1, pth = 2}",
        "ex.response.cookies.a = {path = '/'}",
        "ex.response.cookies.a = {value = 'a', path = 'x;y'}",
        "ex.request.cookies.get('a')", "ex.request.cookies.get(ex.tags, 'a')",
        "ex.response.cookies.a = true", "ex.request.cookies.a = ('x'):rep(2 << 20)",
    ])
    func invalidCookiesAreRefused(body: String) {
        #expect(Bench.failure(body, of: Self.exchange("a=1"))?.code == .fault)
    }

    @Test func requestCookiesCannotBeChangedInResponse() {
        let failure = Bench.failure("ex.request.cookies.a = 1", hook: "response")
        #expect(failure?.message.contains("cannot be changed") == true)
    }

    private static let answer: Exchange = {
        var exchange = Exchange.sample
        exchange.response?.fields = [
            "A": "1", "Set-Cookie": "a=1; Path=/; Priority=High", "B": "2", "Set-Cookie": "b=2",
            "set-cookie": "a=3; HttpOnly", "C": "3",
        ]
        return exchange
    }()

    /// The order of all fields is kept, as are unknown attributes of a cookie.
    @Test(arguments: [
        ("c.a = 'x'", "A: 1|Set-Cookie: a=x; Path=/; Priority=High|B: 2|Set-Cookie: b=2|C: 3"),
        ("c.a = nil", "A: 1|B: 2|Set-Cookie: b=2|C: 3"),
        (
            "c.b = {value = 'y', secure = false, max_age = 5}",
            "A: 1|Set-Cookie: a=1; Path=/; Priority=High|B: 2|Set-Cookie: b=y; Max-Age=5|set-cookie: a=3; HttpOnly|C: 3"
        ),
        (
            "c.a = nil c.n = {value = ''} c.b = nil",
            "A: 1|B: 2|C: 3|Set-Cookie: n="
        ),
    ])
    func writesSetCookie(body: String, expected: String) throws {
        let made = try Bench.edit("local c = ex.response.cookies \(body)", of: Self.answer)
        let fields = try #require(made.response?.fields)
        let text = fields.indices.map { index in
            "\(ByteString(fields.name(at: index))): \(ByteString(fields.value(at: index)))"
        }
        #expect(text.joined(separator: "|") == expected)
    }

    @Test func readsAttributes() throws {
        let lines = try Bench.log(
            """
            local all = ex.response.cookies:all("a")
            log(#all, all[1].path, all[1].http_only, all[2].path, all[2].http_only, all[2].value)
            for name, cookie in pairs(ex.response.cookies) do log(name, cookie.value) end
            """,
            of: Self.answer
        )
        #expect(lines == ["2 / nil nil true 3", "a 1", "b 2", "a 3"])
    }

    @Test(arguments: [
        ("request.cookies.a = 'x;y'", "has a character that is not allowed, at byte 2"),
        ("request.cookies.a = ' x'", "begins or ends with a space"),
        ("request.cookies.a = 'x\\t'", "has a character that is not allowed, at byte 2"),
        ("request.cookies.a = 'x '", "begins or ends with a space"),
        ("response.cookies.a = {value = ' '}", "begins or ends with a space"),
    ])
    func invalidTextsAreRefused(body: String, problem: String) throws {
        let error = try #require(Bench.failure("ex.\(body)"))
        #expect(error.message.hasSuffix(problem), "\(error.message)")
    }

    @Test func emptyAndInnerSpacesAreKept() throws {
        let made = try Bench.edit("ex.request.cookies.a = '' ex.request.cookies.b = 'x y'")
        #expect(made.request.fields.first("cookie")?.text?.contains("a=; b=x y") == true)
    }
}
