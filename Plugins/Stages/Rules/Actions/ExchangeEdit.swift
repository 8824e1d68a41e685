// SPDX-License-Identifier: MIT

internal import TaplineJSON
package import TaplineModel
internal import TaplineQuery

/// A change of one part of an exchange that waits; all other parts stay as they are.
package struct ExchangeEdit: Sendable {
    private enum Change: Sendable {
        case url(Request)
        case set(RulePlace, [UInt8])
        case remove(RulePlace)
        case json(JSONPath, [UInt8], isInResponse: Bool)
    }

    /// Why a change is not possible.
    package struct Refusal: Error, Sendable, CustomStringConvertible {
        package let description: String

        /// Creates a refusal.
        package init(description: String) { self.description = description }
    }

    /// Whether the change is one of the response.
    package let isOfResponse: Bool
    private let change: Change

    /// Checks a change.
    ///
    /// - Parameters:
    ///   - place: `request.method`, `request.url`, `request.header.NAME`, `request.body`,
    ///     `request.body.$.PATH`, `response.status`, `response.header.NAME`, `response.body` or
    ///     `response.body.$.PATH`.
    ///   - value: The new value; `nil` removes a field. At a path, JSON, or else the text of a
    ///     string.
    /// - Throws: `Refusal` if there is no such place, or it cannot have the value.
    package init(at place: String, value: String?) throws(Refusal) {
        isOfResponse = place.hasPrefix("response.")
        if place == "request.url" {
            change = .url(try Self.url(value))
            return
        }
        let body = ["request.body.", "response.body."].first { place.hasPrefix("\($0)$") }
        if let body {
            guard let path = JSONPath(Array(place.utf8.dropFirst(body.utf8.count))), let value
            else { throw Refusal(description: "'\(place)' is no path of a value") }
            change = .json(path, Self.json(value), isInResponse: isOfResponse)
            return
        }
        guard let known = RulePlace(place), known.isEditable else {
            throw Refusal(description: "there is no place '\(place)'")
        }
        guard let value else {
            guard known.isRemovable else {
                throw Refusal(description: "'\(place)' cannot be removed")
            }
            change = .remove(known)
            return
        }
        guard known.accepts(value) else {
            throw Refusal(description: "'\(place)' cannot have this value")
        }
        change = .set(known, Array(value.utf8))
    }

    private static func url(_ value: String?) throws(Refusal) -> Request {
        let text = Array((value ?? "").utf8)
        var request = Request()
        request.scheme = ByteString()
        request.setURL(text.span)
        let (host, _) = request.hostAndPort
        let isPlain = text.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        guard isPlain, request.scheme == "http" || request.scheme == "https", !host.isEmpty,
            !hasUserInfo(text)
        else {
            throw Refusal(
                description: "'request.url' cannot have this value; expected http://… or https://…"
            )
        }
        return request
    }

    /// Whether the authority of a URL has user information, which is no part of a request's target
    /// (RFC 9110 §4.2.4).
    private static func hasUserInfo(_ url: [UInt8]) -> Bool {
        url.drop { $0 != .ascii("/") }.drop { $0 == .ascii("/") }
            .prefix { $0 != .ascii("/") && $0 != .ascii("?") && $0 != .ascii("#") }
            .contains(.ascii("@"))
    }

    /// The value as JSON.
    private static func json(_ value: String) -> [UInt8] {
        let bytes = Array(value.utf8)
        var parser = JSONParser()
        do throws(JSONError) {
            _ = try parser.parse(bytes.span)
            return bytes
        } catch {
            return [.ascii("\"")] + JSONString.escaped(bytes) + [.ascii("\"")]
        }
    }

    /// Makes the change.
    ///
    /// - Parameter exchange: The exchange.
    /// - Returns: `false` if it is not possible: a part of a body that is not there as a whole, is
    ///   no JSON, or has no such path.
    @discardableResult
    package func apply(to exchange: inout Exchange) -> Bool {
        switch change {
        case .url(let request):
            exchange.request.replaceOrigin(scheme: request.scheme, authority: request.authority)
            exchange.request.replaceQuery { _ in [] }
            exchange.request.replacePath(Array(copying: request.target.span))
        case .set(let place, let value): place.set(value, in: &exchange)
        case .remove(let place): place.remove(from: &exchange)
        case .json(let path, let value, let isInResponse):
            let body = isInResponse ? exchange.response?.body : exchange.request.body
            guard let body, let content = BodyContent.decoded(body),
                let new = try? JSONReplacement.replace(path, with: value, in: content)
            else { return false }
            if isInResponse {
                exchange.response?.replaceContent(new)
            } else {
                exchange.request.replaceContent(new)
            }
        }
        return true
    }
}

extension RulePlace {
    /// Whether somebody may change the place of an exchange that waits.
    fileprivate var isEditable: Bool {
        switch self {
        case .method, .requestHeader, .requestBody, .status, .responseHeader, .responseBody: true
        case .path, .query, .reason, .tag: false
        }
    }

    /// Whether the place can have a value.
    fileprivate func accepts(_ value: String) -> Bool {
        switch self {
        // The server of a tunnel is chosen before the hooks run.
        case .method: RulePlace.isFieldName(value) && value.uppercased() != "CONNECT"
        case .status: Int(value).map { 200...599 ~= $0 } ?? false
        case .requestHeader, .responseHeader: !value.utf8.contains(where: \.endsField)
        default: true
        }
    }
}
