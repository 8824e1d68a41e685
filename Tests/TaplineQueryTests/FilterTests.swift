// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import Testing

@Suite struct FilterTests {
    @Test(arguments: [
        #"id == "01930000-0000-7000-8000-000000000001""#, #"source == "proxy""#,
        #"state == "failed""#, #"method == "POST""#,
        #"url == "HTTPS://user:pw@API.Shop.test:8443/cart/items?x=1&x=two%20words&empty=&plus=a+b&%6Eame=v""#,
        #"scheme == "https""#, #"host == "api.SHOP.test""#, "port == 8443",
        #"path == "/cart/items""#, #"query["x"] == "1""#, #"query["x"] == "two words""#,
        #"query["empty"] == """#, #"query["plus"] == "a b""#, #"query["name"] == "v""#,
        "status == 503", #"status_class == "5xx""#, #"client == "127.0.0.1:51234""#,
        #"server == "10.0.0.1:8443""#, "duration == 250ms", "duration == 0.25s",
        #"started == "2026-11-20T14:03:00.500Z""#, #"started >= "2026-11-20""#,
        #"started < "2026-11-20T15:04:00+01:00""#, #"error == "reset""#,
        #"content_type == "application/json""#, #"tag["team"] == "checkout""#,
        #"request.version == "HTTP/1.1""#, #"response.version == "HTTP/2""#,
        #"tls.version == "TLSv1.3""#, #"request.header["HOST"] == "api.shop.test""#,
        #"request.header["x-tag"] == "two""#, #"response.header["x-error"] == "boom""#,
        #"request.body contains "Ünal""#, #"request.body contains "\u00dcnal""#,
        #"response.body == "too busy""#, "request.size == 16", "response.size == 2MiB",
        "response.size > 2MB", "bytes.up == 6", "bytes.down == 60B",
    ])
    func everyFieldCanBeCompared(text: String) {
        #expect(evaluate(text) == true)
        #expect(evaluate("not \(text)") == false)
        #expect(evaluate("not (not \(text))") == true)
    }

    @Test(arguments: [
        #"source"#, "scheme", "host", "port", #"query["x"]"#, "status", "status_class", "client",
        "server", "duration", "error", "content_type", #"tag["team"]"#, #"env["CI"]"#,
        "request.version", "response.version", "tls.version", #"request.header["x-tag"]"#,
        #"response.header["x-error"]"#, "request.body", "response.body", "request.size",
        "response.size", "bytes.up", "bytes.down",
    ])
    func comparisonsWithAnAbsentFieldDoNotHold(field: String) {
        #expect(evaluate("\(field) exists", environment: ["CI": "1"]) == true)
        #expect(evaluate("\(field) exists", Samples.bare()) == false)
        #expect(evaluate("not \(field) exists", Samples.bare()) == true)
        for test in [
            "== \"5xx\"", "!= \"5xx\"", "< \"x\"", "like \"*\"", "~ \"\"", "contains \"\"",
        ] {
            guard let result = evaluate("\(field) \(test)", Samples.bare()) else { continue }
            #expect(!result, "\(field) \(test)")
        }
        for test in ["== 0", "!= 0", "< 1", "> 0", "in [0]"] {
            guard let result = evaluate("\(field) \(test)", Samples.bare()) else { continue }
            #expect(!result, "\(field) \(test)")
        }
    }

    @Test func environmentVariablesReplaceText() {
        let environment = ["HOST": "api.shop.test", "S": "503", "T": "1ms", "BAD": "x", "P": "^/c"]
        func evaluated(_ text: String) -> Bool? { evaluate(text, environment: environment) }
        #expect(evaluated(#"host == env["HOST"]"#) == true)
        #expect(evaluated(#"host == env["NONE"]"#) == false)
        #expect(evaluated(#"host != env["NONE"]"#) == false)
        #expect(evaluated(#"host in ["x", env["NONE"], env["HOST"]]"#) == true)
        #expect(evaluated(#"path ~ env["P"]"#) == true)
        #expect(evaluated(#"path ~ env["NONE"]"#) == false)
        #expect(evaluated(#"status == env["S"] and duration > env["T"]"#) == true)
        #expect(evaluated(#"status == env["BAD"]"#) == nil)
        #expect(evaluated(#"env["HOST"] like "api.*""#) == true)
        #expect(evaluated(#"env["HOST"] exists and not env["NONE"] exists"#) == true)
        #expect(evaluated(#"env["NONE"] == "api.shop.test""#) == false)
    }

    private func isSame(
        _ text: String,
        _ environment: [String: String] = [:],
        now: Int64 = 0,
        as other: String? = nil,
        _ others: [String: String] = [:],
        otherNow: Int64 = 0
    ) throws -> Bool {
        let now = Timestamp(microseconds: now)
        let left = try Filter(text, environment: environment, now: now)
        let otherTime = Timestamp(microseconds: otherNow)
        let right = try Filter(other ?? text, environment: others, now: otherTime)
        let isSame = left.isSame(as: right)
        #expect(right.isSame(as: left) == isSame)
        return isSame
    }

    @Test func sameTextMeansTheSameWithTheSameValues() throws {
        #expect(try isSame(#"host like "a*" and path ~ "^/x" or query["a"] in ["b", "c"]"#))
        #expect(try !isSame("status >= 500", as: "status >= 501"))
        // A filter is not compared by its meaning.
        #expect(try !isSame("status >= 500", as: "status  >= 500"))
        // Values that are not used make no difference.
        #expect(try isSame("status >= 500", ["A": "1"], now: 1, ["A": "2"], otherNow: 2))
        #expect(try isSame("started > now - 15m", now: 1, otherNow: 1))
        #expect(try !isSame("started > now - 15m", now: 1, otherNow: 2))
    }

    @Test(arguments: [
        #"host == env["A"]"#, #"host like env["A"]"#, #"host in ["x", env["A"]]"#,
        #"env["A"] == "x""#, #"env["A"] exists"#, #"env["A"] like "*""#, #"env["A"] ~ "x""#,
    ])
    func valuesOfTheEnvironmentMakeFiltersDiffer(text: String) throws {
        #expect(try isSame(text, ["A": "a"], ["A": "a"]))
        #expect(try isSame(text))
        #expect(try !isSame(text, ["A": "a"], ["A": "b"]))
        #expect(try !isSame(text, ["A": "a"]))
        #expect(try !isSame(text, ["A": ""]))
        #expect(try !isSame(text, [:], ["A": ""]))
    }

    @Test func filtersWithVariablesOfTheSameJoinedTextDiffer() throws {
        let text = #"env["A"] like "*x" and env["B"] like "*y""#
        #expect(try !isSame(text, ["A": "xB", "B": "y"], ["A": "x", "B": "By"]))
    }

    @Test func patternsFromTheEnvironmentAreNotCompared() throws {
        #expect(try !isSame(#"path ~ env["A"]"#, ["A": "a"], ["A": "a"]))
        #expect(try isSame(#"path ~ env["A"]"#))
    }

    @Test func knownAtFollowsFromTheFields() throws {
        let early = try Filter(#"host == "a" and not path ~ "^/health""#)
        #expect(early.knownAt == .request)
        #expect(early.lateField == nil)
        let middle = try Filter(#"host == "a" and status >= 500"#)
        #expect(middle.knownAt == .response)
        #expect(middle.lateField?.name == "status")
        #expect(middle.lateField?.offset == 16)
        #expect(middle.lateField?.length == 6)
        let late = try Filter(#"status >= 500 or request.body contains "x""#)
        #expect(late.knownAt == .end)
        #expect(late.lateField?.name == "request.body")
        #expect(late.knownAt(bufferingRequest: true, bufferingResponse: false) == .response)
        #expect(late.field(notKnownAt: .request)?.name == "status")
        #expect(late.field(notKnownAt: .response, bufferingRequest: true) == nil)
    }
}
