// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineModel
package import TaplinePlugin

/// Writes a script for the load generator k6, which sends the requests once for each iteration.
///
/// Requests are named by method and route, so that k6 reports them together.
package struct K6Writer: ExportWriter {
    private var count = 0

    /// Creates a writer.
    package init() {}

    private static let head = """
        import http from "k6/http";
        import encoding from "k6/encoding";
        import { check } from "k6";

        export const options = { vus: 1, iterations: 1 };

        function send(method, url, name, status, headers, body = null) {
          const params = { headers, redirects: 0, tags: { name } };
          const response = http.request(method, url, body, params);
          if (status > 0) check(response, { "status as recorded": (r) => r.status === status });
        }

        export default function () {
        """

    package mutating func start(to output: inout [UInt8]) -> LossReport {
        output.line(Self.head)
        return LossReport()
    }

    package mutating func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        let exchange = record.exchange
        guard let request = OutgoingRequest(exchange.request, &losses) else { return losses }
        losses.countMessages(of: record)
        count += 1
        let (url, isChanged) = request.url()
        if isChanged { losses.count("request.target") }
        var template: [UInt8] = []
        let path = request.target.prefix { $0 != .ascii("?") }
        PathTemplate.make(Array(path).span, into: &template)
        let name = "\(request.method) \(String(decoding: template, as: UTF8.self))"
        output.line("  \(FetchWriter.comment(request, count))")
        output.line("  send(")
        output.line("    \(SourceLiteral.javaScript(request.method)),")
        output.line("    \(SourceLiteral.javaScript(url)),")
        output.line("    \(SourceLiteral.javaScript(name)),")
        output.line("    \(exchange.response?.status ?? 0),")
        output.line("    {")
        for field in request.joinedFields(&losses) {
            guard let value = field.text else {
                losses.count("request.headers (not UTF-8)")
                continue
            }
            let name = SourceLiteral.javaScript(field.name)
            output.line("      \(name): \(SourceLiteral.javaScript(value)),")
        }
        output.line("    },")
        if !request.body.isEmpty { output.line("    \(Self.literal(request.body)),") }
        output.line("  );")
        return losses
    }

    package mutating func finish(to output: inout [UInt8]) -> LossReport {
        output.line("}")
        return LossReport()
    }

    private static func literal(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) {
            return SourceLiteral.javaScript(text)
        }
        return "encoding.b64decode(\"\(bytes.base64)\")"
    }
}
