// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import TaplineInspector

@Suite("The inspector's paused exchanges", .timeLimit(.minutes(2)))
struct PausedEndpointsTests {
    private let folder: TemporaryFolder
    private let control = IdleControl(ruleFiles: [("rules", "/nonexistent/rules.yaml")])
    private let browser: Browser

    init() throws {
        folder = try TemporaryFolder()
        try Stored.add(Stored.exchanges, to: folder("traffic.db"))
        browser = try Browser(folder("traffic.db"), control: control)
    }

    /// The decision about an exchange.
    private final class Decided: Sendable {
        private let decision = Mutex<PauseDecision?>(nil)
        var value: PauseDecision? { decision.withLock { $0 } }
        func set(_ new: PauseDecision?) {
            if new == nil { passes.add(1, ordering: .relaxed) }
            decision.withLock { $0 = new }
        }

        private let passes = Atomic<Int>(0)
        /// Whether the exchange has passed, since nobody can decide any more.
        var hasPassed: Bool { passes.load(ordering: .relaxed) > 0 }
    }

    private var exchange: Exchange {
        var exchange = Exchange(id: ExchangeID(high: 1, low: 2))
        exchange.request = Request(
            method: "POST",
            target: "/cart?x=1",
            scheme: "http",
            authority: "shop.test",
            fields: ["Host": "shop.test", "X-A": "1", "X-Hidden": "masked"],
            body: Body(Array(#"{"a":1,"b":"c"}"#.utf8))
        )
        return exchange
    }

    private func add(
        _ decided: Decided,
        hook: Plane = .request,
        hasRecord: Bool = true,
        checkedOn whole: Exchange? = nil
    ) throws -> String {
        var record: Record?
        var chain = RecordChain()
        if hasRecord, case .sealed(let sealed) = chain.seal(exchange) { record = sealed }
        let entry = PausedExchanges.Entry(
            ActiveExchange(exchange),
            at: Timestamp(microseconds: 5),
            until: Timestamp(microseconds: 9),
            hook: hook,
            rule: "r",
            record: record
        )
        let isAdded = control.paused.add(
            entry,
            of: "s",
            atMost: 9,
            checking: { decision throws(PauseRefusal) in
                guard var copy = whole else { return }
                try decision.edit?(&copy)
            },
            decided: { decided.set($0) }
        )
        try #require(isAdded)
        return exchange.id.description
    }

    @Test("are listed and shown with their bodies")
    func shows() throws {
        let id = try add(Decided())
        let entry = try browser.get("paused").json["paused"][0]
        #expect(entry["id"].text == id)
        #expect(entry["at"].number == 5)
        #expect(entry["until"].number == 9)
        #expect(entry["hook"].text == "request")
        #expect(entry["rule"].text == "r")
        #expect(entry["method"].text == "POST")
        #expect(entry["host"].text == "shop.test")
        #expect(entry["path"].text == "/cart")
        let shown = try browser.get("paused/\(id)").json
        #expect(shown["record"]["request"]["body"]["text"].text == #"{"a":1,"b":"c"}"#)
        #expect(try browser.get("info").json["can"]["pause"].isTrue)
    }

    @Test("without a copy show only method and host")
    func hidden() throws {
        let id = try add(Decided(), hasRecord: false)
        let answer = try browser.get("paused/\(id)")
        #expect(try answer.json["hidden"].isTrue)
        let url = try answer.json["record"]["request"]["url"].text
        #expect(url?.hasPrefix("http://shop.test") == true, "\(answer.text)")
        #expect(!answer.text.contains("cart"))
    }

    @Test("go on with changes, which keep what was hidden")
    func changes() throws {
        let decided = Decided()
        let id = try add(decided)
        let answer = try browser.post(
            "paused/\(id)/resume",
            #"""
            {"changes":[{"at":"request.header.X-A","value":"2"},
            {"at":"request.header.Host","remove":true},
            {"at":"request.url","value":"https://other.test:8443/new?y=2"},
            {"at":"request.body.$.a","value":"{\"z\":0}"},
            {"at":"request.body.$.b","value":"te\"xt"}]}
            """#
        )
        #expect(answer.status == 200, "\(answer.text)")
        var changed = exchange
        changed.request.fields.set("X-Hidden".utf8.span, to: "secret".utf8.span)
        let edit = try #require(decided.value?.edit)
        try edit(&changed)
        let request = changed.request
        #expect(request.url == "https://other.test:8443/new?y=2")
        #expect(request.fields.first("x-a") == "2")
        #expect(request.fields.first("x-hidden") == "secret")
        #expect(
            String(decoding: request.body.bytes, as: UTF8.self) == #"{"a":{"z":0},"b":"te\"xt"}"#
        )
        #expect(try browser.post("paused/\(id)/resume", "{}").status == 404)
    }

    @Test("are not decided about by what was meant for another hook")
    func hook() throws {
        let decided = Decided()
        let id = try add(decided, hook: .response)
        let late = try browser.post("paused/\(id)/resume", #"{"abort":true,"hook":"request"}"#)
        #expect(late.status == 404)
        #expect(try !control.paused.resume(exchange.id, PauseDecision(), after: .request))
        #expect(decided.value == nil)
        let body = #"{"abort":true,"hook":"response"}"#
        #expect(try browser.post("paused/\(id)/resume", body).status == 200)
        #expect(decided.value != nil)
    }

    @Test("wait on if a change is not possible, and each is named with its reason")
    func impossibleChanges() throws {
        let decided = Decided()
        var whole = exchange
        whole.request.body.isTruncated = true
        let id = try add(decided, checkedOn: whole)
        let answer = try browser.post(
            "paused/\(id)/resume",
            #"""
            {"changes":[{"at":"request.header.X-A","value":"2"},
            {"at":"request.body.$.a","value":"1"},
            {"at":"request.header.X-Gone","remove":true}]}
            """#
        )
        #expect(answer.status == 409, "\(answer.text)")
        let problems = try answer.json["error"]["problems"]
        #expect(problems[0]["at"].text == "request.body.$.a")
        #expect(problems[0]["message"].text?.contains("was cut") == true)
        #expect(problems[1]["at"].text == "request.header.X-Gone")
        #expect(problems[1]["message"].text?.contains("there is no field") == true)
        #expect(decided.value == nil)
        #expect(control.paused.all.count == 1)
        #expect(try browser.post("paused/\(id)/resume", "{}").status == 200)
    }

    @Test(
        "refuse a value at a path that is not there, or of a body that cannot be read",
        arguments: [
            ("no JSON", "", "there is no value"), (#"{"a":1}"#, "", "there is no value"),
            (#"{"x":1}"#, "gzip", "cannot be decoded"),
        ]
    )
    func impossiblePath(body: String, coding: String, reason: String) throws {
        let decided = Decided()
        var whole = exchange
        whole.request.body = Body(Array(body.utf8))
        whole.request.body.coding = ByteString(coding)
        let id = try add(decided, checkedOn: whole)
        let answer = try browser.post(
            "paused/\(id)/resume",
            #"{"changes":[{"at":"request.body.$.x","value":"1"}]}"#
        )
        #expect(answer.status == 409, "\(answer.text)")
        let message = try answer.json["error"]["problems"][0]["message"].text
        #expect(message?.contains(reason) == true, "\(answer.text)")
        #expect(decided.value == nil)
    }

    @Test(
        "go on with members that are added to the body and removed from it",
        arguments: [
            (#"{"at":"request.body.$.c","value":"[1]","add":true}"#, #"{"a":1,"b":"c","c":[1]}"#),
            (#"{"at":"request.body.$.a","remove":true}"#, #"{"b":"c"}"#),
            (#"{"at":"request.body.$.b","remove":true}"#, #"{"a":1}"#),
        ]
    )
    func members(change: String, expected: String) throws {
        let decided = Decided()
        let id = try add(decided, checkedOn: exchange)
        let answer = try browser.post("paused/\(id)/resume", "{\"changes\":[\(change)]}")
        #expect(answer.status == 200, "\(answer.text)")
        var changed = exchange
        let edit = try #require(decided.value?.edit)
        try edit(&changed)
        #expect(String(decoding: changed.request.body.bytes, as: UTF8.self) == expected)
    }

    @Test(
        "name the place of each part that is wrong in itself",
        arguments: [
            (
                #"""
                {"changes":[{"at":"request.header.a b","value":"1"},
                {"at":"request.method","value":"G T"}]}
                """#,
                ["request.header.a b", "request.method"]
            ),
            (
                #"{"respond":{"status":99,"headers":[["X Y","1"],["Z","a\nb"]],"body":{}}}"#,
                ["response.status", "response.header.X Y", "response.header.Z", "response.body"]
            ),
        ]
    )
    func wrongParts(body: String, places: [String]) throws {
        let decided = Decided()
        let answer = try browser.post("paused/\(try add(decided))/resume", body)
        #expect(answer.status == 400, "\(answer.text)")
        let problems = try answer.json["error"]["problems"]
        let found = places.indices.map { problems[$0]["at"].text }
        #expect(found == places, "\(answer.text)")
        #expect(decided.value == nil)
        #expect(control.paused.all.count == 1)
    }

    @Test("are answered or aborted")
    func decisions() throws {
        let decided = Decided()
        let answer = try browser.post(
            "paused/\(try add(decided))/resume",
            #"{"respond":{"status":418,"headers":[["X-A","1"]],"body":{"base64":"b2s="}}}"#
        )
        #expect(answer.status == 200, "\(answer.text)")
        guard case .respond(let response) = decided.value?.action else {
            Issue.record("no answer")
            return
        }
        #expect(response.status == 418)
        #expect(response.fields.first("x-a") == "1")
        #expect(response.body.bytes == Array("ok".utf8))
        let id = try add(decided)
        #expect(try browser.post("paused/\(id)/resume", #"{"abort":true}"#).status == 200)
        guard case .abort = decided.value?.action else {
            Issue.record("not aborted")
            return
        }
    }

    @Test(
        "refuse what is not possible, and wait on",
        arguments: [
            #"{"changes":[{"at":"request.color","value":"red"}]}"#,
            #"{"changes":[{"at":"request.header.X","value":"a\r\nb"}]}"#,
            #"{"changes":[{"at":"request.header.X"}]}"#,
            #"{"changes":[{"at":"request.method","value":"G T"}]}"#,
            #"{"changes":[{"at":"request.method","value":"CONNECT"}]}"#,
            #"{"changes":[{"at":"request.url","value":"http://me:key@a.test/"}]}"#,
            #"{"changes":["# + String(repeating: #"{"at":"request.body","value":""},"#, count: 100)
                + #"{"at":"request.body","value":""}]}"#,
            #"{"changes":[{"at":"request.url","value":"file:///etc"}]}"#,
            #"{"changes":[{"at":"response.status","value":"200"}]}"#,
            #"{"respond":{"status":99}}"#,
            #"{"respond":{"status":200,"headers":[["X","a\nb"]]}}"#,
            #"{"respond":{"status":200,"body":{}}}"#, "[",
        ]
    )
    func refusals(body: String) throws {
        let decided = Decided()
        let id = try add(decided)
        let answer = try browser.post("paused/\(id)/resume", body)
        #expect(answer.status == 400, "\(answer.text)")
        #expect(decided.value == nil)
        #expect(control.paused.all.count == 1)
    }

    @Test("notify the page, and pass when the inspector ends")
    func ends() throws {
        let events = try browser.events()
        try events.read(until: "event: head")
        let decided = Decided()
        let id = try add(decided)
        try events.read(until: "{\"count\":1,\"ids\":[\"\(id)\"]}")
        #expect(events.text.contains("event: paused"))
        browser.server.stop()
        #expect(decided.hasPassed)
        #expect(!control.paused.isAttended)
    }
}
