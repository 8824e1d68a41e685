// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A part of an exchange that a rule sets or removes: `request.header.X-Debug`.
enum RulePlace: Sendable, Equatable {
    case method, path
    case query(String)
    case requestHeader(String)
    case requestBody
    case status, reason
    case responseHeader(String)
    case responseBody
    case tag(String)

    /// The forms of places, for messages.
    static let forms = [
        "request.method", "request.path", "request.query.NAME", "request.header.NAME",
        "request.body", "response.status", "response.reason", "response.header.NAME",
        "response.body", "tag.NAME",
    ]

    /// The forms of places that can be removed.
    static let removableForms = [
        "request.query.NAME", "request.header.NAME", "response.header.NAME", "tag.NAME",
    ]

    /// The pattern of places in JSON Schema.
    static let pattern =
        "^(request[.](method|path|body|query[.].+|header[.].+)"
        + "|response[.](status|reason|body|header[.].+)|tag[.].+)$"

    /// Parses a place; `nil` if the text is not one.
    init?(_ text: String) {
        switch text {
        case "request.method": self = .method
        case "request.path": self = .path
        case "request.body": self = .requestBody
        case "response.status": self = .status
        case "response.reason": self = .reason
        case "response.body": self = .responseBody
        default:
            guard let place = RulePlace.named(text) else { return nil }
            self = place
        }
    }

    private static func named(_ text: String) -> RulePlace? {
        func name(after prefix: String) -> String? {
            guard text.hasPrefix(prefix), text.utf8.count > prefix.utf8.count else { return nil }
            return String(text.dropFirst(prefix.count))
        }
        if let name = name(after: "request.query.") { return .query(name) }
        if let name = name(after: "tag.") { return .tag(name) }
        if let name = name(after: "request.header."), isFieldName(name) {
            return .requestHeader(name)
        }
        if let name = name(after: "response.header."), isFieldName(name) {
            return .responseHeader(name)
        }
        return nil
    }

    /// Whether a text can be the name of a field (RFC 9110 §5.1).
    static func isFieldName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isTokenByte)
    }

    /// The place as in the file.
    var name: String {
        switch self {
        case .method: "request.method"
        case .path: "request.path"
        case .query(let name): "request.query.\(name)"
        case .requestHeader(let name): "request.header.\(name)"
        case .requestBody: "request.body"
        case .status: "response.status"
        case .reason: "response.reason"
        case .responseHeader(let name): "response.header.\(name)"
        case .responseBody: "response.body"
        case .tag(let name): "tag.\(name)"
        }
    }

    /// Whether the place can be removed.
    var isRemovable: Bool {
        switch self {
        case .query, .requestHeader, .responseHeader, .tag: true
        default: false
        }
    }

    /// When the place is set.
    var moment: RuleAction.Moment {
        switch self {
        case .method, .path, .query, .requestHeader, .requestBody: .request
        case .status, .reason, .responseHeader, .responseBody: .response
        case .tag: .either
        }
    }
}

extension RulePlace {
    /// Sets the place; the value is already in the form that the place needs.
    func set(_ value: [UInt8], in exchange: inout Exchange) {
        switch self {
        case .method:
            if !value.isEmpty { exchange.request.method = ByteString(value) }
        case .path: exchange.request.replacePath(value)
        case .query(let name):
            exchange.request.replaceQuery { query in
                QueryItems.setting(name.utf8.span, to: value, appends: false, in: query)
            }
        case .requestHeader(let name):
            exchange.request.fields.set(name.utf8.span, to: value.span)
        case .requestBody: exchange.request.replaceContent(value)
        case .status:
            // The text was checked when the file was read.
            guard let status = Int(String(decoding: value, as: UTF8.self)) else { return }
            exchange.response?.changeStatus(status)
        case .reason: exchange.response?.reason = ByteString(value)
        case .responseHeader(let name):
            exchange.response?.fields.set(name.utf8.span, to: value.span)
        case .responseBody: exchange.response?.replaceContent(value)
        case .tag(let name): exchange.tags.set(name, to: value, RuleTagLimits.self)
        }
    }

    /// Removes the place.
    func remove(from exchange: inout Exchange) {
        switch self {
        case .query(let name):
            exchange.request.replaceQuery { query in
                QueryItems.setting(name.utf8.span, to: nil, appends: false, in: query)
            }
        case .requestHeader(let name): exchange.request.fields.removeAll(name)
        case .responseHeader(let name): exchange.response?.fields.removeAll(name)
        case .tag(let name): exchange.tags[name] = nil
        case .method, .path, .requestBody, .status, .reason, .responseBody: break
        }
    }
}

extension Response {
    /// Sets the status and its registered reason.
    fileprivate mutating func changeStatus(_ new: Int) {
        guard new != status else { return }
        status = new
        reason = ByteString(Response.reason(of: new))
    }
}

extension RulePlace {
    /// The form of values in this place.
    func form(in exchange: borrowing Exchange) -> RuleTemplate.Form {
        switch self {
        case .method, .reason, .status, .requestHeader, .responseHeader: .field
        case .path: .path
        case .requestBody: exchange.request.mediaType.isJSONMediaType ? .json : .plain
        case .responseBody:
            exchange.response?.mediaType.isJSONMediaType == true ? .json : .plain
        case .query, .tag: .plain
        }
    }
}
