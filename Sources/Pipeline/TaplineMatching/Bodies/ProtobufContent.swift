// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplineProtobuf

/// Protobuf and gRPC content of responses as JSON, which is compared by path: by names where the
/// types are known, otherwise by field numbers.
struct ProtobufContent {
    /// The maximum size of a message in bytes.
    private static let maxMessage = 4 << 20

    /// The known types; `nil` if there are none.
    let schema: ProtobufSchema?
    /// The target of the request, which names the method.
    var target = ByteString()

    init(_ schema: ProtobufSchema? = nil) { self.schema = schema }

    /// Returns the JSON of a decoded body; `nil` if it is of another type, or cannot be read.
    func json(_ bytes: [UInt8], _ contentType: ByteString) -> [UInt8]? {
        let type = contentType.span
        guard let form = GRPCForm(contentType: type) else {
            return Self.isProtobuf(contentType.mediaType) ? json(bytes, as: contentType) : nil
        }
        guard form != .webText, GRPCForm.isProtobuf(contentType: type) else { return nil }
        // Compressed messages cannot be read without the field that names their encoding.
        var reader = GRPCMessageReader(
            coding: .identity,
            hasTrailers: form == .web,
            keeps: Self.maxMessage
        )
        var output: [UInt8] = [.ascii("[")]
        var consumed = 0
        while consumed < bytes.count {
            let step = reader.next(bytes.span.extracting(consumed..<bytes.count))
            consumed += step.consumed
            guard let message = step.message else { continue }
            if message.isTrailers { continue }
            guard !message.isTruncated, let view = json(message.bytes, as: contentType)
            else { return nil }
            if output.count > 1 { output.append(.ascii(",")) }
            output += view
        }
        guard reader.end() == nil, reader.problem == nil else { return nil }
        output.append(.ascii("]"))
        return output
    }

    /// Returns the JSON of a message in content of a type; `nil` if the bytes are none.
    func json(_ message: [UInt8], as contentType: ByteString) -> [UInt8]? {
        guard message.count <= Self.maxMessage,
            ProtobufReader.reads(message.span, 0..<message.count)
        else { return nil }
        var view = ProtobufView(schema)
        view.isConcise = true
        let type = schema?.messageType(
            contentType: contentType.span,
            target: target.span,
            isRequest: false
        )
        return view.json(message.span, as: type)
    }

    private static func isProtobuf(_ type: ByteString) -> Bool {
        let name = type.description
        return name.hasSuffix("protobuf") || name.hasSuffix("+proto") || name == "application/proto"
    }
}
