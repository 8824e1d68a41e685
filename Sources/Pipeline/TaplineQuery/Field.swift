// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The fields that a comparison can use.
package enum Field: UInt8, CaseIterable, Sendable {
    case id, source, state, method, url, scheme, host, port, path, route, query
    case status, statusClass
    case client, server, duration, started, error, correlation, contentType, tag, env
    case requestVersion, responseVersion, tlsVersion
    case requestHeader, responseHeader, requestCookie, responseCookie, requestBody, responseBody
    case requestJSON, responseJSON, json, messageText, any, requestSize, responseSize
    case bytesUp, bytesDown, grpcService, grpcMethod, grpcStatus, note, mark

    /// The type of a field's value.
    package enum Kind: Sendable {
        case text, number, size, duration, time
        /// Text or a number, as the document has it.
        case json

        /// The name in messages.
        var name: String {
            switch self {
            case .text: "text"
            case .number: "a number"
            case .size: "a size"
            case .duration: "a duration"
            case .time: "a time"
            case .json: "text or a number"
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
        case .route: "route"
        case .query: "query"
        case .status: "status"
        case .statusClass: "status_class"
        case .client: "client"
        case .server: "server"
        case .duration: "duration"
        case .started: "started"
        case .error: "error"
        case .correlation: "correlation"
        case .contentType: "content_type"
        case .tag: "tag"
        case .env: "env"
        case .requestVersion: "request.version"
        case .responseVersion: "response.version"
        case .tlsVersion: "tls.version"
        case .requestHeader: "request.header"
        case .responseHeader: "response.header"
        case .requestCookie: "request.cookie"
        case .responseCookie: "response.cookie"
        case .requestBody: "request.body"
        case .responseBody: "response.body"
        case .requestJSON: "request.json"
        case .responseJSON: "response.json"
        case .json: "json"
        case .messageText: "message.text"
        case .any: "any"
        case .requestSize: "request.size"
        case .responseSize: "response.size"
        case .bytesUp: "bytes.up"
        case .bytesDown: "bytes.down"
        case .grpcService: "grpc.service"
        case .grpcMethod: "grpc.method"
        case .grpcStatus: "grpc.status"
        case .note: "note"
        case .mark: "mark"
        }
    }

    /// Returns the field with a name.
    init?(_ name: String) {
        guard let field = Field.allCases.first(where: { $0.name == name }) else { return nil }
        self = field
    }

    package var kind: Kind {
        switch self {
        case .port, .status: .number
        case .requestSize, .responseSize, .bytesUp, .bytesDown: .size
        case .duration: .duration
        case .started: .time
        case .json, .requestJSON, .responseJSON: .json
        default: .text
        }
    }

    /// Whether the name must be followed by `["…"]`.
    var isKeyed: Bool {
        switch self {
        case .query, .tag, .env, .requestHeader, .responseHeader, .requestCookie, .responseCookie:
            true
        default: isJSON
        }
    }

    /// Whether the name is followed by a path into a JSON document.
    var isJSON: Bool { kind == .json }

    /// Whether its values compare without regard to ASCII case (RFC 9110 §4.2.3).
    package var ignoresCase: Bool { self == .host || self == .scheme }

    /// The moment from which its value is known if bodies are not buffered.
    var knownAt: FilterMoment {
        switch self {
        case .status, .statusClass, .contentType, .responseVersion, .responseHeader,
            .responseCookie, .server, .correlation:
            .response
        case .state, .duration, .error, .requestBody, .responseBody, .requestSize, .responseSize,
            .requestJSON, .responseJSON, .json, .messageText, .any, .bytesUp, .bytesDown,
            .grpcStatus:
            .end
        case .note, .mark: .store
        default: .request
        }
    }

    /// The only possible values of the field; `nil` if there are many.
    package var closedSet: [String]? {
        switch self {
        case .state: ExchangeState.allCases.map(\.name)
        case .statusClass: ["1xx", "2xx", "3xx", "4xx", "5xx"]
        default: nil
        }
    }
}
