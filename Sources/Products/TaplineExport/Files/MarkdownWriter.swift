// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineModel
package import TaplinePlugin

/// Writes exchanges for issue trackers and chats, in GitHub Flavored Markdown.
package struct MarkdownWriter: ExportWriter {
    /// The largest content that is shown whole.
    private static let maxBody = 16 << 10

    private var count = 0

    /// Creates a writer.
    package init() {}

    package mutating func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        let exchange = record.exchange
        let request = exchange.request
        count += 1
        if count > 1 { output.put("\n---\n\n") }
        let status = exchange.response.flatMap { $0.status > 0 ? " → \($0.status)" : nil }
        let title = "\(request.method) \(request.url)"
        output.line("### \(Self.code(title))\(status ?? "")\n")
        for fact in Self.facts(exchange) { output.line("- \(fact)") }
        output.line("\n**Request**\n")
        let version = request.version.isEmpty ? "" : " \(request.version)"
        var text = "\(request.method) \(request.target)\(version)\n"
        text += Self.fields(request.fields)
        text += Self.body(request.body, request.fields, "request", &losses)
        output.put(Self.fenced(text))
        if let response = exchange.response, response.status > 0 {
            output.line("\n**Response**\n")
            let version = response.version.isEmpty ? "" : "\(response.version) "
            var text = "\(version)\(response.status) \(response.reason)\n"
            text += Self.fields(response.fields)
            text += Self.body(response.body, response.fields, "response", &losses)
            output.put(Self.fenced(text))
            if !response.trailers.isEmpty { losses.count("response.trailers") }
            if !response.interim.isEmpty { losses.count("response.interim") }
        }
        if !request.trailers.isEmpty { losses.count("request.trailers") }
        if !exchange.messages.isEmpty { losses.count("messages") }
        return losses
    }

    private static func facts(_ exchange: Exchange) -> [String] {
        var facts = [
            "started \(exchange.started.rfc3339)", "id \(code(exchange.id.description))",
        ]
        if let total = exchange.timing.total { facts.append("took \(Quantities.duration(total))") }
        if exchange.state != .completed { facts.append(exchange.state.name) }
        if let error = exchange.error {
            facts.append("error \(code(error.message.isEmpty ? error.code : error.message))")
        }
        facts += exchange.tags.map { "\(code($0.name)): \(code($0.value))" }
        let notes = exchange.extra?.notes.map(\.text).filter { !$0.isEmpty } ?? []
        return facts + notes.map { "note: \(code($0))" }
    }

    private static func fields(_ fields: FieldSection) -> String {
        fields.indices.map { position in
            let name = ByteString(fields.name(at: position))
            return "\(name): \(ByteString(fields.value(at: position)))\n"
        }
        .joined()
    }

    private static func body(
        _ body: Body,
        _ fields: FieldSection,
        _ message: String,
        _ losses: inout LossReport
    ) -> String {
        guard !body.bytes.isEmpty else { return "" }
        guard let content = ReadableContent(body, fields, limit: maxBody) else {
            losses.countBody(of: message, "not decodable")
            return "\n(\(body.bytes.count) bytes that cannot be decoded)\n"
        }
        if content.isBinary { losses.countBody(of: message, "binary") }
        var text = "\n\(content.text)"
        if !text.hasSuffix("\n") { text += "\n" }
        guard !content.isWhole else { return text }
        losses.countBody(of: message, "cut")
        return text + "(the rest is not shown)\n"
    }

    /// A block of code, which backticks in the text do not end; control characters are shown as
    /// U+FFFD.
    static func fenced(_ text: String) -> String {
        let fence = String(repeating: "`", count: max(3, longestRun(text) + 1))
        return "\(fence)http\n\(visible(text))\(fence)\n"
    }

    /// Inline code on one line.
    static func code(_ text: String) -> String {
        let line = visible(text).replacing("\n", with: " ")
        let ticks = String(repeating: "`", count: longestRun(line) + 1)
        // With a backtick or space at an end, spaces around the text are removed by readers.
        let isPadded = line.hasPrefix("`") || line.hasSuffix("`") || line.isEmpty
        return isPadded ? "\(ticks) \(line) \(ticks)" : "\(ticks)\(line)\(ticks)"
    }

    private static func longestRun(_ text: String) -> Int {
        var longest = 0
        var run = 0
        for byte in text.utf8 {
            run = byte == .ascii("`") ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }

    private static func visible(_ text: String) -> String {
        var output = String.UnicodeScalarView()
        for scalar in text.replacing("\r\n", with: "\n").unicodeScalars {
            let isHidden = scalar.value < 0x20 && scalar != "\n" && scalar != "\t"
            output.append(isHidden || 0x7F...0x9F ~= scalar.value ? "\u{FFFD}" : scalar)
        }
        return String(output)
    }
}

extension LossReport {
    /// Counts a body that is not shown as recorded.
    fileprivate mutating func countBody(of message: String, _ kind: String) {
        switch (message, kind) {
        case ("request", "binary"): count("request.body (binary)")
        case ("request", "cut"): count("request.body (cut)")
        case ("request", _): count("request.body (not decodable)")
        case (_, "binary"): count("response.body (binary)")
        case (_, "cut"): count("response.body (cut)")
        default: count("response.body (not decodable)")
        }
    }
}
