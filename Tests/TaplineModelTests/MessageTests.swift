// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite struct MessageTests {
    @Test func omittedPartsHaveDefaults() {
        let request = Request()
        #expect(request.method == "GET")
        #expect(request.target == "/")
        #expect(request.version == "HTTP/1.1")
        #expect(request.body.isAbsent)
        let response = Response()
        #expect(response.status == 200)
        #expect(response.interim.isEmpty)
        #expect(response.trailers.isEmpty)
    }

    @Test(arguments: [
        ("Application/JSON; charset=utf-8", "application/json", true),
        (" text/json ", "text/json", true),
        ("application/problem+json", "application/problem+json", true),
        ("+json", "+json", false), ("application/jsonp", "application/jsonp", false),
        ("text/html;q=1", "text/html", false), ("", "", false), (";", "", false),
    ])
    func mediaTypesAreReadFromTheField(value: String, type: String, isJSON: Bool) {
        let fields: FieldSection = ["content-TYPE": value]
        #expect(fields.mediaType.text == type)
        #expect(fields.mediaType.isJSONMediaType == isJSON)
        #expect(FieldSection().mediaType.isEmpty)
    }
}
