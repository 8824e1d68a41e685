// SPDX-License-Identifier: MIT

internal import TaplineModel

/// How a body is read for redaction.
enum BodyKind: Equatable {
    /// Nothing in it can be found by name.
    case opaque
    case json
    case form
    case multipart
    /// Server-sent events: lines of `data:`.
    case events
    /// JSON when it looks like it, otherwise text with names in it.
    case text
    /// JSON when it looks like it, otherwise left alone.
    case data
    /// No type was told: JSON when it opens an object or an array, otherwise as `text`.
    case untyped

    /// What the value of a Content-Type field means; an empty one is none.
    init(contentType: Span<UInt8>) {
        let end = contentType.firstIndex(of: .ascii(";")) ?? contentType.count
        let type = contentType.extracting(contentType.trimmed(0..<end))
        if type.isEmpty {
            self = .untyped
        } else if BodyKind.isJSON(type) {
            self = .json
        } else if type.equalsIgnoringCase("application/x-www-form-urlencoded") {
            self = .form
        } else if type.count > 10, type.extracting(0..<10).equalsIgnoringCase("multipart/") {
            self = .multipart
        } else if type.equalsIgnoringCase("text/event-stream") {
            self = .events
        } else if type.equalsIgnoringCase("text/plain")
            || type.equalsIgnoringCase("application/graphql")
            || type.equalsIgnoringCase("application/http")
        {
            self = .text
        } else if BodyKind.isData(type) {
            self = .data
        } else {
            self = .opaque
        }
    }

    /// Whether a media type is JSON, or a sequence of JSON values (RFC 6839 §3.1, RFC 7464).
    ///
    /// Its name says so: `application/x-amz-json-1.1` is as much JSON as `application/json` is.
    private static func isJSON(_ type: Span<UInt8>) -> Bool {
        guard let slash = type.firstIndex(of: .ascii("/")) else { return false }
        var start = slash + 1
        while start + 4 <= type.count {
            if type.extracting(start..<start + 4).equalsIgnoringCase("json") { return true }
            start += 1
        }
        return type.equalsIgnoringCase("application/csp-report")
    }

    /// Whether bodies of a media type are often JSON, whatever it says.
    private static func isData(_ type: Span<UInt8>) -> Bool {
        for name in [
            "application/octet-stream", "text/javascript", "application/javascript",
            "application/x-javascript",
        ] where type.equalsIgnoringCase(name) {
            return true
        }
        return false
    }
}
