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
        case json(JSONPath, JSONChange, isInResponse: Bool)
    }

    private enum JSONChange: Sendable {
        case replace([UInt8])
        case add([UInt8])
        case remove
    }

    /// Why a change is not possible.
    package struct Refusal: Error, Sendable, CustomStringConvertible {
        package let description: String

        /// Creates a refusal.
        package init(description: String) { self.description = description }
    }

    /// The place of the change, as it was written.
    package let place: String
    /// Whether the change is one of the response.
    package let isOfResponse: Bool
    private let change: Change

    /// Checks a change.
    ///
    /// - Parameters:
    ///   - place: `request.method`, `request.url`, `request.header.NAME`, `request.body`,
    ///     `request.body.$.PATH`, `response.status`, `response.header.NAME`, `response.body` or
    ///     `response.body.$.PATH`.
    ///   - value: The new value; `nil` removes a field, or a member of JSON. At a path, JSON, or
    ///     else the text of a string.
    ///   - isNew: Whether the value at a path is a new member of its object.
    /// - Throws: `Refusal` if there is no such place, or it cannot have the value.
    package init(at place: String, value: String?, isNew: Bool = false) throws(Refusal) {
        self.place = place
        isOfResponse = place.hasPrefix("response.")
        if place == "request.url" {
            change = .url(try Self.url(value))
            return
        }
        let body = ["request.body.", "response.body."].first { place.hasPrefix("\($0)$") }
        if let body {
            guard let path = JSONPath(Array(place.utf8.dropFirst(body.utf8.count))) else {
                throw Refusal(description: "'\(place)' is not the path of a value")
            }
            let value = value.map(Self.json)
            change = .json(
                path,
                value.map { isNew ? .add($0) : .replace($0) } ?? .remove,
                isInResponse: isOfResponse
            )
            return
        }
        guard !isNew else {
            throw Refusal(
                description: "'\(place)' is not a member of JSON, and only these are added"
            )
        }
        guard let known = RulePlace(place), known.isEditable else {
            throw Refusal(
                description: place.contains(".header.")
                    ? "'\(place)' is not a valid name of a field"
                    : "there is no place '\(place)'"
            )
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
    /// - Throws: `Refusal` if it is not possible: there is no such field, or the part of a body is
    ///   not there; the exchange is as before.
    package func apply(to exchange: inout Exchange) throws(Refusal) {
        switch change {
        case .url(let request):
            exchange.request.replaceOrigin(scheme: request.scheme, authority: request.authority)
            exchange.request.replaceQuery { _ in [] }
            exchange.request.replacePath(Array(copying: request.target.span))
        case .set(let place, let value): place.set(value, in: &exchange)
        case .remove(let place):
            guard place.isThere(in: exchange) else {
                throw Refusal(description: "there is no field '\(self.place)' to remove")
            }
            place.remove(from: &exchange)
        case .json(let path, let change, let isInResponse):
            let body = isInResponse ? exchange.response?.body : exchange.request.body
            let new = try changed(body ?? Body(), path, change)
            if isInResponse {
                exchange.response?.replaceContent(new)
            } else {
                exchange.request.replaceContent(new)
            }
        }
    }

    /// The content of a body after a change at a path.
    private func changed(
        _ body: Body,
        _ path: JSONPath,
        _ change: JSONChange
    ) throws(Refusal) -> [UInt8] {
        guard !body.isTruncated else {
            throw Refusal(description: "the body was cut, so it can only be replaced as a whole")
        }
        guard let content = BodyContent.decoded(body) else {
            throw Refusal(description: "the body cannot be decoded, so it can only be replaced")
        }
        let new: [UInt8]?
        do throws(BodyTooLarge) {
            switch change {
            case .replace(let value):
                new = try JSONReplacement.replace(path, with: value, in: content)
            case .add(let value): new = try JSONMemberEdit(path, in: content)?.added(value)
            case .remove: new = JSONMemberEdit(path, in: content)?.removed()
            }
        } catch {
            throw Refusal(description: "the body would be too large")
        }
        if let new { return new }
        if case .add = change {
            throw Refusal(description: "there is no object for '\(place)', or it has one already")
        }
        guard JSONReplacement.ranges(of: path.steps[...], in: content).isEmpty else {
            throw Refusal(
                description: "only a single member of an object can be removed, and '\(place)' is "
                    + "none"
            )
        }
        throw Refusal(description: "there is no value at '\(place)'")
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

    /// Whether an exchange has the field that is to be removed.
    fileprivate func isThere(in exchange: Exchange) -> Bool {
        switch self {
        case .requestHeader(let name): exchange.request.fields.contains(name)
        case .responseHeader(let name): exchange.response?.fields.contains(name) ?? false
        default: true
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
