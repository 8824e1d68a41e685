// SPDX-License-Identifier: MIT

package import TaplineModel

/// Shows one exchange for people: request, response, messages, and what else is known.
///
/// Nothing from traffic reaches the terminal unescaped.
package struct ExchangePrinter: ~Copyable {
    private var bodies: BodyPrinter

    /// Creates a printer.
    ///
    /// - Parameter maxLines: The maximum number of lines of each body; `nil` for all.
    package init(maxLines: Int? = nil) { bodies = BodyPrinter(maxLines: maxLines) }

    /// Shows an exchange.
    package mutating func write(_ exchange: Exchange, to lines: inout PrettyText) {
        ExchangeFacts.writeFirst(exchange, to: &lines)
        lines.emptyLine()
        request(exchange.request, to: &lines)
        if let response = exchange.response {
            lines.emptyLine()
            let isListed = response.isEventStream && exchange.messages.contains(where: \.isEvent)
            self.response(response, isListed: isListed, to: &lines)
        }
        lines.indent = 0
        bodies.messages(exchange.messages, to: &lines)
        lines.emptyLine()
        ExchangeFacts.writeLast(exchange, to: &lines)
        lines.flush()
    }

    private mutating func request(_ request: Request, to lines: inout PrettyText) {
        lines.indent = 0
        lines.begin()
        lines.put("> ", .dim)
        lines.write { $0.requestLine(request) }
        lines.end()
        lines.indent = 2
        fields(request.fields, to: &lines)
        bodies.body(request.body, request.fields, to: &lines)
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
