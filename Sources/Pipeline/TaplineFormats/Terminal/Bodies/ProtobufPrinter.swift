// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplineProtobuf

/// What determines the types of the protobuf messages of an exchange.
struct ProtobufCall {
    var view = ProtobufView()
    var target = ByteString()
    var requestType = ByteString()
    var responseType = ByteString()
    /// Whether the current body is the request's.
    var isRequest = true
    /// The value of `grpc-encoding` of the current body.
    var encoding = ByteString()

    /// The index of the type of the current body's messages; `nil` if it is unknown.
    func type(_ contentType: ByteString) -> Int? {
        view.schema?.messageType(
            contentType: contentType.span,
            target: target.span,
            isRequest: isRequest
        )
    }
}

/// Shows protobuf messages as JSON.
extension ContentPrinter {
    /// The maximum kept size of a message of a body.
    private static let maxMessage = 64 << 20

    mutating func protobuf(
        _ bytes: Span<UInt8>,
        _ contentType: ByteString,
        _ isWhole: Bool,
        _ lines: inout PrettyText
    ) {
        guard !bytes.isEmpty else { return }
        var reader = ProtobufReader(0..<bytes.count)
        let begins = (try? reader.next(in: bytes)) != nil
        let isMessage = ProtobufReader.reads(bytes, 0..<bytes.count)
        // A stage may have put text in its place.
        if !isMessage, isWhole, ProtobufReadings(bytes, depth: 0).isText || !begins {
            return Self.text(bytes, to: &lines)
        }
        let view = call.view.json(bytes, as: call.type(contentType))
        json(view.span, isDeclared: true, true, &lines)
    }

    /// Shows a body of gRPC messages.
    mutating func grpc(
        _ bytes: Span<UInt8>,
        _ contentType: ByteString,
        _ isWhole: Bool,
        _ lines: inout PrettyText
    ) {
        let form = GRPCForm(contentType: contentType.span)
        guard form == .webText else {
            return frames(bytes, contentType, hasTrailers: form == .web, isWhole, &lines)
        }
        var decoder = GRPCWebText()
        var content: [UInt8] = []
        let isText = decoder.decode(bytes, appendingTo: &content)
        frames(content.span, contentType, hasTrailers: true, isWhole, &lines)
        if !isText { lines.note("the rest is not base64", .yellow) }
    }

    private mutating func frames(
        _ bytes: Span<UInt8>,
        _ contentType: ByteString,
        hasTrailers: Bool,
        _ isWhole: Bool,
        _ lines: inout PrettyText
    ) {
        var reader = GRPCMessageReader(
            coding: call.encoding.isEmpty ? .identity : ContentCoding(name: call.encoding.span),
            hasTrailers: hasTrailers,
            keeps: Self.maxMessage
        )
        var consumed = 0
        var number = 0
        while consumed < bytes.count, !lines.isDone {
            let step = reader.next(bytes.extracting(consumed..<bytes.count))
            consumed += step.consumed
            guard let message = step.message ?? (consumed == bytes.count ? reader.end() : nil)
            else { continue }
            number += 1
            show(message, number, contentType, &lines)
        }
        guard let problem = reader.failure else { return }
        if number == 0 { Self.text(bytes, to: &lines) }
        lines.note(isWhole ? "not gRPC from here: \(problem.name)" : "cut off here", .yellow)
    }

    private mutating func show(
        _ message: GRPCMessage,
        _ number: Int,
        _ contentType: ByteString,
        _ lines: inout PrettyText
    ) {
        lines.begin()
        lines.put(message.isTrailers ? "trailers" : "message \(number)", .bold)
        lines.put(" \(Quantities.size(message.wireSize))", .dim)
        if message.isCompressed { lines.put(" in \(call.encoding)", .dim) }
        lines.end()
        if let problem = message.problem { lines.note("damaged: \(problem.name)", .yellow) }
        if message.isTrailers {
            Self.text(message.bytes.span, to: &lines)
        } else {
            content(message.bytes.span, contentType, !message.isTruncated, &lines)
        }
    }

    /// Shows the content of a message: protobuf, or what the suffix of the type names.
    private mutating func content(
        _ bytes: Span<UInt8>,
        _ contentType: ByteString,
        _ isWhole: Bool,
        _ lines: inout PrettyText
    ) {
        guard !bytes.isEmpty else { return lines.note("an empty message") }
        if GRPCForm.isProtobuf(contentType: contentType.span) {
            protobuf(bytes, contentType, isWhole, &lines)
        } else {
            message(bytes, isWhole: isWhole, to: &lines)
        }
    }

    /// Shows a message that was captured while it streamed.
    mutating func grpcMessage(_ message: StreamMessage, to lines: inout PrettyText) {
        call.isRequest = message.direction == .up
        let type = call.isRequest ? call.requestType : call.responseType
        content(message.bytes.span, type, !message.isTruncated, &lines)
    }
}
