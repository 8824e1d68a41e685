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
    /// JSON when it looks like it, otherwise as if no type was told.
    case data
    /// HTML or XML.
    case markup
    /// Values by columns, whose names stand in the first line.
    case csv
    /// JavaScript: JSON in a call, or names with values in quotes.
    case script
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
        } else if type.equalsIgnoringCase("application/octet-stream") {
            self = .data
        } else if BodyKind.isScript(type) {
            self = .script
        } else if BodyKind.isMarkup(type) {
            self = .markup
        } else if type.equalsIgnoringCase("text/csv")
            || type.equalsIgnoringCase("text/tab-separated-values")
        {
            self = .csv
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

    private static func isScript(_ type: Span<UInt8>) -> Bool {
        for name in [
            "text/javascript", "application/javascript", "application/x-javascript",
            "application/ecmascript",
        ] where type.equalsIgnoringCase(name) {
            return true
        }
        return false
    }

    /// HTML, XML, and what is XML by its suffix (RFC 7303 §8): `image/svg+xml`.
    private static func isMarkup(_ type: Span<UInt8>) -> Bool {
        for name in ["text/html", "text/xml", "application/xml", "application/xml-dtd"]
        where type.equalsIgnoringCase(name) {
            return true
        }
        return type.count > 4
            && type.extracting(type.count - 4..<type.count).equalsIgnoringCase("+xml")
    }
}
