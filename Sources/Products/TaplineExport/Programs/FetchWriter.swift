// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineModel
package import TaplinePlugin

/// Writes a JavaScript program that sends the requests with `fetch`, for Node.js and browsers.
///
/// Browsers additionally refuse to set some fields, such as `Cookie`, `Host` and `User-Agent`.
package struct FetchWriter: ExportWriter {
    private var count = 0

    /// Creates a writer.
    package init() {}

    private static let head = """
        async function send(method, url, headers, body) {
          const options = { method, headers, body, redirect: "manual" };
          const response = await fetch(url, options);
          const size = (await response.arrayBuffer()).byteLength;
          console.log(method, url, response.status, size);
          return response;
        }

        // Bytes, since fetch would add a content type for text.
        const text = (value) => new TextEncoder().encode(value);
        const base64 = (value) => Uint8Array.from(atob(value), (unit) => unit.charCodeAt(0));

        async function main() {
        """

    package mutating func start(to output: inout [UInt8]) -> LossReport {
        output.line(Self.head)
        return LossReport()
    }

    package mutating func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        guard let request = OutgoingRequest(record.exchange.request, &losses) else { return losses }
        guard !["TRACE", "TRACK"].contains(request.method.uppercased()) else {
            losses.count("request (method)")
            return losses
        }
        losses.countMessages(of: record)
        countMethod(request, &losses)
        count += 1
        let (url, isChanged) = request.url(encoding: "'")
        if isChanged || TargetText.hasEmptyQuery(request.target) { losses.count("request.target") }
        output.line("  \(Self.comment(request, count))")
        output.line("  await send(")
        output.line("    \(SourceLiteral.javaScript(request.method)),")
        output.line("    \(SourceLiteral.javaScript(url)),")
        output.line("    [")
        for field in request.joinedFields(&losses) where !field.isRefusedByFetch(&losses) {
            // Values are bytes: a string of code units up to 0xFF.
            let value = String(String.UnicodeScalarView(field.value.map(Unicode.Scalar.init)))
            let name = SourceLiteral.javaScript(field.name)
            output.line("      [\(name), \(SourceLiteral.javaScript(value))],")
        }
        output.line("    ],")
        if !request.body.isEmpty, !request.isBodyRefusedByFetch {
            output.line("    \(Self.literal(request.body)),")
        }
        output.line("  );")
        return losses
    }

    package mutating func finish(to output: inout [UInt8]) -> LossReport {
        output.line("}\n\nmain();")
        return LossReport()
    }

    private func countMethod(_ request: OutgoingRequest, _ losses: inout LossReport) {
        // Fetch standard, "normalize a method".
        let normalized = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"]
        let upper = request.method.uppercased()
        if normalized.contains(upper), upper != request.method { losses.count("request.method") }
        if request.isBodyRefusedByFetch { losses.count("request.body (GET)") }
    }

    static func comment(_ request: OutgoingRequest, _ number: Int) -> String {
        "//" + ShellCommand.comment(request, number).dropFirst()
    }

    /// Bytes as an expression.
    static func literal(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) {
            return "text(\(SourceLiteral.javaScript(text)))"
        }
        return "base64(\"\(bytes.base64)\")"
    }
}

extension OutgoingRequest.Field {
    /// Whether Node.js refuses or replaces the field; counts it in that case.
    fileprivate func isRefusedByFetch(_ losses: inout LossReport) -> Bool {
        switch name.lowercased() {
        case "expect": losses.count("request.headers (expect)")
        case "host": losses.count("request.headers (host)")
        default: return false
        }
        return true
    }
}

extension OutgoingRequest {
    /// Whether `fetch` refuses the content (Fetch standard, constructor of Request).
    var isBodyRefusedByFetch: Bool {
        !body.isEmpty && ["GET", "HEAD"].contains(method.uppercased())
    }
}
