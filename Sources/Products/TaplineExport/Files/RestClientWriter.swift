// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineModel
package import TaplinePlugin

/// Writes `.http` files, which the REST clients of JetBrains and Visual Studio Code send.
///
/// The format has no escapes: content that it would read as something else is left out.
package struct RestClientWriter: ExportWriter {
    private var count = 0

    /// Creates a writer.
    package init() {}

    package mutating func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        guard let request = OutgoingRequest(record.exchange.request, &losses) else { return losses }
        losses.countMessages(of: record)
        count += 1
        if count > 1 { output.line("") }
        let (url, isChanged) = request.url(encoding: "{}")
        if isChanged { losses.count("request.target") }
        output.line("##\(ShellCommand.comment(request, count))")
        output.line("# @no-redirect")
        output.line("# @no-cookie-jar")
        output.line("\(request.method) \(url)")
        for field in request.fields {
            guard let value = field.text else {
                losses.count("request.headers (not UTF-8)")
                continue
            }
            if value.contains("{{") { losses.count("request.headers ({{ }})") }
            output.line("\(field.name): \(value)")
        }
        guard !request.body.isEmpty else { return losses }
        if let text = Self.text(request.body, &losses) {
            output.line("\n\(text)")
        } else {
            output.line("\n# The body cannot be written in this format.")
        }
        return losses
    }

    /// The content as lines of the file; `nil` if it would be read differently.
    private static func text(_ body: [UInt8], _ losses: inout LossReport) -> String? {
        guard let text = String(validating: body, as: UTF8.self), !text.hasControls else {
            losses.count("request.body (not text)")
            return nil
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard !lines.contains(where: isReserved) else {
            losses.count("request.body (reserved line)")
            return nil
        }
        if text.contains("{{") { losses.count("request.body ({{ }})") }
        // Clients remove empty lines around the content.
        if lines.first == "" || lines.last == "" { losses.count("request.body (line ends)") }
        return text
    }

    /// Whether a line separates requests, is a comment, names a file or begins a script.
    private static func isReserved(_ line: Substring) -> Bool {
        ["#", "//", "< ", "<@", "> ", ">> ", "<> "].contains { line.hasPrefix($0) }
            || line == "<" || line == ">"
    }
}
