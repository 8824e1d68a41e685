// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineProtobuf

/// Reads the messages of a gRPC call in both directions while their bytes pass, and keeps them and
/// the final status for the record.
///
/// The bytes are forwarded unchanged, whatever they contain.
///
/// **Units**: up to `limit` bytes of messages a direction, and up to `max_messages` messages.
final class GRPCCapture {
    private var up: GRPCDirection
    private var down: GRPCDirection?
    private var log: MessageLog
    private let limits: DecodingLimits

    /// Starts with the request's content.
    init(
        _ form: GRPCForm,
        _ fields: borrowing FieldSection,
        _ settings: ProxySettings,
        limit: Int
    ) {
        limits = DecodingLimits(maxOutputBytes: settings.maxDecodedMessage)
        up = GRPCDirection(.up, form, fields, limits)
        log = MessageLog(maxCount: settings.maxMessages, limit: limit)
    }

    /// The bytes that are counted in the memory of the client.
    var keptBytes: Int { log.held }

    /// Starts the response's content, if it contains messages.
    func begin(_ response: borrowing Response) {
        guard down == nil, !response.isContentCoded, let form = GRPCCall.form(response.fields)
        else { return }
        down = GRPCDirection(.down, form, response.fields, limits)
    }

    /// Reads the next bytes of a direction.
    func read(
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
    func fill(_ exchange: inout Exchange, at time: Microseconds, _ memory: any CaptureMemory) {
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

extension ProxyExchange {
    /// Starts reading the messages of the request, if it is a gRPC call.
    ///
    /// Whether it will be recorded is not known yet, as for the bytes of the body.
    func beginGRPC() {
        guard let form = GRPCCall.form(held.exchange.request.fields) else { return }
        grpc = GRPCCapture(
            form,
            held.exchange.request.fields,
            worker.settings,
            limit: captureMaxBytes
        )
    }

    /// Starts reading the messages of the response, after its head was written.
    ///
    /// If the whole body is available, all messages are read.
    func beginGRPCResponse(isWhole: Bool) {
        guard let grpc, let response = held.exchange.response else { return }
        grpc.begin(response)
        if isWhole { read(response.body.bytes.span, .down, by: grpc) }
    }

    /// Reads content that passes.
    func read(
        _ content: Span<UInt8>,
        _ direction: StreamMessage.Direction,
        by grpc: GRPCCapture
    ) {
        grpc.read(content, direction, at: sinceBegun, client.memory)
    }
}
