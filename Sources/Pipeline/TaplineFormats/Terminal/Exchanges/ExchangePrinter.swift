// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineProtobuf

/// Shows one exchange for people: request, response, messages, and what else is known.
///
/// Nothing from traffic reaches the terminal unescaped.
package struct ExchangePrinter: ~Copyable {
    private var bodies: BodyPrinter

    /// Creates a printer.
    ///
    /// - Parameters:
    ///   - maxLines: The maximum number of lines of each body; `nil` for all.
    ///   - schema: The types of protobuf messages.
    package init(maxLines: Int? = nil, schema: ProtobufSchema? = nil) {
        bodies = BodyPrinter(maxLines: maxLines, schema: schema)
    }

    /// Shows an exchange.
    package mutating func write(_ exchange: Exchange, to lines: inout PrettyText) {
        ExchangeFacts.writeFirst(exchange, to: &lines)
        lines.emptyLine()
        bodies.begin(exchange)
        let isUpListed = Self.isListed(exchange, .up)
        request(exchange.request, isListed: isUpListed, to: &lines)
        if let response = exchange.response {
            lines.emptyLine()
            let isListed =
                response.isEventStream && exchange.messages.contains(where: \.isEvent)
                || Self.isListed(exchange, .down)
            self.response(response, isListed: isListed, to: &lines)
        }
        lines.indent = 0
        bodies.messages(exchange.messages, to: &lines)
        lines.emptyLine()
        ExchangeFacts.writeLast(exchange, to: &lines)
        lines.flush()
    }

    /// Whether the content of a direction is in the list of messages.
    private static func isListed(
        _ exchange: Exchange,
        _ direction: StreamMessage.Direction
    ) -> Bool {
        exchange.messages.contains { $0.type == "grpc" && $0.direction == direction }
    }

    private mutating func request(
        _ request: Request,
        isListed: Bool,
        to lines: inout PrettyText
    ) {
        lines.indent = 0
        lines.begin()
        lines.put("> ", .dim)
        lines.write { $0.requestLine(request) }
        lines.end()
        lines.indent = 2
        fields(request.fields, to: &lines)
        bodies.begin(request.fields, isRequest: true)
        bodies.body(request.body, request.fields, isListed: isListed, to: &lines)
        trailers(request.trailers, to: &lines)
    }

    private mutating func response(
        _ response: Response,
        isListed: Bool,
        to lines: inout PrettyText
    ) {
        for interim in response.interim {
            statusLine(response.version, interim.status, interim.reason, to: &lines)
            fields(interim.fields, to: &lines)
            lines.emptyLine()
        }
        statusLine(response.version, response.status, response.reason, to: &lines)
        fields(response.fields, to: &lines)
        bodies.begin(response.fields, isRequest: false)
        bodies.body(response.body, response.fields, isListed: isListed, to: &lines)
        trailers(response.trailers, to: &lines)
    }

    private func statusLine(
        _ version: ByteString,
        _ status: Int,
        _ reason: ByteString,
        to lines: inout PrettyText
    ) {
        lines.indent = 0
        lines.begin()
        lines.put("< ", .dim)
        lines.write { $0.statusLine(version, status, reason) }
        lines.end()
        lines.indent = 2
    }

    private mutating func fields(_ fields: FieldSection, to lines: inout PrettyText) {
        for position in fields.indices {
            bodies.field(
                fields.name(at: position),
                fields.value(at: position),
                to: &lines
            )
        }
    }

    private mutating func trailers(_ trailers: FieldSection, to lines: inout PrettyText) {
        guard !trailers.isEmpty else { return }
        lines.emptyLine()
        lines.begin()
        lines.put("trailers", .bold)
        lines.end()
        fields(trailers, to: &lines)
    }
}
