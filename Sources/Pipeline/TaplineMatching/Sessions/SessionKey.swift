// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineQuery

/// A session of a recording: the requests of one user, whose order matters.
///
/// It is a hash of what makes the session, so that a million sessions need little memory.
package struct SessionID: Sendable, Hashable {
    package let value: UInt64

    package init(value: UInt64) { self.value = value }
}

/// What makes requests of a recording belong to one session.
package struct SessionKey: Sendable {
    private enum Kind {
        case off
        case automatic
        case tokens
        case client
        /// The first field that has a value.
        case first([FieldReference])
        /// The values of all fields.
        case all([FieldReference])
    }

    private let kind: Kind
    /// The key as it is written.
    package let text: String

    /// Every request is a session of its own.
    package static let off = SessionKey(kind: .off, text: "off")

    /// By tokens: an exchange that sends back a value that an earlier response handed out belongs to
    /// the session of that response; others belong to that of their connection.
    package static let automatic = SessionKey(kind: .automatic, text: "auto")

    /// By tokens only: requests without them are sessions of their own.
    package static let tokens = SessionKey(kind: .tokens, text: "tokens")

    /// By the client's address, without its port.
    package static let client = SessionKey(kind: .client, text: "client")

    private init(kind: Kind, text: String) {
        self.kind = kind
        self.text = text
    }

    /// Parses a key: `auto`, `off`, `client`, `cookie NAME`, `header NAME`, `query NAME`,
    /// `json PATH`, or fields of the filter language, separated by commas.
    ///
    /// The response that sets a cookie belongs to the session that the cookie then names.
    /// - Parameter text: The text.
    /// - Throws: `FilterError`, with the offset in the text, if it is not valid.
    package init(parsing text: String) throws(FilterError) {
        let words = text.split(whereSeparator: \.isWhitespace)
        switch (words.first, words.count) {
        case ("auto", 1): self = .automatic
        case ("off", 1): self = .off
        case ("client", 1): self = .client
        case ("cookie", 2):
            let name = SessionKey.quoted(words[1])
            let fields = "request.cookie[\(name)], response.cookie[\(name)]"
            self.init(kind: .first(try FieldReference.list(fields)), text: text)
        case ("header", 2): self = try .field("request.header", words[1], text)
        case ("query", 2): self = try .field("query", words[1], text)
        case ("json", 2): self = try .field("request.json", words[1], text)
        default: self.init(kind: .all(try FieldReference.list(text)), text: text)
        }
    }

    private static func field(
        _ field: String,
        _ name: Substring,
        _ text: String
    ) throws(FilterError) -> SessionKey {
        let fields = try FieldReference.list("\(field)[\(quoted(name))]")
        return SessionKey(kind: .first(fields), text: text)
    }

    private static func quoted(_ name: Substring) -> String {
        "\"\(name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }

    /// Whether the tokens of a request say to which session it belongs.
    var needsOwner: Bool {
        switch kind {
        case .automatic, .tokens: true
        case .off, .client, .first, .all: false
        }
    }

    /// Whether sessions are known only from a whole recording.
    package var needsRecording: Bool {
        switch kind {
        case .off, .automatic, .tokens: true
        case .client, .first, .all: false
        }
    }

    /// Whether tokens and connections make a session.
    package var isAutomatic: Bool {
        if case .automatic = kind { true } else { false }
    }

    /// Whether requests without tokens may belong to one session, too.
    package var hasSessionsWithoutTokens: Bool {
        switch kind {
        case .off, .tokens: false
        case .automatic, .client, .first, .all: true
        }
    }

    /// Returns the session of an exchange.
    ///
    /// Exchanges without a value of the key belong to the session of their client's address.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - owner: The session to which a token of the request was handed out, if one is known.
    /// - Returns: The session; `nil` if the exchange is one of its own.
    package func session(
        of exchange: borrowing Exchange,
        owner: SessionID? = nil
    ) -> SessionID? {
        var hasher = Hasher()
        switch kind {
        case .off: return nil
        case .tokens: return owner
        case .automatic:
            if let owner { return owner }
            guard !exchange.connection.client.isEmpty else { return nil }
            hasher.combine(exchange.connection.client)
        case .client: hasher.combine(exchange.connection.clientAddress)
        case .first(let fields):
            if let value = SessionKey.first(fields, exchange) {
                hasher.combine(value)
            } else {
                hasher.combine(exchange.connection.clientAddress)
            }
        case .all(let fields):
            var hasValue = false
            for field in fields {
                let value = field.value(in: exchange)
                hasValue = hasValue || value != nil
                hasher.combine(value)
            }
            if !hasValue { hasher.combine(exchange.connection.clientAddress) }
        }
        return SessionID(value: UInt64(bitPattern: Int64(hasher.finalize())))
    }

    private static func first(
        _ fields: [FieldReference],
        _ exchange: borrowing Exchange
    ) -> FilterValue? {
        for field in fields {
            if let value = field.value(in: exchange) { return value }
        }
        return nil
    }
}
