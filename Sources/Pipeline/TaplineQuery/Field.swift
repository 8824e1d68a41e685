// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The fields that a comparison can use.
enum Field: UInt8, CaseIterable, Sendable {
    case id, source, state, method, url, scheme, host, port, path, query
    case status, statusClass
    case client, server, duration, started, error, contentType, tag, env
    case requestVersion, responseVersion, tlsVersion
    case requestHeader, responseHeader, requestBody, responseBody, requestSize, responseSize
    case bytesUp, bytesDown

    /// The type of a field's value.
    enum Kind: Sendable {
        case text, number, size, duration, time

        /// The name in messages.
        var name: String {
            switch self {
            case .text: "text"
            case .number: "a number"
            case .size: "a size"
            case .duration: "a duration"
            case .time: "a time"
            }
        }
    }

    /// The name in filters.
    var name: String {
        switch self {
        case .id: "id"
        case .source: "source"
        case .state: "state"
        case .method: "method"
        case .url: "url"
        case .scheme: "scheme"
        case .host: "host"
        case .port: "port"
        case .path: "path"
        case .query: "query"
        case .status: "status"
        case .statusClass: "status_class"
        case .client: "client"
        case .server: "server"
        case .duration: "duration"
        case .started: "started"
        case .error: "error"
        case .contentType: "content_type"
        case .tag: "tag"
        case .env: "env"
        case .requestVersion: "request.version"
        case .responseVersion: "response.version"
        case .tlsVersion: "tls.version"
        case .requestHeader: "request.header"
        case .responseHeader: "response.header"
        case .requestBody: "request.body"
        case .responseBody: "response.body"
        case .requestSize: "request.size"
        case .responseSize: "response.size"
        case .bytesUp: "bytes.up"
        case .bytesDown: "bytes.down"
        }
    }

    /// Returns the field with a name.
    init?(_ name: String) {
        guard let field = Field.allCases.first(where: { $0.name == name }) else { return nil }
        self = field
    }

    var kind: Kind {
        switch self {
        case .port, .status: .number
        case .requestSize, .responseSize, .bytesUp, .bytesDown: .size
        case .duration: .duration
        case .started: .time
        default: .text
        }
    }

    /// Whether the name must be followed by `["…"]`.
    var isKeyed: Bool {
        switch self {
        case .query, .tag, .env, .requestHeader, .responseHeader: true
        default: false
        }
    }

    /// Whether its values compare without regard to ASCII case (RFC 9110 §4.2.3).
    var ignoresCase: Bool { self == .host || self == .scheme }

    /// The moment from which its value is known if bodies are not buffered.
    var knownAt: FilterMoment {
        switch self {
        case .status, .statusClass, .contentType, .responseVersion, .responseHeader, .server:
            .response
        case .state, .duration, .error, .requestBody, .responseBody, .requestSize, .responseSize,
            .bytesUp, .bytesDown:
            .end
        default: .request
        }
    }

    /// The only possible values of the field; `nil` if there are many.
    var closedSet: [String]? {
        switch self {
        case .state: ExchangeState.allCases.map(\.name)
        case .statusClass: ["1xx", "2xx", "3xx", "4xx", "5xx"]
        default: nil
        }
    }
}
