// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel
internal import TaplineProtobuf

/// Protobuf and gRPC content as JSON by field numbers, which is compared by path.
enum ProtobufContent {
    /// The maximum size of a message in bytes.
    private static let maxMessage = 4 << 20

    /// Returns the JSON of a decoded body; `nil` if it is of another type, or cannot be read.
    static func json(_ bytes: [UInt8], _ contentType: ByteString) -> [UInt8]? {
        let type = contentType.span
        guard let form = GRPCForm(contentType: type) else {
            return isProtobuf(contentType.mediaType) ? json(bytes) : nil
        }
        guard form != .webText, GRPCForm.isProtobuf(contentType: type) else { return nil }
        // Compressed messages cannot be read without the field that names their encoding.
        var reader = GRPCMessageReader(
            coding: .identity,
            hasTrailers: form == .web,
            keeps: maxMessage
        )
        var output: [UInt8] = [.ascii("[")]
        var consumed = 0
        while consumed < bytes.count {
            let step = reader.next(bytes.span.extracting(consumed..<bytes.count))
            consumed += step.consumed
            guard let message = step.message else { continue }
            if message.isTrailers { continue }
            guard !message.isTruncated, let view = json(message.bytes) else { return nil }
            if output.count > 1 { output.append(.ascii(",")) }
            output += view
        }
        guard reader.end() == nil, reader.problem == nil else { return nil }
        output.append(.ascii("]"))
        return output
    }

    /// Returns the JSON of a message; `nil` if the bytes are none.
    static func json(_ message: [UInt8]) -> [UInt8]? {
        guard message.count <= maxMessage,
            ProtobufReader.reads(message.span, 0..<message.count)
        else { return nil }
        var view = ProtobufView()
        view.isConcise = true
        return view.json(message.span)
    }

    private static func isProtobuf(_ type: ByteString) -> Bool {
        let name = type.description
        return name.hasSuffix("protobuf") || name.hasSuffix("+proto") || name == "application/proto"
    }
}
