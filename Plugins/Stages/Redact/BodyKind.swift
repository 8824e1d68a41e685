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
    /// JSON when it looks like it, otherwise left alone.
    case text
    /// No type was told: JSON when it opens an object or an array.
    case untyped

    /// What a media type, in small letters, means.
    init(_ type: ByteString) {
        let bytes = type.span
        if bytes.isEmpty {
            self = .untyped
        } else if BodyKind.isJSON(type) {
            self = .json
        } else if bytes.equals("application/x-www-form-urlencoded") {
            self = .form
        } else if bytes.equals("multipart/form-data") {
            self = .multipart
        } else if bytes.equals("text/event-stream") {
            self = .events
        } else if bytes.equals("text/plain") || bytes.equals("application/octet-stream")
            || bytes.equals("text/javascript") || bytes.equals("application/javascript")
            || bytes.equals("application/x-javascript")
        {
            self = .text
        } else {
            self = .opaque
        }
    }

    /// Whether a media type is JSON, or a sequence of JSON values.
    static func isJSON(_ type: ByteString) -> Bool {
        if type.isJSONMediaType { return true }
        for name in [
            "application/x-ndjson", "application/ndjson", "application/jsonl",
            "application/x-jsonl",
            "application/jsonlines", "application/x-jsonlines", "application/json-seq",
            "application/x-json", "text/x-json", "application/json-patch", "application/csp-report",
            "application/stream+json-seq", "application/json5",
        ] where type.span.equals(name) {
            return true
        }
        return false
    }
}
