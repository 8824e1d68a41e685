// SPDX-License-Identifier: MIT

package import TaplineCodings
package import TaplineModel
package import TaplinePlugin
internal import TaplineProtobuf

/// Reads the messages of a gRPC call in both directions while their bytes pass, and keeps them and
/// the final status for the record.
///
/// The bytes are forwarded unchanged, whatever they contain.
///
/// **Units**: up to `limit` bytes of messages a direction, and up to `maxCount` messages.
package final class GRPCCapture {
    private var up: GRPCDirection
    private var down: GRPCDirection?
    private var log: MessageLog
    private let limits: DecodingLimits

    /// Starts with the request's content.
    ///
    /// - Parameters:
    ///   - form: The form of the request's content.
    ///   - fields: The fields of the request.
    ///   - limits: The limits of decoding a message.
    ///   - maxCount: The maximum number of kept messages.
    ///   - limit: The maximum number of kept bytes in each direction.
    package init(
        _ form: GRPCForm,
        _ fields: borrowing FieldSection,
        _ limits: DecodingLimits,
        maxCount: Int,
        limit: Int
    ) {
        self.limits = limits
        up = GRPCDirection(.up, form, fields, limits)
        log = MessageLog(maxCount: maxCount, limit: limit)
    }

    /// The bytes that are counted in the memory.
    package var keptBytes: Int { log.held }

    /// Starts the response's content, if it contains messages.
    package func begin(_ response: borrowing Response) {
        guard down == nil, !response.isContentCoded, let form = GRPCCall.form(response.fields)
        else { return }
        down = GRPCDirection(.down, form, response.fields, limits)
    }

    /// Reads the next bytes of a direction.
    package func read(
        _ content: Span<UInt8>,
        _ direction: StreamMessage.Direction,
        at time: Microseconds,
        _ memory: any CaptureMemory
    ) {
        if direction == .up {
            up.read(content, at: time, into: &log, memory)
        } else {
            down?.read(content, at: time, into: &log, memory)
        }
    }

    /// Adds the kept messages, the final status and the problems, if any, to the record.
    package func fill(
        _ exchange: inout Exchange,
        at time: Microseconds,
        _ memory: any CaptureMemory
    ) {
        up.end(at: time, into: &log, memory)
        down?.end(at: time, into: &log, memory)
        log.fill(&exchange)
        var facts = GRPCCall.facts(of: exchange)
        let lines = trailers()
        if let status = lines.first("grpc-status") {
            facts.status = status.count <= 10 ? status.span.decimal : nil
        }
        if let text = lines.first("grpc-message") { facts.message = GRPCCall.decoded(text.span) }
        GRPCCall.note(facts, in: &exchange)
        let problems = [up.problem.map { "up: \($0)" }, down?.problem.map { "down: \($0)" } ?? nil]
            .compactMap(\.self)
        if !problems.isEmpty { exchange.tags["tapline.grpc"] = problems.joined(separator: ", ") }
    }

    /// The trailers of gRPC-Web.
    private func trailers() -> FieldSection {
        var fields = FieldSection()
        guard let bytes = down?.trailers, !bytes.isEmpty else { return fields }
        let lines = bytes.span
        var start = 0
        while start < lines.count {
            let end = lines.firstIndex(of: 0x0A, from: start) ?? lines.count
            let isCRLF = end > start && lines[end - 1] == 0x0D
            let line = lines.extracting(lines.trimmed(start..<(isCRLF ? end - 1 : end)))
            if let colon = line.firstIndex(of: .ascii(":")) {
                let value = line.trimmed(colon + 1..<line.count)
                fields.append(
                    name: line.extracting(0..<colon),
                    value: line.extracting(value)
                )
            }
            start = end + 1
        }
        return fields
    }
}

extension Response {
    /// Whether the content is coded as a whole, apart from its messages.
    fileprivate var isContentCoded: Bool {
        guard let coding = fields.first("Content-Encoding") else { return false }
        return !ContentCoding.list(coding.span).isEmpty
    }
}
