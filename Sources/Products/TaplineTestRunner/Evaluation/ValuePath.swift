// SPDX-License-Identifier: MIT

internal import TaplineConfig

/// The path of a value in an outcome: a message or the record, a field, and a place within it.
struct ValuePath: Sendable {
    /// The message or record that the field belongs to.
    enum Side: String, Sendable, CaseIterable {
        /// The request as the server gets it.
        case server
        /// The response as the client gets it.
        case client
        /// The request of the record.
        case request
        /// The response of the record.
        case response
        /// The record itself; its fields need no prefix.
        case record

        /// The fields of this side.
        var fields: [ObservedField] {
            switch self {
            case .server, .request: ObservedField.ofRequests
            case .client, .response: ObservedField.ofResponses
            case .record: ObservedField.ofRecords
            }
        }
    }

    /// One step into JSON.
    enum Step: Sendable, Equatable {
        case key(String)
        case index(Int)
    }

    let side: Side
    let field: ObservedField
    /// The name of a header field, a tag or similar; `nil` means all of them.
    var name: String?
    /// The steps into JSON.
    var steps: [Step] = []

    /// The path as shown in messages.
    var text: String {
        var text = side == .record ? field.name : "\(side.rawValue).\(field.name)"
        if let name { text += ".\(name)" }
        for step in steps {
            switch step {
            case .key(let key): text += ValuePath.isPlain(key) ? ".\(key)" : "[\"\(key)\"]"
            case .index(let index): text += "[\(index)]"
            }
        }
        return text
    }

    /// Whether a key needs no brackets.
    private static func isPlain(_ key: String) -> Bool {
        !key.isEmpty && !key.utf8.contains { ".[]\"".utf8.contains($0) }
    }

    /// Returns the same path with one more step into JSON.
    func appending(_ step: Step) -> ValuePath {
        var path = self
        path.steps.append(step)
        return path
    }
}

/// A field of a message or of the record.
struct ObservedField: Sendable, Equatable {
    /// The type of a field's value.
    enum Kind: Sendable {
        /// One text.
        case text
        /// A whole number.
        case number
        /// Names with texts; names are case-sensitive.
        case names
        /// Names with texts; names are case-insensitive.
        case headers
        /// JSON, or a value that is shown as JSON.
        case json
    }

    let name: String
    let kind: Kind
    let summary: String
    let example: String

    static let ofMessages = [
        ObservedField("version", .text, "The version of HTTP.", "HTTP/1.1"),
        ObservedField(
            "headers",
            .headers,
            "Header fields: a name with its text, or with the list of all its texts.",
            "{ x-team: checkout }"
        ),
        ObservedField("body", .text, "The decoded body.", "hello"),
        ObservedField(
            "json",
            .json,
            "The body as JSON: it must contain the given value and may have other keys.",
            "{ user: { id: 7 } }"
        ),
        ObservedField("trailers", .headers, "Trailer fields.", "{ digest: abc }"),
        ObservedField("size", .number, "The size of the body on the wire.", "42"),
        ObservedField(
            "truncated",
            .text,
            "Whether the body was truncated: `true` or `false`.",
            "true"
        ),
        ObservedField(
            "coding",
            .text,
            "The content coding of the stored body, or an empty text.",
            "gzip"
        ),
    ]

    static let ofRequests =
        [
            ObservedField("method", .text, "The method.", "POST"),
            ObservedField("url", .text, "The whole URL.", "https://shop.test/cart"),
            ObservedField("scheme", .text, "`http` or `https`.", "https"),
            ObservedField("host", .text, "The host.", "shop.test"),
            ObservedField("port", .number, "The port, or the default port of the scheme.", "443"),
            ObservedField("path", .text, "The path, raw and without query.", "/cart"),
            ObservedField("query", .names, "Decoded items of the query.", "{ page: 2 }"),
            ObservedField("target", .text, "The request target as it is sent.", "/cart?page=2"),
            ObservedField("form", .names, "Decoded items of a form in the body.", "{ name: Ann }"),
        ] + ofMessages

    static let ofResponses =
        [
            ObservedField("status", .number, "The status code.", "200"),
            ObservedField("reason", .text, "The reason phrase.", "OK"),
        ] + ofMessages

    static let ofRecords = [
        ObservedField("tags", .names, "Tags.", "{ team: checkout }"),
        ObservedField("state", .text, "`completed`, `failed` or `cancelled`.", "completed"),
        ObservedField("error", .json, "The error: `code` and `message`.", "{ code: aborted }"),
        ObservedField(
            "original",
            .json,
            "The values that wire hooks replaced: `method`, `url`, `status`.",
            "{ url: https://shop.test/cart }"
        ),
        ObservedField(
            "messages",
            .json,
            "WebSocket messages and events: `dir`, `type`, `text` and, if it is JSON, `json`.",
            "[{ dir: up, text: hello }]"
        ),
        ObservedField("source", .text, "The component that captured it.", "proxy"),
        ObservedField("id", .text, "The id.", "019b76da-a800-7000-8000-000000000000"),
        ObservedField("started", .text, "When it began.", "2026-01-01T00:00:00.000000Z"),
    ]

    private init(_ name: String, _ kind: Kind, _ summary: String, _ example: String) {
        self.name = name
        self.kind = kind
        self.summary = summary
        self.example = example
    }
}
