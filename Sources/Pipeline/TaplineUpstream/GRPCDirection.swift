// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineProtobuf

/// Reads the gRPC messages of one direction while its bytes pass.
///
/// Bytes that cannot be read pass anyway. If the place of the next message is not known, the
/// direction is no longer read.
struct GRPCDirection: ~Copyable {
    private let direction: StreamMessage.Direction
    private var reader: GRPCMessageReader
    /// Decodes gRPC-Web-Text.
    private var text: GRPCWebText?
    private var decoded: [UInt8] = []
    private var hasInvalidText = false
    /// The trailers of gRPC-Web, as lines.
    private(set) var trailers: [UInt8] = []

    private static let maxTrailers = 65_536

    /// Starts before the content.
    ///
    /// - Parameters:
    ///   - direction: The direction.
    ///   - form: The form of the content.
    ///   - fields: The fields of the message that it belongs to.
    ///   - limits: The limits of decoding a message.
    init(
        _ direction: StreamMessage.Direction,
        _ form: GRPCForm,
        _ fields: borrowing FieldSection,
        _ limits: DecodingLimits
    ) {
        self.direction = direction
        let encoding = fields.first("grpc-encoding") ?? ByteString()
        reader = GRPCMessageReader(
            coding: encoding.isEmpty ? .identity : ContentCoding(name: encoding.span),
            hasTrailers: form != .grpc,
            keeps: 0,
            // Trailers, which are short, are read even if no more messages are kept.
            keepsTrailers: Self.maxTrailers,
            limits: limits
        )
        text = form == .webText ? GRPCWebText() : nil
    }

    /// The first problem: why a message or the rest of the direction could not be read.
    var problem: String? {
        hasInvalidText ? GRPCProblem.invalidBase64.name : reader.problem?.name
    }

    /// Reads the next bytes, and keeps the messages that end with them.
    mutating func read(
        _ bytes: Span<UInt8>,
        at time: Microseconds,
        into log: inout MessageLog,
        _ memory: any CaptureMemory
    ) {
        guard !hasInvalidText, reader.failure == nil else { return }
        guard text != nil else { return readFrames(bytes, at: time, into: &log, memory) }
        decoded.removeAll(keepingCapacity: true)
        let isText = text?.decode(bytes, appendingTo: &decoded) ?? true
        // Moved out while it is read.
        let frames = exchange(&decoded, with: [])
        readFrames(frames.span, at: time, into: &log, memory)
        decoded = frames
        if !isText { hasInvalidText = true }
    }

    private mutating func readFrames(
        _ bytes: Span<UInt8>,
        at time: Microseconds,
        into log: inout MessageLog,
        _ memory: any CaptureMemory
    ) {
        var consumed = 0
        while consumed < bytes.count {
            reader.keeps = log.room(direction)
            let step = reader.next(bytes.extracting(consumed..<bytes.count))
            consumed += step.consumed
            if let message = step.message { keep(message, at: time, into: &log, memory) }
        }
    }

    /// Ends the content; a message that is incomplete is kept as far as it goes.
    mutating func end(
        at time: Microseconds,
        into log: inout MessageLog,
        _ memory: any CaptureMemory
    ) {
        if let message = reader.end() { keep(message, at: time, into: &log, memory) }
    }

    private mutating func keep(
        _ message: GRPCMessage,
        at time: Microseconds,
        into log: inout MessageLog,
        _ memory: any CaptureMemory
    ) {
        guard !message.isTrailers else {
            trailers = Array(message.bytes.prefix(Self.maxTrailers))
            return
        }
        log.append(
            StreamMessage(
                direction: direction,
                at: time,
                type: "grpc",
                bytes: message.bytes,
                size: message.wireSize,
                isTruncated: message.isTruncated
            ),
            memory
        )
    }
}
