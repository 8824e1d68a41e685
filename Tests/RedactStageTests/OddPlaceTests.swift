// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RedactStage

/// Secrets as other programs write them: escaped, encoded, and under slightly different names.
@Suite struct OddPlaceTests {
    @Test(arguments: [
        // Go escapes `&` like this, Gson also `=`, and others every quote.
        #"{"next":"https://h/?a=1\u0026token=pl4nted"}"#,
        #"{"next":"https://h/?token\u003dpl4nted\u0026a\u003d1"}"#,
        #"{"next":"https:\u002f\u002fu:pl4nted@h"}"#, #"{"next":"https://u:pl4nted\u0040h/"}"#,
        #"{"next":"https%3A%2F%2Fh%2Fy%3Ftoken%3Dpl4nted"}"#,
        #"{"inner":"{\u0022password\u0022:\u0022pl4nted\u0022}"}"#,
        #"{"inner":"{\"p\\u0061ssword\":\"pl4nted\"}"}"#,
        #"{"form":"a=1&password=pl4nted"}"#, #"{"user.token":"pl4nted"}"#,
        #"{"user[token]":"pl4nted"}"#,
    ])
    func jsonStringsAreSearched(body: String) throws {
        let result = try redact(exchange(type: "application/json", body: body))
        #expect(!String(decoding: result.request.body.bytes, as: UTF8.self).contains("pl4nted"))
    }

    @Test func harmlessEscapesStay() throws {
        let body =
            #"{"a":"https://h/?a=1\u0026b=2","c":"1 \u003c 2\n","d":"\\u0026","e":"x=\"y\""}"#
        let result = try redact(exchange(type: "application/json", body: body))
        #expect(result.request.body.bytes == Array(body.utf8))
    }

    /// Path segments, wherever a URL or a path is.
    @Test(arguments: [
        ("application/json", #"{"a":"https://h/reset-password/pl4nted-8f3a5c0e/x?b=1"}"#),
        ("application/json", #"{"a":"see https:\/\/u:p@h\/token\/pl4nted-8f3a5c0e."}"#),
        ("application/json", #"{"a":"/reset-password/pl4nted-8f3a5c0e"}"#),
        ("application/json", #"{"a":"\/reset-password\/pl4nted-8f3a5c0e"}"#),
        (
            "application/x-www-form-urlencoded",
            "a=https%3A%2F%2Fh%2Ftoken%2Fpl4nted-8f3a5c0e%2Fx&b=1"
        ),
        ("application/x-www-form-urlencoded", "a=/token/pl4nted-8f3a5c0e&b=1"),
        ("text/html", #"<p>at https://h/token/pl4nted-8f3a5c0e</p>"#),
        ("text/html", #"<a href="https://h/token/pl4nted-8f3a5c0e">x</a>"#),
        ("text/html", #"<a href="/token/pl4nted-8f3a5c0e?b=1">x</a>"#),
        (
            "text/javascript",
            #"go("/token/pl4nted-8f3a5c0e"); u = 'http://h/token/pl4nted-8f3a5c0e'"#
        ),
        ("text/plain", "Reset it: http://h/reset-password/pl4nted-8f3a5c0e\nand log in"),
        ("", "see http://h/reset-password/pl4nted-8f3a5c0e"),
    ])
    func pathSegmentsAreSearched(type: String, body: String) throws {
        #expect(!(try redactBody(body, type).contains("pl4nted")))
        let field = try redactField("X-Note", "at http://h/token/pl4nted-8f3a5c0e/x, /a")
        #expect(field?.contains("pl4nted") == false)
    }

    @Test(arguments: [
        "/x;jsessionid=pl4nted", "/x;a=1;sid=pl4nted/y?b=2", "/x?token[0]=pl4nted",
        "/x?token.1[]=pl4nted",
        "/x?next=https%253A%252F%252Fh%252Fy%253Ftoken%253Dpl4nted%2526b%253D1",
    ])
    func targetsAreSearched(target: String) throws {
        let result = try redact(exchange(target: target, fields: ["Referer": target]))
        #expect(!"\(result.request.target)".contains("pl4nted"))
        #expect(!"\(result.request.fields)".contains("pl4nted"))
    }

    @Test func pathParametersKeepTheirPlace() throws {
        let target = "/a;v=1/b;jsessionid=s3cret/c;w?d=1"
        #expect(
            try redact(exchange(target: target)).request.target
                == "/a;v=1/b;jsessionid=%5Bredacted%5D/c;w?d=1"
        )
        #expect(
            try redact(exchange(target: target), "action: remove").request.target
                == "/a;v=1/b/c;w?d=1"
        )
    }

    @Test func theTargetOfConnectIsAnAuthority() throws {
        var tunnel = exchange(target: "u:pl4nted@h:443")
        tunnel.request.method = "CONNECT"
        #expect(try redact(tunnel).request.target == "%5Bredacted%5D@h:443")
        tunnel.request.target = "h:443"
        #expect(try redact(tunnel).request.target == "h:443")
    }

    @Test(arguments: [
        ("Authorization ", "Bearer pl4nted"),
        ("X-Return-To", "https%3A%2F%2Fh%2F%3Ftoken%3Dpl4nted"),
        ("Baggage", "user=a,token=pl4nted"), ("X-Forwarded-Query", "password=pl4nted&a=1"),
    ])
    func fieldsAreSearched(name: String, value: String) throws {
        var fields = FieldSection()
        fields.append(name: name, value: value)
        #expect(!"\(try redact(exchange(fields: fields)).request.fields)".contains("pl4nted"))
    }

    @Test(arguments: [
        ("application/x-amz-json-1.1", #"{"AuthParameters":{"PASSWORD":"pl4nted"}}"#),
        ("application/graphql", #"mutation { login(password: "pl4nted") { id } }"#),
        ("text/plain", "info {\"password\":\n  \"pl4nted\"}"),
        ("text/plain", #"token=\"pl4nted pl4nted\" x"#),
        (
            "multipart/related; boundary=B",
            "--B\nContent-Type: text/json\n\n{\"token\":\"pl4nted\"}\n--B--\n"
        ),
        (
            "multipart/mixed; boundary=B",
            "--B\nContent-Type: application/http\n\nGET /?token=pl4nted\nCookie: a\n"
                + "Authorization: Basic pl4nted\n--B--\n"
        ),
        ("text/event-stream", "data: {\"password\":\ndata: \"pl4nted\"}\n\n"),
        ("text/event-stream", "\u{FEFF}data: {\"password\":\r\ndata: \"pl4nted\"}\r\n\r\n"),
        ("text/event-stream", "id: token=pl4nted\n: token=pl4nted\n\n"),
    ])
    func bodiesAreSearched(type: String, body: String) throws {
        let result = try redact(exchange(type: type, body: body))
        #expect(!String(decoding: result.request.body.bytes, as: UTF8.self).contains("pl4nted"))
    }

    @Test func eventsAfterAnIncompleteOneStay() throws {
        let body = "data: {\"a\":\ndata: 1}\n\ndata: {\"b\":2}\n\n"
        let result = try redact(exchange(type: "text/event-stream", body: body), "mask: '*'")
        #expect(
            String(decoding: result.request.body.bytes, as: UTF8.self)
                == "data: {\"a\":\ndata:*\n\ndata: {\"b\":2}\n\n"
        )
    }

    @Test func theSearchableOneOfSeveralTypesWins() throws {
        let full = exchange(
            fields: ["Content-Type": "image/png"],
            type: "application/json",
            body: #"{"password":"pl4nted"}"#
        )
        #expect(
            !String(decoding: try redact(full).request.body.bytes, as: UTF8.self).contains(
                "pl4nted"
            )
        )
    }
}
