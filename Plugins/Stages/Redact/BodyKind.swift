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
        } else if type.equalsIgnoringCase("multipart/form-data") {
            self = .multipart
        } else if type.equalsIgnoringCase("text/event-stream") {
            self = .events
        } else if type.equalsIgnoringCase("text/plain") {
            self = .text
        } else if BodyKind.isData(type) {
            self = .data
        } else {
            self = .opaque
        }
    }

    /// What the fields of a message say of its body.
    init(_ fields: borrowing FieldSection) {
        guard let position = fields.firstIndex(of: "content-type") else {
            self = .untyped
            return
        }
        self.init(contentType: fields.value(at: position))
    }

    /// Whether a media type is JSON, or a sequence of JSON values (RFC 6839 §3.1, RFC 7464).
    private static func isJSON(_ type: Span<UInt8>) -> Bool {
        if type.equalsIgnoringCase("application/json") { return true }
        let suffix = type.extracting(max(0, type.count - 5)..<type.count)
        if suffix.equalsIgnoringCase("+json") || suffix.equalsIgnoringCase("/json") { return true }
        for name in [
            "application/x-ndjson", "application/ndjson", "application/jsonl",
            "application/x-jsonl", "application/jsonlines", "application/x-jsonlines",
            "application/json-seq", "application/x-json", "text/x-json", "application/csp-report",
            "application/json5",
        ] where type.equalsIgnoringCase(name) {
            return true
        }
        return suffix.equalsIgnoringCase("n-seq") && type.count > 9
            && type.extracting(type.count - 9..<type.count).equalsIgnoringCase("+json-seq")
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
