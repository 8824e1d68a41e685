// SPDX-License-Identifier: MIT

internal import TaplineConfig

/// What can be asked of an outcome: which message or the record, a field, and a place within it.
struct FactPath: Sendable {
    /// Whose field it is.
    enum Side: String, Sendable, CaseIterable {
        /// The request as the server gets it.
        case server
        /// The response as the client gets it.
        case client
        /// The request of the record.
        case request
        /// The response of the record.
        case response
        /// The record itself; its fields need no name before them.
        case record

        /// The fields that there are.
        var fields: [FactField] {
            switch self {
            case .server, .request: FactField.ofRequests
            case .client, .response: FactField.ofResponses
            case .record: FactField.ofRecords
            }
        }
    }

    /// One step into JSON.
    enum Step: Sendable, Equatable {
        case key(String)
        case index(Int)
    }

    let side: Side
    let field: FactField
    /// The name of a header, a tag and the like; nothing for all of them.
    var name: String?
    /// The way into JSON.
    var steps: [Step] = []

    /// The path as messages show it.
    var text: String {
        var text = side == .record ? field.name : "\(side.rawValue).\(field.name)"
        if let name { text += ".\(name)" }
        for step in steps {
            switch step {
            case .key(let key): text += FactPath.isPlain(key) ? ".\(key)" : "[\"\(key)\"]"
            case .index(let index): text += "[\(index)]"
            }
        }
        return text
    }

    /// Whether a key needs no brackets.
    private static func isPlain(_ key: String) -> Bool {
        !key.isEmpty && !key.utf8.contains { ".[]\"".utf8.contains($0) }
    }

    /// The same path, further into JSON.
    func appending(_ step: Step) -> FactPath {
        var path = self
        path.steps.append(step)
        return path
    }
}

/// A field of a message or of the record.
struct FactField: Sendable, Equatable {
    /// What its value is.
    enum Kind: Sendable {
        /// One text.
        case text
        /// A whole number.
        case number
        /// Names with texts; the case of names counts.
        case names
        /// Names with texts; the case of names does not count.
        case headers
        /// JSON, or what is shown as such.
        case json
    }

    let name: String
    let kind: Kind
    let summary: String
    let example: String

    static let ofMessages = [
        FactField("version", .text, "The version of HTTP.", "HTTP/1.1"),
        FactField(
            "headers",
            .headers,
            "Header fields: a name with its text, or with the list of all its texts.",
            "{ x-team: checkout }"
        ),
        FactField("body", .text, "The decoded body.", "hello"),
        FactField(
            "json",
            .json,
            "The body as JSON: what is given must be in it; other keys may be there, too.",
            "{ user: { id: 7 } }"
        ),
        FactField("trailers", .headers, "Trailer fields.", "{ digest: abc }"),
        FactField("size", .number, "The size of the body on the wire.", "42"),
        FactField("truncated", .text, "Whether the body was cut: `true` or `false`.", "true"),
        FactField("coding", .text, "How the kept body is coded; empty where it is not.", "gzip"),
    ]

    static let ofRequests =
        [
            FactField("method", .text, "The method.", "POST"),
            FactField("url", .text, "The whole URL.", "https://shop.test/cart"),
            FactField("scheme", .text, "`http` or `https`.", "https"),
            FactField("host", .text, "The host.", "shop.test"),
            FactField("port", .number, "The port, or that of the scheme.", "443"),
            FactField("path", .text, "The path, raw and without query.", "/cart"),
            FactField("query", .names, "Decoded items of the query.", "{ page: 2 }"),
            FactField("target", .text, "The request target as it is sent.", "/cart?page=2"),
            FactField("form", .names, "Decoded items of a form in the body.", "{ name: Ann }"),
        ] + ofMessages

    static let ofResponses =
        [
            FactField("status", .number, "The status code.", "200"),
            FactField("reason", .text, "The reason phrase.", "OK"),
        ] + ofMessages

    static let ofRecords = [
        FactField("tags", .names, "Tags.", "{ team: checkout }"),
        FactField("state", .text, "`completed`, `failed` or `cancelled`.", "completed"),
        FactField("error", .json, "What went wrong: `code` and `message`.", "{ code: aborted }"),
        FactField(
            "original",
            .json,
            "What wire hooks replaced: `method`, `url`, `status`.",
            "{ url: https://shop.test/cart }"
        ),
        FactField(
            "messages",
            .json,
            "WebSocket messages and events: `dir`, `type`, `text` and, where it is that, `json`.",
            "[{ dir: up, text: hello }]"
        ),
        FactField("source", .text, "The component that captured it.", "proxy"),
        FactField("id", .text, "The id.", "019b76da-a800-7000-8000-000000000000"),
        FactField("started", .text, "When it began.", "2026-01-01T00:00:00.000000Z"),
    ]

    private init(_ name: String, _ kind: Kind, _ summary: String, _ example: String) {
        self.name = name
        self.kind = kind
        self.summary = summary
        self.example = example
    }
}
