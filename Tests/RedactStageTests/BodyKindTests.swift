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
        ("application/grpc", .grpc), ("application/grpc+proto", .grpc),
        ("application/x-unknown", .data),
        ("application/zip", .binary), ("application/pdf", .binary),
        ("application/x-protobuf", .protobuf), ("application/vnd.google.protobuf", .protobuf),
        ("application/msgpack", .binary), ("application/senml+cbor", .binary),
        ("application/x-font-ttf", .opaque), ("application/gzip", .data), ("font/woff2", .opaque),
    ])
    func mediaTypesDetermineTheKind(type: String, kind: BodyKind) {
        #expect(ContentLabel(["content-type": type], Body()).kind == kind)
        let noted = Body(bytes: [], size: nil, contentType: ByteString(type))
        #expect(ContentLabel([:], noted).kind == kind)
    }

    /// The type that a recording stores is used if it is more specific about where names are.
    @Test(arguments: [
        ("text/plain", "application/x-www-form-urlencoded", BodyKind.form),
        ("application/octet-stream", "application/json", .json),
        ("image/png", "text/html", .markup),
        ("application/json", "text/plain", .json), ("text/html", "text/csv", .markup),
        ("text/plain", "image/png", .text), ("image/png", "application/pdf", .opaque),
    ])
    func theMoreSpecificOfFieldAndRecordingWins(field: String, noted: String, kind: BodyKind) {
        let body = Body(bytes: [], size: nil, contentType: ByteString(noted))
        #expect(ContentLabel(["content-type": field], body).kind == kind)
    }

    @Test func aMissingFieldMeansNoType() {
        #expect(ContentLabel(FieldSection(), Body()).kind == .untyped)
    }
}
