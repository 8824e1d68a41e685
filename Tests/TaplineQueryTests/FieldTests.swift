// SPDX-License-Identifier: MIT

import TaplineQuery
import Testing

@Suite struct FieldTests {
    @Test(arguments: [
        ("id", FilterMoment.request), ("source", .request), ("state", .end), ("method", .request),
        ("url", .request), ("scheme", .request), ("host", .request), ("port", .request),
        ("path", .request), (#"query["a"]"#, .request), ("status", .response),
        ("status_class", .response), ("client", .request), ("server", .response),
        ("duration", .end), ("started", .request), ("error", .end), ("content_type", .response),
        (#"tag["a"]"#, .request), (#"env["a"]"#, .request), ("request.version", .request),
        ("response.version", .response), ("tls.version", .request),
        (#"request.header["a"]"#, .request), (#"response.header["a"]"#, .response),
        ("request.body", .end), ("response.body", .end), ("request.size", .end),
        ("response.size", .end), ("bytes.up", .end), ("bytes.down", .end), ("route", .request),
        ("correlation", .response), (#"request.cookie["a"]"#, .request),
        (#"response.cookie["a"]"#, .response), (#"json["$.a"]"#, .end), (#"json "$.a""#, .end),
        (#"request.json["$.a"]"#, .end), (#"response.json "$.a""#, .end), ("message.text", .end),
        ("note", .store), ("mark", .store),
    ])
    func everyFieldHasItsMoment(field: String, moment: FilterMoment) throws {
        let filter = try Filter("\(field) exists", inStore: true)
        #expect(filter.knownAt == moment)
        #expect(filter.fields.first?.length == field.utf8.count)
    }
}
