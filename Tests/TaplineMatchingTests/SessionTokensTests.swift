// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineMatching
import TaplineModel
import Testing

/// What live responses hand out, and where requests get it.
@Suite struct SessionTokensTests {
    private static let session = SessionID(value: 1)

    private func request(
        _ target: String,
        _ fields: FieldSection = [:],
        body: String = "",
        type: String = "application/json"
    ) -> Request {
        var request = Request(
            method: "POST",
            target: ByteString(target),
            authority: "shop.test",
            fields: fields
        )
        if !body.isEmpty {
            request.fields.append(name: "Content-Type", value: type)
            request.fields.append(name: "Content-Length", value: "\(body.utf8.count)")
            request.body = Body(Array(body.utf8))
        }
        return request
    }

    private func response(
        _ body: String,
        _ type: String = "application/json",
        _ fields: FieldSection = [:]
    ) -> Response {
        var response = Response(fields: fields)
        response.fields.append(name: "Content-Type", value: type)
        response.body = Body(Array(body.utf8))
        return response
    }

    private func exchange(_ response: Response) -> Exchange {
        var start = Request(method: "GET", target: "/start", authority: "shop.test")
        start.scheme = "http"
        return Exchange(
            id: ExchangeID(high: 0, low: 0),
            request: start,
            response: response
        )
    }

    private func tokens(
        _ source: String,
        _ targets: [String],
        substitutes: [TokenSubstitute] = []
    ) throws -> SessionTokens {
        let binding = TokenBinding(
            name: "token",
            source: try TokenPlace(parsing: "response \(source) of GET /start"),
            targets: try targets.map { try TokenPlace(parsing: "request \($0)") }
        )
        return SessionTokens(map: TokenMap([binding]), substitutes: substitutes)
    }

    // MARK: Requests

    private static let places = [
        "path 2 of POST /o/{id}", "query id of POST /o", "header authorization", "header if-match",
        "cookie sid", "json $.a[*].id of POST /j", "form id of POST /f",
    ]

    /// Only whole values are replaced, in the notation of their place.
    @Test(arguments: [
        ("/o/old-1?x=old-1", "/o/n%2F%222?x=old-1"),
        ("/o/old%2D1", "/o/n%2F%222"),
        ("/o/xold-1", "/o/xold-1"),
        ("/o?id=old-1&id=old-12&a=b+c", "/o?id=n%2F%222&id=old-12&a=b+c"),
    ])
    func targetsGetLiveValues(recorded: String, sent: String) throws {
        var tokens = try tokens("json $.id", Self.places)
        let recording = exchange(response(#"{"id":"old-1"}"#))
        tokens.observe(response(#"{"id":"n/\"2"}"#), for: recording, in: Self.session)
        var live = request(recorded)
        let use = tokens.apply(to: &live, in: Self.session)
        #expect(live.target.description == sent)
        #expect(use.bound.isEmpty == (recorded == sent))
    }

    @Test(arguments: [
        ("Authorization", "Bearer old-1", "Bearer new2"),
        ("Authorization", "old-1", "new2"),
        (
            "Authorization", "Token token=\"old-1\", x=\"old-1y\"",
            "Token token=\"new2\", x=\"old-1y\""
        ),
        ("Authorization", "Bearer old-12", "Bearer old-12"),
        ("If-Match", "\"old-1\"", "\"new2\""),
        ("Cookie", "a=1; sid=old-1; b=old-1", "a=1; sid=new2; b=old-1"),
        ("X-Other", "old-1", "old-1"),
    ])
    func fieldsGetLiveValues(name: String, recorded: String, sent: String) throws {
        var tokens = try tokens("json $.id", Self.places)
        let recording = exchange(response(#"{"id":"old-1"}"#))
        tokens.observe(response(#"{"id":"new2"}"#), for: recording, in: Self.session)
        var live = request("/", FieldSection([(name, recorded)]))
        _ = tokens.apply(to: &live, in: Self.session)
        #expect(live.fields.first(name)?.description == sent)
    }

    @Test(arguments: [
        (
            "/j", "application/json", #"{ "a" : [ {"id":4123}, {"id": 12 , "n":12} ] }"#,
            #"{ "a" : [ {"id":4123}, {"id": 987 , "n":12} ] }"#
        ),
        (
            "/j", "application/json", #"{"a":[{"id":"\u00312","t":"\ud83d\ude00"}]}"#,
            #"{"a":[{"id":"987","t":"\ud83d\ude00"}]}"#
        ),
        ("/f", "application/x-www-form-urlencoded", "b=%20&id=12&c=12", "b=%20&id=987&c=12"),
    ])
    func bodiesGetLiveValues(path: String, type: String, recorded: String, sent: String) throws {
        var tokens = try tokens("json $.id", Self.places)
        let recording = exchange(response(#"{"id":12}"#))
        tokens.observe(response(#"{"id":987}"#), for: recording, in: Self.session)
        var live = request(path, body: recorded, type: type)
        _ = tokens.apply(to: &live, in: Self.session)
        #expect(String(decoding: live.body.bytes, as: UTF8.self) == sent)
        #expect(live.fields.first("Content-Length")?.description == "\(sent.utf8.count)")
    }

    @Test func aNumberBecomesAStringIfTheLiveValueIsNone() throws {
        var tokens = try tokens("json $.id", Self.places)
        let recording = exchange(response(#"{"id":12}"#))
        tokens.observe(response(#"{"id":"a\"b"}"#), for: recording, in: Self.session)
        var live = request("/j", body: #"{"a":[{"id":12}]}"#)
        _ = tokens.apply(to: &live, in: Self.session)
        #expect(String(decoding: live.body.bytes, as: UTF8.self) == #"{"a":[{"id":"a\"b"}]}"#)
    }

    @Test func aCodedBodyStaysCoded() throws {
        var tokens = try tokens("json $.id", Self.places)
        let recording = exchange(response(#"{"id":12}"#))
        tokens.observe(response(#"{"id":34}"#), for: recording, in: Self.session)
        var live = request("/j", body: "x")
        live.body = Body(try ContentCoding.gzip.encode(#"{"a":[{"id":12}]}"#.utf8.span))
        live.body.coding = "gzip"
        _ = tokens.apply(to: &live, in: Self.session)
        let decoded = try ContentCoding.gzip.decode(live.body.bytes.span)
        #expect(String(decoding: decoded, as: UTF8.self) == #"{"a":[{"id":34}]}"#)
    }

    @Test func aValueWithALineEndNeverReachesAField() throws {
        var tokens = try tokens("json $.id", Self.places)
        let recording = exchange(response(#"{"id":"old-1"}"#))
        tokens.observe(response(#"{"id":"a\r\nX: y"}"#), for: recording, in: Self.session)
        var live = request("/", ["Authorization": "Bearer old-1"])
        let place = ValuePlace(.header("authorization"))
        let use = tokens.apply(to: &live, in: Self.session, expecting: [place])
        #expect(live.fields.first("Authorization") == "Bearer old-1")
        #expect(use.missing == [place])
        #expect(use.bound.isEmpty)
    }

    // MARK: Responses

    @Test(arguments: [
        ("json $.a.b", #"{"a":{"b":"old-1"}}"#, #"{"x":1,"a":{"c":0,"b":"new2"}}"#),
        ("json $[*].id", #"[{"id":"x"},{"id":"old-1"}]"#, #"[{"id":"y"},{"id":"new2"}]"#),
        (
            "json $[*].id", #"[{"id":"x","n":"A"},{"id":"old-1","n":"B"}]"#,
            #"[{"id":"z","n":"C"},{"id":"new2","n":"B"},{"id":"y","n":"A"}]"#
        ),
        ("json $.next query c", #"{"next":"/p?c=old-1"}"#, #"{"next":"http://h/p?d=1&c=new2"}"#),
        ("json $.self path 2", #"{"self":"/p/old-1"}"#, #"{"self":"/p/new2"}"#),
    ])
    func valuesOfJSONAreBound(source: String, recorded: String, live: String) throws {
        try expectBound(source, response(recorded), response(live))
    }

    @Test(arguments: [
        (
            "form csrf", "<form><input type=hidden name='csrf' value=old-1></form>",
            "<p>x</p><INPUT value=\"new2\"\n name=csrf />"
        ),
        ("meta csrf", "<meta name=csrf content=old-1>", "<meta content='new2' name='csrf'>"),
        (
            "link query t", "<a href='/m?t=zz'>a</a><a href='/c?x=1&amp;t=old-1'>b</a>",
            "<a href='/m?t=yy'>a</a><a class=k href=\"/c?x=1&#38;t=new2\">b</a>"
        ),
        ("link path 2", "<form action='/o/old-1'>", "<form action='/o/new2'>"),
    ])
    func valuesOfHTMLAreBound(source: String, recorded: String, live: String) throws {
        try expectBound(source, response(recorded, "text/html"), response(live, "text/html"))
    }

    @Test(arguments: [
        ("cookie sid", "Set-Cookie", "sid=old-1; Path=/", "sid=new2; HttpOnly"),
        ("cookie sid decoded", "Set-Cookie", "sid=old%2D1", "sid=n%65w2"),
        ("header x-token", "X-Token", "old-1", "new2"),
        ("header location path 2", "Location", "/orders/old-1", "http://b.test/orders/new2?x"),
        ("header location query code", "Location", "/cb?code=old-1", "/cb?s=1&code=new2"),
    ])
    func valuesOfFieldsAreBound(
        source: String,
        name: String,
        recorded: String,
        live: String
    ) throws {
        try expectBound(
            source,
            response("", "text/plain", FieldSection([(name, recorded)])),
            response("", "text/plain", FieldSection([(name, live)]))
        )
    }

    private func expectBound(_ source: String, _ recorded: Response, _ live: Response) throws {
        var tokens = try tokens(source, ["header x"])
        #expect(tokens.observe(live, for: exchange(recorded), in: Self.session) > 0)
        var request = request("/", ["X": "old-1"])
        let use = tokens.apply(to: &request, in: Self.session)
        #expect(request.fields.first("X") == "new2")
        #expect(use.bound.map(\.name) == ["token"])
    }

    // MARK: Sessions

    @Test func equalTextsOfSessionsDoNotMix() throws {
        var tokens = try tokens("json $.id", ["header x"])
        let recording = exchange(response(#"{"id":12}"#))
        let other = SessionID(value: 2)
        tokens.observe(response(#"{"id":100}"#), for: recording, in: Self.session)
        tokens.observe(response(#"{"id":200}"#), for: recording, in: other)
        for (session, value) in [(Self.session, "100"), (other, "200")] {
            var live = request("/", ["X": "12"])
            _ = tokens.apply(to: &live, in: session)
            #expect(live.fields.first("X")?.description == value)
        }
        // A third session could mean either, also after one of them got another value.
        for _ in 0..<2 {
            var live = request("/", ["X": "12"])
            let use = tokens.apply(to: &live, in: SessionID(value: 3))
            #expect(live.fields.first("X") == "12")
            #expect(use.bound.isEmpty)
            tokens.observe(response(#"{"id":300}"#), for: recording, in: other)
        }
    }

    @Test func aValueThatAllSessionsShareIsKnownToOthers() throws {
        var tokens = try tokens("json $.id", ["header x"])
        let recording = exchange(response(#"{"id":12}"#))
        for number in 1...2 {
            let session = SessionID(value: UInt64(number))
            tokens.observe(response(#"{"id":100}"#), for: recording, in: session)
        }
        var live = request("/", ["X": "12"])
        _ = tokens.apply(to: &live, in: SessionID(value: 3))
        #expect(live.fields.first("X") == "100")
    }

    @Test func aMillionSessionsTakeBoundedMemory() throws {
        let binding = TokenBinding(
            name: "token",
            source: try TokenPlace(parsing: "response header x of GET /start"),
            targets: [try TokenPlace(parsing: "request header x")]
        )
        var tokens = SessionTokens(map: TokenMap([binding]), capacity: 1 << 20)
        let recording = exchange(response("", "text/plain", ["X": "old-1"]))
        let live = response("", "text/plain", ["X": "new2"])
        let sessions: UInt64 = 20_000
        for number in 0..<sessions {
            tokens.observe(live, for: recording, in: SessionID(value: number))
        }
        #expect(tokens.forgotten > 10_000)
        var request = request("/", ["X": "old-1"])
        #expect(tokens.apply(to: &request, in: SessionID(value: sessions - 1)).bound.count == 1)
    }

    // MARK: Masks

    @Test func masksAreReportedOnceForEachPlace() throws {
        var tokens = try tokens("json $.id", ["header x"])
        for _ in 0..<3 {
            var live = request(
                "/a/17",
                ["Authorization": "Bearer [redacted]"],
                body: #"{"p":"***"}"#
            )
            let use = tokens.apply(to: &live, in: Self.session)
            #expect(use.masked.count == 2)
        }
        #expect(tokens.masked.map(\.count) == [3, 3])
        #expect(
            Set(tokens.masked.map(\.place.text)) == [
                "request header authorization of POST shop.test/a/{id}",
                "request json $.p of POST shop.test/a/{id}",
            ]
        )
    }

    @Test func aGivenValueTakesThePlaceOfAMask() throws {
        let place = try TokenPlace(parsing: "request header authorization")
        var tokens = try tokens(
            "json $.id",
            [],
            substitutes: [TokenSubstitute(place: place, value: Array("s3cret".utf8))]
        )
        var live = request("/", ["Authorization": "Bearer [redacted]"])
        let use = tokens.apply(to: &live, in: Self.session)
        #expect(live.fields.first("Authorization") == "Bearer s3cret")
        #expect(use.masked.isEmpty)
    }

    @Test func aGivenValueOfAnotherRouteTakesNoPlace() throws {
        let place = try TokenPlace(parsing: "request header authorization of POST /login")
        let substitute = TokenSubstitute(place: place, value: Array("s3cret".utf8))
        let here = ValuePlace(.header("authorization"))
        let covered = ["/login", "/register"].map { substitute.covers(here, of: request($0)) }
        #expect(covered == [true, false])
    }

    @Test(arguments: [
        ("", true), (#"{"p":"[redacted]"}"#, true), ("--x\r\n\r\n[redacted]\r\n--x--", false),
    ])
    func everyPartWithAMaskHasToBeReadable(body: String, isReadable: Bool) {
        let masked = request("/", ["Cookie": "sid=[redacted]"], body: body)
        let found = MaskedValues.standard.areReadable(in: masked)
        #expect(found == isReadable)
    }

    @Test(
        arguments: [
            ("sid=[redacted]", nil), ("a=1; sid=[redacted]; b=2", "a=1; b=2"),
            ("sid=[redacted]; sid=***", nil), ("sid=x[REDACTED]; flag", "flag"),
            ("a=[redacted]x;b", "b"),
        ] as [(String, String?)]
    )
    func aMaskedCookieWithoutALiveOneIsNotSent(field: String, left: String?) throws {
        var tokens = try tokens("json $.id", [])
        var request = request("/", ["Cookie": field, "X": "1"])
        let use = tokens.apply(to: &request, in: Self.session)
        #expect(!use.masked.isEmpty)
        #expect(request.fields.first("Cookie")?.description == left)
        #expect(request.fields.first("X") == "1")
    }

    @Test func aMaskedCookieIsTheLiveOneOfItsName() throws {
        var tokens = try tokens("json $.id", [])
        let recording = exchange(response("", "text/plain", ["Set-Cookie": "sid=[redacted]"]))
        tokens.observe(
            response("", "text/plain", ["Set-Cookie": "sid=live9; Path=/"]),
            for: recording,
            in: Self.session
        )
        var live = request("/", ["Cookie": "sid=[redacted]"])
        let use = tokens.apply(to: &live, in: Self.session)
        #expect(live.fields.first("Cookie") == "sid=live9")
        #expect(use.masked.isEmpty)
    }
}
