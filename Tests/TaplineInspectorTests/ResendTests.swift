// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineRuntime
import TestSupport
import Testing

@testable import TaplineInspector

@Suite("Sending an exchange again", .timeLimit(.minutes(3)))
struct ResendTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A browser that shows one exchange.
    private func exchange(
        in name: String = "traffic.db",
        _ change: (inout Exchange) -> Void
    ) throws -> Browser {
        var exchange = Stored.exchanges[3]
        change(&exchange)
        try Stored.add([exchange], to: folder(name))
        return try Browser(folder(name))
    }

    private var id: String { Stored.exchanges[3].id.description }

    // MARK: Drafts

    @Test("begins with what was sent, without what every client creates")
    func draft() throws {
        let browser = try exchange { exchange in
            exchange.request = Request(
                method: "POST",
                target: "/cart?x=1",
                authority: "shop.test:8080",
                fields: FieldSection([
                    ("Host", "shop.test:8080"), ("Connection", "keep-alive"),
                    ("Content-Length", "9"), ("X-Own", "1"), ("X-Own", "2"),
                    ("Content-Type", "application/json"),
                ]),
                body: Body(Array(#"{"a": 1}"#.utf8))
            )
        }
        let draft = try browser.get("exchanges/\(id)/draft").json
        #expect(draft["method"].text == "POST")
        #expect(draft["url"].text == "http://shop.test:8080/cart?x=1")
        #expect(
            draft["headers"].list.map { "\($0[0].text ?? ""): \($0[1].text ?? "")" } == [
                "X-Own: 1", "X-Own: 2", "Content-Type: application/json",
            ]
        )
        #expect(draft["body"]["text"].text == #"{"a": 1}"#)
        #expect(draft["missing"].list.isEmpty)
    }

    @Test("has the decoded body without its coding, and other bytes in base64")
    func bodies() throws {
        let gzip: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B, 0x4C, 0x4A, 6, 0, 0xC2, 0x41, 0x24, 0x35, 3,
            0,
            0, 0,
        ]
        var browser = try exchange { exchange in
            exchange.request.fields = FieldSection([("Content-Encoding", "gzip")])
            exchange.request.body = Body(bytes: gzip, size: gzip.count, coding: "gzip")
        }
        var draft = try browser.get("exchanges/\(id)/draft").json
        #expect(draft["body"]["text"].text == "abc")
        #expect(draft["headers"].list.isEmpty)
        browser = try exchange(in: "other.db") { exchange in
            exchange.request.body = Body(
                bytes: [0xFF, 0xFE],
                size: 5,
                coding: "unknown",
                isTruncated: true
            )
            exchange.request.fields = FieldSection([("Content-Encoding", "unknown")])
        }
        draft = try browser.get("exchanges/\(id)/draft").json
        #expect(draft["body"]["base64"].text == "//4=")
        #expect(draft["headers"].list.count == 1)
        #expect(draft["missing"][0]["at"].text == "request.body")
        #expect(draft["missing"][0]["reason"].text == "truncated")
    }

    @Test("says where values are masked, or not kept")
    func missing() throws {
        var places = MissingPlaces(
            url: "http://shop.test/?token=%5Bredacted%5D",
            fields: [
                ("Authorization", Array("Bearer [redacted]".utf8)),
                ("Cookie", Array("a=h-0123456789abcdef0123456789abcdef".utf8)),
                ("X-Id", Array("h-0123456789abcdef".utf8)),
            ],
            recorded: Body([1]),
            content: Array(
                #"{"card": {"number": "[redacted]"}, "all": [1, "[redacted]"], "a'b": "[redacted]"}"#
                    .utf8
            )
        ).places
        #expect(
            places.map(\.at) == [
                "request.url", "request.header.Authorization", "request.header.Cookie",
                "request.body.$.card.number", "request.body.$.all[1]", "request.body.$['a\\'b']",
            ]
        )
        #expect(places.allSatisfy { $0.reason == .masked })
        let text = Array("token=[redacted]".utf8)
        places = MissingPlaces(url: "", fields: [], recorded: Body(text), content: text).places
        #expect(places.map(\.at) == ["request.body"])
        let lost = Body(bytes: [], size: 100)
        places = MissingPlaces(url: "", fields: [], recorded: lost, content: []).places
        #expect(places.map(\.reason) == [.notKept])
    }

    @Test("is not offered for what no client can send")
    func unrepeatable() throws {
        let browser = try exchange { $0.request.method = "CONNECT" }
        #expect(try browser.get("exchanges/\(id)/draft").status == 409)
        #expect(
            try browser.get("exchanges/00000000-0000-7000-8000-000000000000/draft").status == 404
        )
    }

    // MARK: Sending

    @Test("goes through the stages of the pipeline, and is linked with the original")
    func resend() async throws {
        try folder.write(
            """
            version: 1
            rules:
              - name: header
                actions:
                  - set: { request.header.X-Rule: hit }
            """,
            to: "rules.yaml"
        )
        let server = try PythonServer("echo_server")
        let shown = try await ShownPipeline(
            folder,
            stages: "[{ rules: { file: rules.yaml } }, { redact: { preset: standard } }]"
        )
        let browser = shown.browser
        let info = try browser.get("info").json
        #expect(info["can"]["resend"].isTrue && info["can"]["rules"].isTrue)
        let secret = "Authorization: Bearer abcdefgh12345678"
        _ = try await command(
            "curl",
            ["-sS", "-x", "http://\(shown.address)", "-H", secret, "-d", "1", "\(server.url)/cart"]
        )
        try await wait(for: "the exchange to be stored") {
            try browser.rows("count=1")["total"].number == 1
        }
        let first = try #require(try browser.rows("count=1")["rows"][0]["id"].text)
        let draft = try browser.get("exchanges/\(first)/draft").json
        #expect(draft["missing"][0]["at"].text == "request.header.Authorization")
        let answer = try browser.post(
            "resend",
            """
            {"of":"\(first)","request":{"method":"PUT","url":"\(server.url)/again?x#part",
             "headers":[["X-Mine","1"],["Content-Length","999"]],"body":{"text":"second"}}}
            """
        )
        let id = try #require(try answer.json["id"].text, "\(answer.text)")
        let copy = try await shown.row(id)
        #expect(copy["replay_of"].text == first)
        #expect(copy["record"]["replay"]["of"].text == first)
        #expect(copy["record"]["request"]["method"].text == "PUT")
        let body = try browser.get("exchanges/\(id)/body/response").text
        #expect(body == "PUT /again?x\nX-Mine: 1\nX-Rule: hit\nsecond")
        let original = try browser.get("exchanges/\(first)").json
        #expect(original["replays"].list == [.text(id)])
        #expect(await shown.stop().failures.isEmpty)
        #expect(!(try browser.get("info").json["can"]["resend"].isTrue))
    }

    @Test(
        "is refused if a part is wrong",
        arguments: [
            (#"{"method":"GE T","url":"http://a.test/"}"#, "method"),
            (#"{"method":"CONNECT","url":"http://a.test/"}"#, "method"),
            (#"{"method":"GET","url":"ftp://a.test/"}"#, "url"),
            (#"{"method":"GET","url":"/path"}"#, "url"),
            (#"{"method":"GET","url":"http://a.test/\r\nX: y"}"#, "url"),
            (#"{"method":"GET","url":"http://user:word@a.test/"}"#, "url"),
            (#"{"method":"GET","url":"http:///x"}"#, "url"),
            (#"{"method":"GET","url":"http://a.test/","headers":[["A b","c"]]}"#, "headers"),
            (#"{"method":"GET","url":"http://a.test/","headers":[["A","c\r\nD: e"]]}"#, "headers"),
            (#"{"method":"GET","url":"http://a.test/","headers":[["A"]]}"#, "headers"),
            (#"{"method":"GET","url":"http://a.test/","headers":{"A":"b"}}"#, "headers"),
            (#"{"method":"GET","url":"http://a.test/","body":"x"}"#, "body"),
            (#"{"method":"GET","url":"http://a.test/","body":{"base64":"_"}}"#, "body"),
        ]
    )
    func wrong(request: String, part: String) throws {
        #expect {
            _ = try ResendBody(Array("{\"request\":\(request)}".utf8))
        } throws: { error in
            let error = error as? APIError
            return error?.status == 400 && error?.message.contains("'\(part)'") == true
        }
    }

    @Test("needs a pipeline, JSON, a login, and the page itself")
    func access() throws {
        let browser = try exchange { _ in }
        let good = #"{"request":{"method":"GET","url":"http://a.test/"}}"#
        let answer = try browser.post("resend", good)
        #expect(answer.status == 409)
        #expect(try answer.json["error"]["code"].text == "no_pipeline")
        #expect(try browser.post("resend", "{").status == 400)
        #expect(try browser.post("resend", "{}").status == 400)
        #expect(try browser.post("resend", #"{"of":"x","request":{}}"#).status == 400)
        let json = "Content-Type: application/json"
        let login = browser.login
        for (lines, status) in [
            ([json], 401), (login + ["Content-Type: text/plain"], 415),
            (login + [json, "Origin: http://evil.test"], 403), (login + [json, "Via: 1.1 x"], 403),
        ] {
            let refused = try Browser.send(
                "POST",
                "/api/resend",
                lines,
                body: Array(good.utf8),
                port: browser.port
            )
            #expect(refused.status == status)
        }
    }

    @Test("never reaches the inspector itself")
    func itself() async throws {
        let shown = try await ShownPipeline(folder)
        let url = "http://127.0.0.1:\(shown.browser.port)/api/info"
        let answer = try shown.browser.post(
            "resend",
            #"{"request":{"method":"GET","url":"\#(url)"}}"#
        )
        let id = try #require(try answer.json["id"].text, "\(answer.text)")
        let row = try await shown.row(id)
        #expect(row["record"]["error"]["code"].text == "target_denied")
        _ = await shown.stop()
    }
}
