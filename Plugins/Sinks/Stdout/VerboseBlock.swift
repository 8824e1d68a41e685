// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel

/// What `verbose` shows below the line of an exchange: heads, bodies, tags and the error.
final class VerboseBlock {
    static let indent = 4
    /// The maximum number of messages shown of a stream.
    static let maxMessages = 50

    private var preview: BodyPreview

    init(maxBody: Int) { preview = BodyPreview(limit: maxBody) }

    func write(_ exchange: Exchange, to text: inout TerminalText) {
        write(exchange.request, to: &text)
        if let response = exchange.response { write(response, to: &text) }
        write(exchange.messages, to: &text)
        for tag in exchange.tags {
            text.put("  # ", .dim)
            text.tag(tag)
            text.newLine()
        }
        if let error = exchange.error {
            text.put("  ! ", .red)
            text.failure(error)
            text.newLine()
        }
        text.newLine()
    }

    private func write(_ request: Request, to text: inout TerminalText) {
        text.put("  > ", .dim)
        text.requestLine(request)
        text.newLine()
        write(request.fields, to: &text)
        preview.write(request.body, request.fields, to: &text)
        write(request.trailers, to: &text)
    }

    private func write(_ response: Response, to text: inout TerminalText) {
        for interim in response.interim {
            statusLine(response.version, interim.status, interim.reason, to: &text)
            write(interim.fields, to: &text)
        }
        statusLine(response.version, response.status, response.reason, to: &text)
        write(response.fields, to: &text)
        preview.write(response.body, response.fields, to: &text)
        write(response.trailers, to: &text)
    }

    private func statusLine(
        _ version: ByteString,
        _ status: Int,
        _ reason: ByteString,
        to text: inout TerminalText
    ) {
        text.put("  < ", .dim)
        text.statusLine(version, status, reason)
        text.newLine()
    }

    private func write(_ fields: FieldSection, to text: inout TerminalText) {
        for position in fields.indices {
            text.spaces(Self.indent)
            text.fieldName(fields.name(at: position))
            text.show(fields.value(at: position))
            text.newLine()
        }
    }

    private func write(_ messages: [StreamMessage], to text: inout TerminalText) {
        for message in messages.prefix(Self.maxMessages) {
            text.put(message.direction == .up ? "  > " : "  < ", .dim)
            text.show(message.type)
            if let code = message.code { text.put(" \(code)") }
            text.put(" \(Quantities.size(message.size ?? message.bytes.count)) ", .dim)
            if message.type != "binary" {
                let shown = min(message.bytes.count, preview.limit)
                text.show(message.bytes.span.extracting(0..<shown))
            }
            text.newLine()
        }
        if messages.count > Self.maxMessages {
            text.put("    (\(messages.count - Self.maxMessages) more messages)", .dim)
            text.newLine()
        }
    }
}
