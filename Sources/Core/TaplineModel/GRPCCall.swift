// SPDX-License-Identifier: MIT

/// The form of gRPC messages in a body, by its content type.
package enum GRPCForm: Sendable {
    /// Frames only; the status is in the trailers ("gRPC over HTTP2").
    case grpc
    /// Frames, of which the last one contains the trailers ("gRPC Web").
    case web
    /// The same in base64.
    case webText

    /// Interprets a Content-Type value: `application/grpc`, `application/grpc+proto`,
    /// `application/grpc-web+json`; `nil` for other types.
    package init?(contentType: Span<UInt8>) {
        let end = contentType.firstIndex(of: .ascii(";")) ?? contentType.count
        let type = contentType.extracting(contentType.trimmed(0..<end))
        guard type.starts(withIgnoringCase: "application/grpc") else { return nil }
        let rest = type.extracting(16..<type.count)
        let suffix = rest.firstIndex(of: .ascii("+")) ?? rest.count
        let kind = rest.extracting(0..<suffix)
        if kind.isEmpty {
            self = .grpc
        } else if kind.equalsIgnoringCase("-web") {
            self = .web
        } else if kind.equalsIgnoringCase("-web-text") {
            self = .webText
        } else {
            return nil
        }
    }

    /// Whether messages of a type are protobuf: the type has no suffix, or `+proto`.
    package static func isProtobuf(contentType: Span<UInt8>) -> Bool {
        let end = contentType.firstIndex(of: .ascii(";")) ?? contentType.count
        let type = contentType.extracting(contentType.trimmed(0..<end))
        guard let plus = type.firstIndex(of: .ascii("+")) else { return true }
        return type.extracting(plus..<type.count).equalsIgnoringCase("+proto")
    }
}

/// The gRPC call that an exchange is.
package enum GRPCCall {
    /// The tag that sources set to the name of the final status.
    package static let statusTag = "grpc.status"
    /// The tag that sources set to the message of the final status, decoded.
    package static let messageTag = "grpc.message"

    /// The names of status codes by their numbers (gRPC, "Status codes and their use in gRPC").
    package static let statusNames = [
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
        "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
        "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
        "UNAUTHENTICATED",
    ]

    /// Returns the name of a status code as in `grpc-status`; an unknown number stays a number, and
    /// anything else is `nil`.
    package static func statusName(_ value: Span<UInt8>) -> String? {
        guard !value.isEmpty, value.count <= 10, let number = value.decimal else { return nil }
        return number < statusNames.count ? statusNames[number] : "\(number)"
    }

    /// The form of the request's content; `nil` if the exchange is not a gRPC call.
    package static func form(_ exchange: borrowing Exchange) -> GRPCForm? {
        form(exchange.request.fields)
    }

    /// The form of content with these fields.
    package static func form(_ fields: borrowing FieldSection) -> GRPCForm? {
        guard let position = fields.firstIndex(of: "Content-Type") else { return nil }
        return GRPCForm(contentType: fields.value(at: position))
    }

    /// The ranges of service and method in a path: `/shop.v1.Orders/Get`; a prefix may precede
    /// them.
    package static func parts(
        _ path: Span<UInt8>
    ) -> (service: Range<Int>, method: Range<Int>)? {
        guard let last = path.lastIndex(of: .ascii("/")), last > 0 else { return nil }
        let head = path.extracting(0..<last)
        let start = head.lastIndex(of: .ascii("/")).map { $0 + 1 } ?? 0
        guard start < last, last + 1 < path.count else { return nil }
        return (start..<last, last + 1..<path.count)
    }

    /// The names of service and method in the target of a request.
    package static func names(
        _ request: borrowing Request
    ) -> (service: String, method: String)? {
        let path = request.target.span.extracting(request.pathRange)
        return parts(path).map { parts in
            let service = ByteString(path.extracting(parts.service))
            return ("\(service)", "\(ByteString(path.extracting(parts.method)))")
        }
    }

    /// What the record states about the call.
    private static func facts(_ exchange: borrowing Exchange) -> GRPCFacts? {
        exchange.hasExtra ? exchange.extra?.grpc : nil
    }

    /// The service of a call: `shop.v1.Orders`.
    package static func service(_ exchange: borrowing Exchange) -> ByteString? {
        if let facts = facts(exchange), !facts.service.isEmpty { return ByteString(facts.service) }
        return part(exchange) { $0.service }
    }

    /// The method of a call: `Get`.
    package static func method(_ exchange: borrowing Exchange) -> ByteString? {
        if let facts = facts(exchange), !facts.method.isEmpty { return ByteString(facts.method) }
        return part(exchange) { $0.method }
    }

    private static func part(
        _ exchange: borrowing Exchange,
        _ select: ((service: Range<Int>, method: Range<Int>)) -> Range<Int>
    ) -> ByteString? {
        guard form(exchange) != nil else { return nil }
        let path = exchange.request.target.span.extracting(exchange.request.pathRange)
        return parts(path).map { ByteString(path.extracting(select($0))) }
    }

    /// The name of the final status: as the record states it, or else from the trailers, or from
    /// the fields of a response without messages.
    package static func status(_ exchange: borrowing Exchange) -> String? {
        let facts = facts(exchange)
        guard facts != nil || form(exchange) != nil else { return nil }
        if !exchange.tags.isEmpty, let status = exchange.tags[statusTag] { return status }
        if let status = facts?.status { return statusName("\(status)".utf8.span) }
        return exchange.response.flatMap { value("grpc-status", $0) }.flatMap {
            statusName($0.span)
        }
    }

    /// The message of the final status, percent-decoded; `nil` if there is none.
    package static func message(_ exchange: borrowing Exchange) -> String? {
        let facts = facts(exchange)
        guard facts != nil || form(exchange) != nil else { return nil }
        if !exchange.tags.isEmpty, let message = exchange.tags[messageTag] { return message }
        if let message = facts?.message, !message.isEmpty { return message }
        return exchange.response.flatMap { value("grpc-message", $0) }.map { decoded($0.span) }
    }

    /// Returns what the path, the trailers and the fields of an exchange state about the call.
    package static func facts(of exchange: borrowing Exchange) -> GRPCFacts {
        let status = exchange.response.flatMap { value("grpc-status", $0) }
        let message = exchange.response.flatMap { value("grpc-message", $0) }
        return GRPCFacts(
            service: service(exchange).map { "\($0)" } ?? "",
            method: method(exchange).map { "\($0)" } ?? "",
            status: status.flatMap { $0.count <= 10 ? $0.span.decimal : nil },
            message: message.map { decoded($0.span) } ?? ""
        )
    }

    /// Adds a call to its exchange: what is known of it, and the tags with its final status.
    package static func note(_ facts: GRPCFacts, in exchange: inout Exchange) {
        var extra = exchange.extra ?? ExchangeExtra()
        extra.grpc = facts
        exchange.extra = extra
        let status = facts.status.flatMap { statusName("\($0)".utf8.span) }
        if let status { exchange.tags[statusTag] = status }
        if !facts.message.isEmpty { exchange.tags[messageTag] = facts.message }
    }

    /// Adds the call to an exchange that is one.
    package static func note(in exchange: inout Exchange) {
        guard form(exchange) != nil else { return }
        note(facts(of: exchange), in: &exchange)
    }

    /// Returns the text of a `grpc-message` value.
    package static func decoded(_ message: Span<UInt8>) -> String {
        String(decoding: PercentEncoding.decode(message, plusIsSpace: false), as: UTF8.self)
    }

    /// Returns the value of a field in the trailers, or else in the fields (Trailers-Only).
    private static func value(_ name: StaticString, _ response: borrowing Response) -> ByteString? {
        let name = name.description
        return response.trailers.first(name) ?? response.fields.first(name)
    }
}
