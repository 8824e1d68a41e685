// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import Testing

@testable import TaplineMatching

/// A request with a URL and a body; JSON and forms are recognized by their first character.
private func request(
    _ method: ByteString,
    _ url: String,
    _ body: String = "",
    _ fields: FieldSection = [:]
) -> Request {
    var request = Request(method: method)
    request.setURL(url.utf8.span)
    request.fields = fields
    if !body.isEmpty {
        let isJSON = body.hasPrefix("{") || body.hasPrefix("[")
        let isForm = !isJSON && body.contains("=")
        let type =
            isJSON
            ? "application/json" : isForm ? "application/x-www-form-urlencoded" : "text/plain"
        request.fields.append(name: "Content-Type", value: type)
        request.body = Body(Array(body.utf8))
    }
    return request
}

/// Recordings, and requests that they answer.
private struct Recording {
    let requests: [Request]
    let answers: RecordedAnswers

    init(
        _ requests: [Request],
        _ rules: RequestRules = .mock,
        repeats: AnswerRepeats = .last
    ) {
        self.requests = requests
        answers = RecordedAnswers(rules, repeats: repeats, masks: ["[redacted]"])
        for request in requests { answers.add(request) }
    }

    func answer(
        _ request: Request,
        comparesHost: Bool = true,
        session: UInt64 = 0
    ) -> RecordedAnswers.Answer {
        answers.answer(request, .init(comparesHost: comparesHost, session: session)) {
            requests[$0]
        }
    }

    func explanation(_ request: Request) -> MissExplanation {
        let asking = RecordedAnswers.Asking(comparesHost: true)
        return answers.explain(request, answer(request), asking) { requests[$0] }
    }
}

extension RequestRules {
    fileprivate static let mock = RequestRules(
        [.method, .host, .port, .path, .query],
        comparingAmbiguousBodies: true
    )
}

/// Which recording answers a request.
@Suite struct RecordedAnswersTests {
    @Test(arguments: [
        ("http://a.test/x", "http://a.test/x", true),
        ("http://a.test/x", "http://A.TEST:80/x", true),
        ("http://a.test/x", "http://a.test:81/x", false),
        ("http://a.test/x", "http://b.test/x", false),
        ("http://a.test/x", "http://a.test/y", false), ("http://a.test", "http://a.test/", true),
        ("http://a.test/x?a=1&b=2", "http://a.test/x?b=2&a=1", true),
        ("http://a.test/x?a=1&b=2", "http://a.test/x?a=2&b=1", false),
        ("http://a.test/x?a=1", "http://a.test/x?a=1&a=1", false),
        ("http://a.test/x?a=b+c", "http://a.test/x?a=b%20c", true),
        ("http://a.test/%61b", "http://a.test/ab", true),
        ("http://a.test/a%2Fb", "http://a.test/a/b", false),
        ("http://a.test/a%2fb", "http://a.test/a%2Fb", true),
        ("http://a.test/x?", "http://a.test/x", true),
        ("http://a.test/x?ab=c", "http://a.test/x?a=bc", false),
    ])
    func urls(recorded: String, found: String, isEqual: Bool) {
        let recording = Recording([request("GET", recorded)])
        let answer = recording.answer(request("GET", found))
        #expect(answer == (isEqual ? .recording(0) : .none))
        // The hashes agree with the comparison part by part.
        let rules = RequestRules([.method, .host, .port, .path, .query])
        let live = RequestParts(request("GET", found))
        let differences = LiveRequest(raw: live, clean: live)
            .differences(from: RequestParts(request("GET", recorded)), rules)
        if recorded != "http://a.test" { #expect(differences.isEmpty == isEqual) }
    }

    @Test func hostsCountOnlyIfTheyAreNamed() {
        let recording = Recording([
            request("GET", "http://a.test/"), request("GET", "http://b.test/"),
        ])
        #expect(recording.answer(request("GET", "http://b.test/")) == .recording(1))
        let other = request("GET", "http://127.0.0.1:80/")
        #expect(recording.answer(other, comparesHost: false) == .recording(0))
        #expect(recording.answer(other) == .none)
    }

    @Test func bodiesCountWhereRecordingsDifferInNothingElse() {
        let url = "http://a.test/x"
        let alone = Recording([request("POST", url, #"{"a":1}"#)])
        #expect(alone.answer(request("POST", url, #"{"b":2}"#)) == .recording(0))
        let several = Recording([
            request("POST", url, #"{"a":1,"b":[1,2]}"#), request("POST", url, #"{"a":2}"#),
            request("POST", url, "n=1&m=2"),
        ])
        #expect(several.answer(request("POST", url, #"{ "b": [1, 2], "a": 1 }"#)) == .recording(0))
        #expect(several.answer(request("POST", url, #"{"a":2}"#)) == .recording(1))
        #expect(several.answer(request("POST", url, "m=2&n=1")) == .recording(2))
        #expect(several.answer(request("POST", url, #"{"a":1,"b":[2,1]}"#)) == .none)
    }

    @Test func textsCountOnlyIfBodiesAreCompared() {
        let url = "http://a.test/x"
        let requests = [request("POST", url, "one"), request("POST", url, "two")]
        #expect(Recording(requests).answer(request("POST", url, "three")) == .recording(0))
        let rules = RequestRules([.method, .path, .body])
        #expect(Recording(requests, rules).answer(request("POST", url, "two")) == .recording(1))
        #expect(Recording(requests, rules).answer(request("POST", url, "three")) == .none)
    }

    @Test func chosenFieldsCount() {
        let url = "http://a.test/x"
        let rules = RequestRules([.method, .path], fields: ["Accept"])
        let recording = Recording(
            [
                request("GET", url, "", ["Accept": "text/html"]),
                request("GET", url, "", ["accept": "application/json"]), request("GET", url),
            ],
            rules
        )
        #expect(
            recording.answer(request("GET", url, "", ["ACCEPT": "application/json"]))
                == .recording(1)
        )
        #expect(recording.answer(request("GET", url, "", ["X": "y"])) == .recording(2))
        #expect(recording.answer(request("GET", url, "", ["Accept": "*/*"])) == .none)
    }

    @Test func ignoredPartsDoNotCount() throws {
        var rules = RequestRules(
            [.method, .path, .query, .body],
            ignoringQueryItems: ["ts"],
            ignoringFormFields: ["nonce"]
        )
        rules.ignoredValues = [
            try #require(JSONPath(Array("$.time".utf8))),
            try #require(JSONPath(Array("$.items[*].id".utf8))),
        ]
        let url = "http://a.test/x"
        let body = #"{"time":1,"items":[{"id":1,"n":"a"}]}"#
        let recording = Recording(
            [request("POST", "\(url)?ts=1", body), request("POST", url, "a=1&nonce=2")],
            rules
        )
        let same = #"{"items":[{"id":7,"n":"a"}]}"#
        #expect(recording.answer(request("POST", "\(url)?ts=9", same)) == .recording(0))
        #expect(recording.answer(request("POST", url, "nonce=8&a=1")) == .recording(1))
        let other = #"{"items":[{"id":7,"n":"b"}]}"#
        #expect(recording.answer(request("POST", url, other)) == .none)
        let miss = recording.explanation(request("POST", url, other))
        let parts = miss.nearest.first?.differences.map(\.part)
        #expect(parts == ["body $.items[0].n"])
    }

    @Test(arguments: [
        ("http://a.test/users/[redacted]/cart", "http://a.test/users/7/cart", true),
        ("http://a.test/users/[redacted]/cart", "http://a.test/users/7/8/cart", false),
        ("http://a.test/x?token=[redacted]&a=1", "http://a.test/x?a=1&token=abc", true),
        ("http://a.test/x?token=%5Bredacted%5D", "http://a.test/x?token=abc", true),
        ("http://a.test/x?token=[redacted]&a=1", "http://a.test/x?a=2&token=abc", false),
        ("http://a.test/x?token=k-[redacted]", "http://a.test/x?token=k-1", true),
        ("http://a.test/x?token=k-[redacted]", "http://a.test/x?token=1", false),
    ])
    func masksMatchAnything(recorded: String, found: String, isEqual: Bool) {
        let recording = Recording([request("GET", recorded), request("GET", "http://a.test/other")])
        #expect(recording.answer(request("GET", found)) == (isEqual ? .recording(0) : .none))
    }

    @Test func masksInBodiesMatchAnything() {
        let url = "http://a.test/login"
        let recording = Recording([
            request("POST", url, #"{"user":"ann","password":"[redacted]"}"#),
            request("POST", url, #"{"user":"bob","password":"[redacted]"}"#),
        ])
        let bob = request("POST", url, #"{"password":"secret","user":"bob"}"#)
        #expect(recording.answer(bob) == .recording(1))
        #expect(recording.answer(request("POST", url, #"{"user":"eve","password":"x"}"#)) == .none)
    }

    @Test func manyBodiesOfOneRequestAreFound() {
        let url = "http://a.test/graphql"
        let recording = Recording((0..<100).map { request("POST", url, #"{"n":\#($0)}"#) })
        for number in [0, 7, 8, 9, 50, 99] {
            let live = request("POST", url, #"{ "n": \#(number) }"#)
            #expect(recording.answer(live) == .recording(number))
            #expect(recording.answer(live, comparesHost: false) == .recording(number))
        }
        #expect(recording.answer(request("POST", url, #"{"n":100}"#)) == .none)
    }

    @Test func manyHostsOfOneRequestAreFound() {
        let recording = Recording((0..<100).map { request("GET", "http://h\($0).test/") })
        for number in [0, 7, 8, 9, 50, 99] {
            let live = request("GET", "http://h\(number).test/")
            #expect(recording.answer(live) == .recording(number))
        }
        #expect(recording.answer(request("GET", "http://h100.test/")) == .none)
        let live = request("GET", "http://h50.test/")
        #expect(recording.answer(live, comparesHost: false) == .recording(0))
    }

    @Test func bodiesOfOneOfManyHostsAreCompared() {
        let requests = (0..<20).map { request("POST", "http://h\($0).test/", #"{"n":1}"#) }
        let other = request("POST", "http://h15.test/", #"{"n":2}"#)
        let recording = Recording(requests + [other])
        #expect(recording.answer(other) == .recording(20))
        #expect(recording.answer(requests[15]) == .recording(15))
        #expect(recording.answer(request("POST", "http://h15.test/", #"{"n":3}"#)) == .none)
    }

    @Test func chosenRecordingsHaveRulesOfTheirOwn() throws {
        var strict = RequestRules([.method, .path, .body])
        strict.ignoredValues = [try #require(JSONPath(Array("$.id".utf8)))]
        strict.comparesHost = false
        let answers = RecordedAnswers(.mock, special: [strict, RequestRules([.path])])
        let url = "http://a.test/graphql"
        let requests = [
            request("POST", url, #"{"id":1,"q":"a"}"#), request("GET", "http://a.test/any?x=1"),
            request("GET", "http://a.test/any?x=2"),
        ]
        for (request, special) in zip(requests, [0, 1, nil]) { answers.add(request, by: special) }
        func answer(_ request: Request) -> RecordedAnswers.Answer {
            answers.answer(request, .init(comparesHost: true)) { requests[$0] }
        }
        // The host does not count, the body does except for the id.
        #expect(
            answer(request("POST", "http://b.test/graphql", #"{"q":"a","id":2}"#))
                == .recording(0)
        )
        #expect(answer(request("POST", url, #"{"id":1,"q":"b"}"#)) == .none)
        // The first rules that lead to a recording count.
        #expect(answer(request("PUT", "http://a.test/any")) == .recording(1))
        #expect(answer(requests[2]) == .recording(1))
        let asking = RecordedAnswers.Asking(comparesHost: true)
        let live = request("POST", "http://b.test/graphql", #"{"id":1,"q":"b"}"#)
        let miss = answers.explain(live, .none, asking) { requests[$0] }
        let parts = miss.nearest.first?.differences.map(\.part)
        #expect(parts == ["body $.q"])
        // There are no such rules.
        #expect(answers.add(live, by: 7) == nil)
    }

    @Test func chosenValuesCount() throws {
        var rules = RequestRules([.path])
        rules.values = try FieldReference.list(#"request.json["$.op"], query["p"]"#)
        let url = "http://a.test/x"
        let recording = Recording(
            [
                request("POST", "\(url)?p=1&z=1", #"{"op":"a","id":1}"#),
                request("POST", "\(url)?p=2", #"{"op":"b"}"#),
                request("POST", "\(url)?p=[redacted]", #"{"op":"c"}"#),
            ],
            rules
        )
        #expect(
            recording.answer(request("PUT", "\(url)?p=1", #"{"id":2,"op":"a"}"#))
                == .recording(0)
        )
        #expect(recording.answer(request("POST", "\(url)?p=2", #"{"op":"b"}"#)) == .recording(1))
        #expect(recording.answer(request("POST", "\(url)?p=9", #"{"op":"c"}"#)) == .recording(2))
        let other = request("POST", "\(url)?p=1", #"{"op":"b"}"#)
        #expect(recording.answer(other) == .none)
        let parts = recording.explanation(other).nearest.first?.differences.map(\.part)
        #expect(parts == [#"request.json["$.op"]"#])
    }

    @Test func schemesCountIfTheyAreCompared() {
        let rules = RequestRules([.scheme, .path], comparingHost: true)
        let recording = Recording([request("GET", "https://a.test/x")], rules)
        #expect(recording.answer(request("GET", "https://b.test/x")) == .recording(0))
        #expect(recording.answer(request("GET", "http://a.test/x")) == .none)
    }

    @Test func bodiesThatWereNotKeptDifferFromNone() {
        let rules = RequestRules([.path, .body])
        var unseen = request("POST", "http://a.test/x")
        unseen.body.isTruncated = true
        let recording = Recording([unseen], rules)
        #expect(recording.answer(request("POST", "http://a.test/x")) == .none)
        #expect(recording.answer(unseen) == .recording(0))
    }

    @Test func recordingsMayBeAddedLater() {
        let recording = Recording([])
        #expect(recording.answer(request("GET", "http://a.test/")) == .none)
        recording.answers.add(request("GET", "http://a.test/"))
        #expect(recording.answer(request("GET", "http://a.test/")) == .recording(0))
    }
}

/// Several recordings of one request, one after the other.
@Suite struct AnswerSequenceTests {
    private let live = request("GET", "http://a.test/x")

    private func answers(_ repeats: AnswerRepeats, _ count: Int) -> [RecordedAnswers.Answer] {
        let recording = Recording(
            [live, request("GET", "http://a.test/y"), live],
            repeats: repeats
        )
        return (0..<count).map { _ in recording.answer(live) }
    }

    @Test func theLastOneRepeats() {
        let all: [RecordedAnswers.Answer] = [.recording(0), .recording(2), .recording(2)]
        #expect(answers(.last, 3) == all)
    }

    @Test func theyCycle() {
        let all: [RecordedAnswers.Answer] = [.recording(0), .recording(2), .recording(0)]
        #expect(answers(.cycle, 3) == all)
    }

    @Test func theyAreUsedUp() {
        let all: [RecordedAnswers.Answer] = [.recording(0), .recording(2), .usedUp(2), .usedUp(2)]
        #expect(answers(.miss, 4) == all)
        let once = Recording([live], repeats: .miss)
        #expect(once.answer(live) == .recording(0) && once.answer(live) == .usedUp(1))
    }

    @Test func eachSessionHasItsOwn() {
        let recording = Recording([live, live, live])
        #expect(recording.answer(live, session: 1) == .recording(0))
        #expect(recording.answer(live, session: 2) == .recording(0))
        #expect(recording.answer(live, session: 1) == .recording(1))
        #expect(recording.answer(live, session: 1) == .recording(2))
        #expect(recording.answer(live, session: 2) == .recording(1))
    }

    @Test func manySessionsTakeLimitedMemory() {
        let recording = Recording([live, live])
        #expect(recording.answer(live, session: 1) == .recording(0))
        for session in 2..<200_000 { _ = recording.answer(live, session: UInt64(session)) }
        // Forgotten long ago, so that it begins anew.
        #expect(recording.answer(live, session: 1) == .recording(0))
        #expect(recording.answer(live, session: 199_999) == .recording(1))
        #expect(recording.answers.forgottenCount >= 65_536)
        recording.answers.noteForgotten(1_000_000)
        #expect(recording.answers.forgottenCount > 1_000_000)
    }

    @Test func unusedRecordingsAreKnown() {
        let requests = (0..<130).map { request("GET", "http://a.test/\($0)") }
        let recording = Recording(requests)
        for request in requests where request.target != "/64" && request.target != "/129" {
            _ = recording.answer(request)
        }
        #expect(recording.answers.unused(limit: 10) == [64, 129])
        #expect(recording.answers.usedCount == 128)
        let again = Recording(requests)
        again.answers.markUsed(recording.answers.used + [0, 130, -1])
        #expect(again.answers.unused(limit: 10) == [64, 129])
        #expect(again.answers.usedCount == 128)
    }
}

/// Why a request has no answer.
@Suite struct MissExplanationTests {
    private let recording = Recording([
        request("GET", "http://a.test/users/7/cart?page=1"),
        request("GET", "http://a.test/users/8/orders?page=1"),
        request("POST", "http://a.test/users/7/cart", #"{"item":{"id":1}}"#),
        request("POST", "http://a.test/users/7/cart", #"{"item":{"id":2}}"#),
        request("GET", "http://b.test/health"),
    ])

    @Test(arguments: [
        ("GET", "http://a.test/users/9/cart?page=1", "", "path segment 2: recorded '7', now '9'"),
        (
            "GET", "http://a.test/users/7/cart?page=3", "",
            "query item 'page': recorded '1', now '3'"
        ),
        ("GET", "http://b.test/status", "", "path segment 1: recorded 'health', now 'status'"),
        (
            "POST", "http://a.test/users/7/cart", #"{"item":{"id":"x"}}"#,
            "body $.item.id: recorded 1, now 'x'"
        ),
        ("PUT", "http://b.test/health", "", "method: recorded 'GET', now 'PUT'"),
    ])
    func nearest(method: ByteString, url: String, body: String, text: String) {
        let miss = recording.explanation(request(method, url, body))
        #expect(miss.nearest.first?.differences.map(\.text) == [text])
        #expect(miss.text.contains("\n    \(text)\n"))
        #expect(miss.nearest.count <= 3)
    }

    @Test func theLogHasNoValues() {
        let live = request("GET", "http://a.test/users/secret-1/cart?page=secret-2")
        let miss = recording.explanation(live)
        #expect(miss.text.contains("secret-1") && miss.text.contains("secret-2"))
        #expect(!miss.summary.contains("secret"))
        #expect(miss.summary.hasSuffix("differs in path segment 2, query item 'page'"))
    }

    @Test(arguments: [
        (
            "GET", "http://a.test/users/7/cart?page=1&secret", "",
            "another query item"
        ),
        (
            "POST", "http://a.test/users/7/cart", #"{"item":{"id":1,"secret":2}}"#,
            "another member of the body"
        ),
    ])
    func theLogHasNoNamesThatOnlyOneRequestHas(
        method: ByteString,
        url: String,
        body: String,
        part: String
    ) {
        let miss = recording.explanation(request(method, url, body))
        #expect(miss.text.contains("secret"))
        #expect(miss.summary.hasSuffix("differs in \(part)"))
        let missing = recording.explanation(request("GET", "http://a.test/users/7/cart"))
        #expect(missing.text.contains("query item 'page'"))
        #expect(missing.summary.hasSuffix("differs in a missing query item"))
    }

    @Test func jsonSaysTheSame() {
        let miss = recording.explanation(request("PUT", "http://b.test/health"))
        let json = String(decoding: miss.json, as: UTF8.self)
        #expect(json.hasPrefix(#"{"error":"no_recording","#))
        #expect(json.contains(#"{"part":"method","recorded":"'GET'","found":"'PUT'"}"#))
    }

    @Test func usedUpRecordingsAreSaid() {
        let live = request("GET", "http://a.test/x")
        let recording = Recording([live], repeats: .miss)
        _ = recording.answer(live)
        let miss = recording.explanation(live)
        #expect(miss.text.hasPrefix("this request was recorded once"))
        #expect(miss.summary == "a request has used up its recordings")
    }

    @Test func anEmptyRecordingExplainsItself() {
        let miss = Recording([]).explanation(request("GET", "http://a.test/"))
        #expect(miss.nearest.isEmpty && miss.text.contains("there are no recordings"))
    }

    @Test func onlyFewOfManyRecordingsAreCompared() {
        let requests = (0..<5000).map { request("GET", "http://a.test/items/\($0)?v=1") }
        let recording = Recording(requests)
        var readCount = 0
        let asking = RecordedAnswers.Asking(comparesHost: true)
        let miss = recording.answers.explain(
            request("GET", "http://a.test/items/77?v=2"),
            .none,
            asking
        ) {
            readCount += 1
            return requests[$0]
        }
        #expect(readCount <= 24)
        // The one with the same path is among them.
        #expect(miss.nearest.first?.url == "http://a.test/items/77?v=1")
    }
}
