// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import Testing

@testable import TaplineMatching

/// Answers that repeat values of the request.
@Suite struct EchoedValuesTests {
    private func request(
        _ target: String,
        _ fields: FieldSection = [:],
        json: String? = nil
    ) -> Request {
        var request = Request(target: ByteString(target), authority: "a.test", fields: fields)
        if let json {
            request.fields.append(name: "Content-Type", value: "application/json")
            request.body = Body(Array(json.utf8))
        }
        return request
    }

    /// The body of an answer for the second request.
    private func answer(
        _ body: String,
        _ type: String = "application/json",
        recorded: Request,
        live: Request
    ) -> String {
        var response = Response(fields: ["Content-Type": "\(type)"])
        response.body = Body(Array(body.utf8))
        response.repeatValues(of: live, insteadOf: recorded, masks: ["[redacted]"])
        return String(decoding: response.body.bytes, as: UTF8.self)
    }

    @Test(arguments: [
        // Ids reach whole values and words.
        (
            "/orders/1234", "/orders/98765",
            #"{"id":1234,"text":"order 1234","n":12345,"self":"/orders/1234"}"#,
            #"{"id":98765,"text":"order 98765","n":12345,"self":"/orders/98765"}"#
        ),
        // Short ids reach members that have ids, and URLs.
        (
            "/users/7/cart", "/users/9/cart",
            #"{"id":7,"userId":"7","count":7,"next":"http://a.test/users/7/x?p=7"}"#,
            #"{"id":9,"userId":"9","count":7,"next":"http://a.test/users/9/x?p=7"}"#
        ),
        // Words reach whole values, short values members of their name.
        (
            "/s?q=shoes&p=1", "/s?q=red%20%22hat%22&p=2",
            #"{"q":"shoes","p":1,"title":"all shoes","found":[{"kind":"shoes","n":1}]}"#,
            #"{"q":"red \"hat\"","p":2,"title":"all shoes","found":[{"kind":"red \"hat\"","n":1}]}"#
        ),
        // A number becomes a text if the live value is one.
        ("/s?ref=1234", "/s?ref=ab%5C", #"{"ref":1234}"#, #"{"ref":"ab\\"}"#),
        // Two live values for one recorded value: it is not known which one is meant.
        ("/s?a=1234&b=1234", "/s?a=1234&b=5678", #"{"x":1234,"b":1234}"#, #"{"x":1234,"b":5678}"#),
        // A mask says nothing about other masks.
        (
            "/s?user=[redacted]", "/s?user=anna-1",
            #"{"user":"[redacted]","token":"[redacted]"}"#,
            #"{"user":"anna-1","token":"[redacted]"}"#
        ),
        ("/s?q=shoes", "/s?q=shoes", #"{"q":"shoes"}"#, #"{"q":"shoes"}"#),
        // Of several live values for one, the first counts.
        (
            "/7/7/8?p=1&p=2&p=1", "/3/4/5?p=7&p=8&p=9", #"{"p":[1,2],"id":7}"#,
            #"{"p":[7,8],"id":3}"#
        ),
    ])
    func json(recorded: String, live: String, body: String, wanted: String) {
        #expect(answer(body, recorded: request(recorded), live: request(live)) == wanted)
    }

    @Test func valuesOfBodiesFieldsAndCookiesCount() {
        let body = answer(
            #"{"name":"Ann-1","trace":"abc-123","sid":"s1234","all":["x-1234","y-5678"]}"#,
            recorded: request(
                "/",
                ["X-Trace": "abc-123", "Cookie": "sid=s1234"],
                json: #"{"name":"Ann-1","items":["x-1234","y-5678"]}"#
            ),
            live: request(
                "/",
                ["X-Trace": "def-456", "Cookie": "sid=s9999"],
                json: #"{"items":["x-2","y-3"],"name":"Bob\u0022"}"#
            )
        )
        #expect(body == #"{"name":"Bob\"","trace":"def-456","sid":"s9999","all":["x-2","y-3"]}"#)
    }

    @Test func textsRepeatIdsThatAreWords() {
        let text = answer(
            "<p id=1234>12345 1234-1 é1234 shoes</p>",
            "text/html",
            recorded: request("/1234?q=shoes&r=5678"),
            live: request("/777?q=hats&r=%3Cb%3E")
        )
        #expect(text == "<p id=777>12345 1234-1 é1234 shoes</p>")
        let markup = answer(
            "<p>5678</p>",
            "text/html",
            recorded: request("/?r=5678"),
            live: request("/?r=%3Cb%3E")
        )
        #expect(markup == "<p>5678</p>")
        let image = answer(
            "1234",
            "image/png",
            recorded: request("/1234"),
            live: request("/777")
        )
        #expect(image == "1234")
    }

    @Test func fieldsRepeatValues() {
        var response = Response(fields: [
            "Location": "/users/7?q=a%20b&x=1#7", "X-Request-ID": "r-1", "ETag": "r-1",
            "Set-Cookie": "last=1234; Path=/", "X-Query": "long-1",
        ])
        response.repeatValues(
            of: request("/users/a b/1235?q=c%26d&y=z%0D%0AX:%201", ["X-Request-ID": "r-2"]),
            insteadOf: request("/users/7/1234?q=a%20b&y=long-1", ["X-Request-ID": "r-1"]),
            masks: []
        )
        #expect(response.fields.first("Location") == "/users/a%20b?q=c%26d&x=1#7")
        #expect(response.fields.first("X-Request-ID") == "r-2")
        #expect(response.fields.first("Set-Cookie") == "last=1235; Path=/")
        // It would begin another field.
        #expect(response.fields.first("X-Query") == "long-1")
    }

    @Test func aCodedBodyIsDecodedAndItsLengthIsRight() throws {
        var response = Response(fields: [
            "Content-Type": "application/json", "Content-Encoding": "gzip", "ETag": "x",
            "Content-Length": "1",
        ])
        let body = Array(#"{"id":"1234"}"#.utf8)
        response.body = Body(try ContentCoding.gzip.encode(body.span))
        response.body.coding = "gzip"
        response.repeatValues(of: request("/98765"), insteadOf: request("/1234"), masks: [])
        #expect(response.body.bytes == Array(#"{"id":"98765"}"#.utf8))
        #expect(response.body.coding.isEmpty)
        #expect(response.fields.first("Content-Length") == "14")
        #expect(!response.fields.contains("Content-Encoding") && !response.fields.contains("ETag"))
    }
}
