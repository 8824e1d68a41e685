// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineModel
package import TaplinePlugin

/// Writes files of GoReplay (`.gor`).
///
/// **Shape**: each message is a line with kind, id, time and latency, the message as in HTTP/1.1,
/// and a line with three monkeys. Lengths are those of the recorded content.
/// **Source**: GoReplay, "Saving and replaying from file".
package struct GorWriter: ExportWriter {
    /// The line between messages, with the line feeds around it.
    static let separator = Array("\n🐵🙈🙉\n".utf8)

    /// Creates a writer.
    package init() {}

    package mutating func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        var losses = LossReport()
        let exchange = record.exchange
        guard let request = OutgoingRequest(exchange.request, &losses) else { return losses }
        losses.countMessages(of: record)
        if request.scheme == "https" { losses.count("request.scheme") }
        let id = Self.id(exchange.id)
        let start = Self.nanoseconds(exchange.started.microseconds)
        var message: [UInt8] = []
        message.put("\(request.method) ")
        // A target with white space would not be read as one.
        message +=
            request.target.contains { $0 <= 0x20 }
            ? Array(TargetText.encoded(request.target).utf8) : request.target
        message.put(" HTTP/1.1\r\n")
        if !request.contains("Host") { message.put("Host: \(request.authority)\r\n") }
        for field in request.fields {
            message.put("\(field.name): ")
            message += field.value
            message.put("\r\n")
        }
        if request.hasContent { message.put("Content-Length: \(request.body.count)\r\n") }
        message.put("\r\n")
        message += request.body
        write(message, "1 \(id) \(start) 0", &losses, to: &output)
        guard let response = exchange.response, response.status > 0 else { return losses }
        let latency = Self.nanoseconds(exchange.timing.total?.count ?? 0)
        let (end, isOver) = start.addingReportingOverflow(latency)
        let line = "2 \(id) \(isOver ? start : end) \(latency)"
        write(Self.message(response, exchange.request, &losses), line, &losses, to: &output)
        return losses
    }

    private func write(
        _ message: [UInt8],
        _ line: String,
        _ losses: inout LossReport,
        to output: inout [UInt8]
    ) {
        // GoReplay would read the rest as another message.
        let text = message + [0x0A]
        if text.span.firstIndex(of: Self.separator.span, in: 0..<text.count) != nil {
            losses.count("message (separator)")
            return
        }
        output.line(line)
        output += message
        output += Self.separator
    }

    private static func message(
        _ response: Response,
        _ request: Request,
        _ losses: inout LossReport
    ) -> [UInt8] {
        var message: [UInt8] = []
        let reason =
            response.reason.isEmpty
            ? Response.reason(of: response.status) : response.reason.description
        message.put("HTTP/1.1 \(response.status) \(reason)\r\n")
        let body = response.body
        let isDecoded = !body.bytes.isEmpty && body.coding.isEmpty
        for position in response.fields.indices {
            let name = response.fields.name(at: position)
            let isFraming =
                name.equalsIgnoringCase("Content-Length")
                || name.equalsIgnoringCase("Transfer-Encoding")
            let isCoding = isDecoded && name.equalsIgnoringCase("Content-Encoding")
            if isFraming || isCoding || name.isEmpty || name[0] == .ascii(":") { continue }
            message.append(copying: name)
            message.put(": ")
            message.append(copying: response.fields.value(at: position))
            message.put("\r\n")
        }
        if body.isTruncated { losses.count("response.body.truncated") }
        if !response.trailers.isEmpty { losses.count("response.trailers") }
        if !response.interim.isEmpty { losses.count("response.interim") }
        if Response.allowsContent(response.status, isHead: request.method == "HEAD") {
            message.put("Content-Length: \(body.bytes.count)\r\n")
        }
        message.put("\r\n")
        return message + body.bytes
    }

    /// 24 hexadecimal digits, as GoReplay's own ids have: the last ones, since the first ones of
    /// ids of the same time are equal.
    private static func id(_ id: ExchangeID) -> String {
        String(id.description.filter { $0 != "-" }.suffix(24))
    }

    private static func nanoseconds(_ microseconds: Int64) -> Int64 {
        let (product, isOver) = microseconds.multipliedReportingOverflow(by: 1000)
        return isOver ? .max : product
    }
}
