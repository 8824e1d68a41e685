// SPDX-License-Identifier: MIT

internal import TaplineModel

/// What a comparison can look at.
enum Field: UInt8, CaseIterable, Sendable {
    case id, source, state, method, url, scheme, host, port, path, query
    case status, statusClass
    case client, server, duration, started, error, contentType, tag, env
    case requestVersion, responseVersion, tlsVersion
    case requestHeader, responseHeader, requestBody, responseBody, requestSize, responseSize
    case bytesUp, bytesDown

    /// What kind of value a field has.
    enum Kind: Sendable {
        case text, number, size, duration, time

        /// The word for messages.
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

    /// The field of a name.
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

    /// Whether the name is followed by `["…"]`.
    var isKeyed: Bool {
        switch self {
        case .query, .tag, .env, .requestHeader, .responseHeader: true
        default: false
        }
    }

    /// Whether ASCII letters of either case are equal in its values (RFC 9110 §4.2.3).
    var ignoresCase: Bool { self == .host || self == .scheme }

    /// When its value can be known, bodies not being buffered.
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

    /// The only values that a field can have, where these are few.
    var closedSet: [String]? {
        switch self {
        case .state: ExchangeState.allCases.map(\.name)
        case .statusClass: ["1xx", "2xx", "3xx", "4xx", "5xx"]
        default: nil
        }
    }
}
