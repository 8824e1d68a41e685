// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineImport
import TaplineModel
import Testing

@Suite("Collections of Postman")
struct PostmanParserTests {
    private func collection(_ items: String, _ rest: String = "") -> String {
        #"{"info":{"name":"n","schema":"https://schema.getpostman.com/json/collection/v2.1.0/"},"#
            + #""item":[\#(items)]\#(rest)}"#
    }

    private func item(_ request: String, _ rest: String = "") -> String {
        #"{"name":"a","request":\#(request)\#(rest)}"#
    }

    @Test(
        "have requests of all kinds",
        arguments: [
            (#""http://a.test/x""#, "GET http://a.test/x"), (#""a.test""#, "GET http://a.test/"),
            (
                #"{"method":"PUT","url":{"raw":"https://a.test/:id/b?x=1","#
                    + #""variable":[{"key":"id","value":"7"}]}}"#,
                "PUT https://a.test/7/b?x=1"
            ),
            (
                #"{"url":{"protocol":"https","host":["a","test"],"port":"81","path":["b","c"],"#
                    + #""query":[{"key":"x","value":"1"},{"key":"y"},{"key":"z","disabled":true}]}}"#,
                "GET https://a.test:81/b/c?x=1&y"
            ),
            (
                #"{"url":"a.test","header":[{"key":"A","value":"1"},"#
                    + #"{"key":"B","value":"2","disabled":true}]}"#,
                "GET http://a.test/ | A: 1"
            ),
            (#"{"url":"a.test","header":"A: 1\r\nB: 2"}"#, "GET http://a.test/ | A: 1 | B: 2"),
            (
                #"{"url":"a.test","auth":{"type":"basic","basic":[{"key":"username","value":"ann"},"#
                    + #"{"key":"password","value":"x"}]}}"#,
                "GET http://a.test/ | Authorization: Basic YW5uOng="
            ),
            (
                #"{"url":"a.test","auth":{"type":"bearer","bearer":{"token":"t"}}}"#,
                "GET http://a.test/ | Authorization: Bearer t"
            ),
            (
                #"{"url":"a.test","auth":{"type":"apikey","apikey":[{"key":"key","value":"K"},"#
                    + #"{"key":"value","value":"v"}]}}"#, "GET http://a.test/ | K: v"
            ),
            (
                #"{"method":"POST","url":"a.test","body":{"mode":"raw","raw":"{}","#
                    + #""options":{"raw":{"language":"json"}}}}"#,
                "POST http://a.test/ | Content-Type: application/json | Content-Length: 2 | {}"
            ),
            (
                #"{"method":"POST","url":"a.test","body":{"mode":"urlencoded","urlencoded":["#
                    + #"{"key":"a","value":"b c"},{"key":"d","value":"&"}]}}"#,
                "POST http://a.test/ | Content-Type: application/x-www-form-urlencoded"
                    + " | Content-Length: 13 | a=b%20c&d=%26"
            ),
            (
                #"{"method":"POST","url":"a.test","body":{"mode":"graphql","graphql":"#
                    + #"{"query":"{a}","variables":"{\"x\":1}"}}}"#,
                "POST http://a.test/ | Content-Type: application/json | Content-Length: 35"
                    + #" | {"query":"{a}","variables":{"x":1}}"#
            ),
        ]
    )
    func requests(request: String, summary: String) {
        let imported = Imported(collection(item(request)))
        #expect(imported.messages.isEmpty, "\(imported.messages)")
        #expect(imported.exchanges.map(\.request.summary) == [summary])
        #expect(imported.exchanges.first?.tags["name"] == "a")
        #expect(imported.exchanges.first?.error?.code == "no_response")
    }

    @Test("have forms, without their files")
    func forms() throws {
        let parts = #"{"key":"a","value":"1"},{"key":"f","type":"file","src":"/x"}"#
        let body = #"{"mode":"formdata","formdata":[\#(parts)]}"#
        let form = item(#"{"method":"POST","url":"a.test","body":\#(body)}"#)
        let imported = Imported(collection(form))
        let request = try #require(imported.exchanges.first?.request)
        let text = String(decoding: request.body.bytes, as: UTF8.self)
        #expect(text.contains("form-data; name=\"a\"\r\n\r\n1\r\n--"))
        #expect(imported.lossKinds == ["1 request.body (file)"])
        let file = #"{"url":"a.test","body":{"mode":"file","file":{"src":"/x"}}}"#
        #expect(Imported(collection(item(file))).lossKinds == ["1 request.body (file)"])
    }

    @Test("have examples with responses, and descriptions as notes")
    func examples() throws {
        let request =
            #"{"method":"GET","url":"a.test","#
            + #""description":"started 2026-10-10T13:55:36Z\nlook"}"#
        let responses =
            #","response":[{"code":201,"status":"Created","responseTime":15.5,"body":"ü","#
            + #""header":[{"key":"A","value":"1"}]},{"code":404,"header":null,"body":null,"#
            + #""originalRequest":{"method":"PUT","url":"b.test"}}]"#
        let imported = Imported(collection(item(request, responses)))
        try #require(imported.exchanges.count == 2)
        let (first, second) = (imported.exchanges[0], imported.exchanges[1])
        #expect(first.response?.status == 201 && first.response?.reason == "Created")
        #expect(first.response?.fields == ["A": "1"])
        #expect(first.response?.body.bytes == Array("ü".utf8))
        #expect(first.timing.total == Microseconds(15_500))
        #expect(first.started == Timestamp(rfc3339: "2026-10-10T13:55:36Z"))
        #expect(first.extra?.notes.map(\.text) == ["look"])
        #expect(first.state == .completed)
        #expect(second.request.summary == "PUT http://b.test/")
        #expect(second.response?.status == 404)
        #expect(second.started == first.started)
        #expect(first.id != second.id)
    }

    @Test("have folders, whose authorization is inherited")
    func folders() {
        let bearer = #""auth":{"type":"bearer","bearer":[{"key":"token","value":"t"}]}"#
        let requests = [item(#""b.test""#), item(#"{"url":"c.test"}"#)].joined(separator: ",")
        let inner = #"{"name":"g","item":[\#(requests)],\#(bearer)}"#
        let none = item(#"{"url":"d.test","auth":{"type":"noauth"}}"#)
        let text = collection("\(item(#""a.test""#)),{\"item\":[\(inner),\(none)]}")
        let imported = Imported(text)
        #expect(
            imported.exchanges.map(\.request.summary) == [
                "GET http://a.test/", "GET http://b.test/ | Authorization: Bearer t",
                "GET http://c.test/ | Authorization: Bearer t", "GET http://d.test/",
            ]
        )
    }

    @Test("have variables, whose unknown ones stay and are counted")
    func variables() {
        let request = #"{"url":"{{base}}/{{x}}","header":[{"key":"A","value":"{{ t }} {{{t}}"}]}"#
        let rest =
            #","variable":[{"key":"base","value":"http://a.test"},"#
            + #"{"key":"t","value":"{{base}}"}]"#
        let imported = Imported(collection(item(request), rest))
        #expect(
            imported.exchanges.map(\.request.summary) == [
                "GET http://a.test/{{x}} | A: {{base}} {{{t}}"
            ]
        )
        #expect(imported.lossKinds == ["1 {{ }} (unknown variable)"])
    }

    @Test(
        "that are malformed are errors with line and column",
        arguments: [
            (#"{"info":{},"x":1}"#, "f:1:1: not a collection of format 2.1"),
            (#"{"info":{},"#, "the text ends inside a value"),
            (
                "{\"info\":{},\n \"item\":[{\"name\":1}]}",
                "f:2:10: missing key 'request' in an item"
            ),
            (#"{"info":{},"item":[{"request":{}}]}"#, "missing key 'url' in a request"),
            (#"{"info":{},"item":[{"request":""}]}"#, "the URL of a request is empty"),
            (
                #"{"info":{},"item":[{"request":"a","response":[{"code":"x"}]}]}"#,
                "wrong value of 'code'"
            ),
        ]
    )
    func malformed(text: String, message: String) {
        let imported = Imported(text, .postman)
        #expect(imported.messages.count == 1)
        #expect(imported.messages.first?.contains(message) == true, "\(imported.messages)")
    }

    @Test("that repeat much in their examples are not read to the end")
    func repetition() {
        let body = String(repeating: "x", count: 20 << 20)
        let request = #"{"url":"a.test","body":{"mode":"raw","raw":"\#(body)"}}"#
        let examples = Array(repeating: "{}", count: 1000).joined(separator: ",")
        let imported = Imported(collection(item(request, #","response":[\#(examples)]"#)))
        #expect(imported.exchanges.count == 12)
        #expect(imported.messages.count == 1)
        #expect(imported.messages.first?.contains("the collection is too large") == true)
        let empty = Array(repeating: "{}", count: 100_001).joined(separator: ",")
        let errors = Imported(collection(empty))
        #expect(errors.errors.count == 100_000)
        #expect(errors.end?.message.hasPrefix("the collection is too large") == true)
        #expect(errors.errors.last?.column == errors.errors.last.map { $0.byte + 1 })
        let token = (0..<400).map { #"{"key":"k\#($0)","value":"v"}"# }.joined(separator: ",")
        let auth = #","auth":{"type":"basic","basic":[\#(token)]}"#
        #expect(Imported(collection(item(#""a.test""#), auth)).lossKinds == ["1 auth (too large)"])
    }

    @Test("that would need much memory are bounded")
    func hostile() {
        let big = String(repeating: "x", count: 1 << 20)
        let use = String(repeating: "{{v}}", count: 1000)
        let text = collection(
            item(#"{"url":"a.test","header":[{"key":"A","value":"\#(use)"}]}"#),
            #","variable":[{"key":"v","value":"\#(big)"}]"#
        )
        let size = Imported(text).exchanges.first?.request.fields.byteCount ?? 0
        #expect(size < 20 << 20)
        let braces = String(repeating: "{{", count: 200_000)
        let open = collection(item(#"{"url":"a.test/\#(braces)}}"}"#))
        #expect(Imported(open).exchanges.count == 1)
        let deep =
            String(repeating: #"{"item":["#, count: 2000) + String(repeating: "]}", count: 2000)
        #expect(Imported(deep, .postman).end != nil)
        #expect(Imported(Array(text.utf8), .postman, maxRecordBytes: 100).end?.code == .tooLarge)
    }
}
