// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineModel
package import TaplinePlugin

/// Writes one line for each record, as comma-separated values (RFC 4180) with a head.
///
/// A cell that a spreadsheet would execute as a formula gets an apostrophe before it.
package struct CSVWriter: ExportWriter {
    private static let columns = [
        "id", "source", "state", "started", "duration_ms", "method", "url", "host", "path",
        "route", "status", "content_type", "request_size", "response_size", "client", "server",
        "error", "tags",
    ]

    /// Creates a writer.
    package init() {}

    package mutating func start(to output: inout [UInt8]) -> LossReport {
        write(Self.columns, to: &output)
        return LossReport()
    }

    package mutating func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        let exchange = record.exchange
        let request = exchange.request
        let response = exchange.response
        let path = Array(copying: request.target.span.extracting(request.pathRange))
        var route: [UInt8] = []
        PathTemplate.make(path.span, into: &route)
        if !request.fields.isEmpty || response?.fields.isEmpty == false { losses.count("headers") }
        let hasBody = !request.body.bytes.isEmpty || response?.body.bytes.isEmpty == false
        if hasBody { losses.count("bodies") }
        if !exchange.messages.isEmpty { losses.count("messages") }
        let tags = exchange.tags.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        write(
            [
                exchange.id.description, exchange.source, exchange.state.name,
                exchange.started.rfc3339, exchange.timing.total.map(Self.milliseconds) ?? "",
                request.method.description, request.url.description, request.host.description,
                String(decoding: path, as: UTF8.self), String(decoding: route, as: UTF8.self),
                response.map { $0.status > 0 ? "\($0.status)" : "" } ?? "",
                response?.mediaType.description ?? "",
                request.body.size.map(String.init) ?? "",
                response?.body.size.map(String.init) ?? "",
                exchange.connection.client, exchange.connection.server,
                exchange.error?.code ?? "", tags,
            ],
            to: &output
        )
        return losses
    }

    private static func milliseconds(_ length: Microseconds) -> String {
        "\(length.milliseconds)"
    }

    private func write(_ cells: [String], to output: inout [UInt8]) {
        var line = CSVText()
        for cell in cells { line.text(cell) }
        line.endLine()
        output += line.bytes
    }
}
