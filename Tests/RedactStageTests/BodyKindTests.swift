// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import RedactStage

@Suite struct BodyKindTests {
    @Test(arguments: [
        ("application/json", BodyKind.json), ("Application/JSON; charset=utf-8", .json),
        ("text/json", .json), ("application/vnd.api+json", .json), ("application/x-ndjson", .json),
        ("application/json-seq", .json), ("application/geo+json-seq", .json),
        ("application/x-www-form-urlencoded;charset=x", .form), ("multipart/form-data", .multipart),
        ("text/event-stream", .events), ("text/plain", .text), ("", .untyped), (" ;", .untyped),
        ("application/octet-stream", .data), ("text/javascript", .script), ("text/html", .markup),
        ("image/png", .opaque), ("application/soap+xml", .markup), ("image/svg+xml", .markup),
        ("text/csv; header=present", .csv), ("application/xml", .markup),
        ("json", .data), ("text/markdown", .text), ("text/yaml", .text), ("text/css", .opaque),
        ("application/yaml", .text), ("application/openapi+yaml", .text), ("message/rfc822", .text),
        ("application/grpc+proto", .data), ("application/x-unknown", .data),
        ("application/zip", .opaque), ("font/woff2", .opaque),
    ])
    func mediaTypesDecide(type: String, kind: BodyKind) {
        #expect(ContentLabel(["content-type": type]).kind == kind)
    }

    @Test func withoutAFieldThereIsNoType() {
        #expect(ContentLabel(FieldSection()).kind == .untyped)
    }
}
