// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineCrypto
internal import TaplineModel
internal import TaplineProtobuf

/// Shows bodies and messages: decoded, by their kind, with what is missing.
struct BodyPrinter: ~Copyable {
    /// The limits of decoded content; larger content is shown up to there.
    private static let limits = DecodingLimits(
        maxOutputBytes: 256 << 20,
        maxRatio: 0,
        maxZstdWindowLog: 27
    )

    /// The maximum number of lines of a body; `nil` for all.
    private let maxLines: Int?
    private var content = ContentPrinter()

    init(maxLines: Int?, schema: ProtobufSchema? = nil) {
        self.maxLines = maxLines
        content.call.view = ProtobufView(schema)
    }

    /// Notes what determines the types of protobuf messages.
    mutating func begin(_ exchange: borrowing Exchange) {
        content.call.view.beginCall()
        content.call.target = exchange.request.target
        content.call.requestType = exchange.request.contentType
        content.call.responseType = exchange.response?.contentType ?? ByteString()
    }

    /// Notes whose body is shown next.
    mutating func begin(_ fields: FieldSection, isRequest: Bool) {
        content.call.isRequest = isRequest
        content.call.encoding = fields.first("grpc-encoding") ?? ByteString()
    }

    /// Shows a field, with the signatures of tokens masked.
    mutating func field(
        _ name: Span<UInt8>,
        _ value: Span<UInt8>,
        to lines: inout PrettyText
    ) {
        lines.begin()
        lines.show(name, .cyan)
        lines.put(": ")
        content.fieldValue(value, to: &lines)
        lines.end()
        content.endField(to: &lines)
    }

    /// Shows a body, and a line about its size, coding and missing parts.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - fields: The fields of its message.
    ///   - isListed: Whether its content is in the list of messages.
    ///   - lines: The text to add to.
    mutating func body(
        _ body: Body,
        _ fields: FieldSection,
        isListed: Bool = false,
        to lines: inout PrettyText
    ) {
        guard !body.isAbsent else { return }
        lines.emptyLine()
        if isListed {
            lines.note("its messages are listed below; '--body' writes all of it")
            return
        }
        let decoded = DecodedContent(body, limits: Self.limits)
        if !decoded.bytes.isEmpty {
            lines.limit(maxLines)
            content.write(
                decoded.bytes.span,
                body.contentType(fields),
                isWhole: !body.isTruncated && decoded.failure == nil,
                to: &lines
            )
            endLimit(&lines)
        }
        if let failure = decoded.failure, !(body.isTruncated && failure.code == .truncated) {
            let rest = decoded.bytes.isEmpty ? "the body" : "the rest"
            lines.note("\(rest) cannot be decoded; \(failure)", .yellow)
        }
        lines.note(Self.facts(of: body, decoded), body.isTruncated ? .yellow : .dim)
    }

    private func endLimit(_ lines: inout PrettyText) {
        let isCut = lines.isCut
        lines.limit(nil)
        if isCut, let maxLines { lines.note("not all is shown: --lines \(maxLines)") }
    }

    /// `4.1 KiB in gzip, 12.3 KiB decoded`.
    private static func facts(of body: Body, _ decoded: DecodedContent) -> String {
        var facts: [String] = []
        let codings = ContentCoding.list(body.coding.span).map(\.name).joined(separator: ", ")
        if let size = body.shownSize {
            facts.append(Quantities.size(size) + (codings.isEmpty ? "" : " in \(codings)"))
        } else if !codings.isEmpty {
            facts.append(codings)
        }
        if let size = body.decodedSize {
            facts.append("\(Quantities.size(size)) decoded")
        } else if !codings.isEmpty, decoded.failure == nil {
            facts.append("\(Quantities.size(decoded.bytes.count)) decoded")
        }
        if body.bytes.isEmpty {
            facts.append("not kept")
        } else if body.isTruncated {
            facts.append("truncated: only the first \(Quantities.size(body.bytes.count)) are kept")
        } else if let size = body.size, size != body.bytes.count {
            facts.append("\(Quantities.size(body.bytes.count)) kept")
        }
        if body.isHashed, !body.bytes.isEmpty {
            facts.append("sha256 of the kept bytes: \(SHA256.hash(body.bytes.span).hex)")
        }
        return facts.joined(separator: "; ")
    }

    // MARK: Messages

    /// Shows WebSocket messages and server-sent events as a list.
    mutating func messages(_ messages: [StreamMessage], to lines: inout PrettyText) {
        guard !messages.isEmpty else { return }
        lines.emptyLine()
        lines.begin()
        lines.put("messages", .bold)
        lines.put(" (\(messages.count))", .dim)
        lines.end()
        lines.limit(maxLines)
        for message in messages {
            if lines.isDone { break }
            self.message(message, to: &lines)
        }
        endLimit(&lines)
    }

    private mutating func message(_ message: StreamMessage, to lines: inout PrettyText) {
        lines.begin()
        lines.put(message.direction == .up ? "> " : "< ", .dim)
        lines.show(message.type, .bold)
        if !message.event.isEmpty {
            lines.put(" ")
            lines.show(message.event)
        }
        if !message.eventID.isEmpty {
            lines.put(" id ", .dim)
            lines.show(message.eventID)
        }
        if let code = message.code { lines.put(" \(code)") }
        if let at = message.at { lines.put(" at \(Self.moment(at))", .dim) }
        lines.put(" \(Quantities.size(message.size ?? message.bytes.count))", .dim)
        if message.isTruncated {
            let kept = Quantities.size(message.bytes.count)
            lines.put(" (truncated: only the first \(kept) are kept)", .yellow)
        }
        lines.end()
        guard !message.bytes.isEmpty else { return }
        lines.indent += 4
        if message.type == "grpc" {
            content.grpcMessage(message, to: &lines)
        } else if message.type == "binary" {
            content.binaryMessage(message.bytes.span, to: &lines)
        } else {
            content.message(message.bytes.span, isWhole: !message.isTruncated, to: &lines)
        }
        lines.indent -= 4
    }

    /// A time relative to the start, which may be negative.
    private static func moment(_ at: Microseconds) -> String {
        guard at.count < 0 else { return Quantities.duration(at) }
        let (size, overflow) = Int64(0).subtractingReportingOverflow(at.count)
        return "-" + Quantities.duration(Microseconds(overflow ? .max : size))
    }
}
