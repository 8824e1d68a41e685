// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite struct MediaTypeTests {
    @Test(arguments: [
        ("text/html", "", "text/html"), ("Text/HTML ; charset=x", "", "text/html"),
        ("", "Text/CSV;x=1", "text/csv"), ("  ", "text/csv", "text/csv"),
        ("text/html", "text/csv", "text/html"), ("", "", ""),
    ])
    func fieldsTakePrecedenceOverTheRecording(field: String, noted: String, type: String) {
        var request = Request(body: Body(bytes: [], size: nil, contentType: ByteString(noted)))
        if !field.isEmpty { request.fields = ["content-type": ByteString(field).description] }
        #expect(request.mediaType == ByteString(type))
        let response = Response(fields: request.fields, body: request.body)
        #expect(response.mediaType == ByteString(type))
        #expect(response.contentType == request.contentType)
    }

    @Test func emptyFieldsAreSkipped() {
        let request = Request(fields: ["Content-Type": "", "content-type": "a/b; c=d"])
        #expect(request.contentType == "a/b; c=d")
        #expect(request.fields.mediaType == "a/b")
    }

    @Test(arguments: [
        ("text/html; charset=utf-8", "text/html", ""), ("TEXT/html", "text/html", ""),
        ("text/plain", "text/html", "text/html"), ("", "text/html; x=1", "text/html; x=1"),
        ("text/plain", "", ""),
    ])
    func onlyTypesThatDifferFromTheFieldsAreStored(field: String, type: String, noted: String) {
        let fields: FieldSection = field.isEmpty ? [:] : ["Content-Type": field]
        var body = Body([1])
        body.noteContentType(ByteString(type), fields)
        #expect(body.contentType == ByteString(noted))
    }

    @Test(arguments: [
        ("application/json", true), ("text/json", true), ("application/problem+json", true),
        ("+json", false), ("application/jsonp", false), ("", false),
    ])
    func jsonIsDetectedByItsType(type: String, isJSON: Bool) {
        #expect(ByteString(type).isJSONMediaType == isJSON)
    }
}
