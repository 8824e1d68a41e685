// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineProtobuf

/// Writes the messages of a gRPC call as a JSON array.
struct GRPCMessageList {
    private var view: ProtobufView

    init(_ schema: ProtobufSchema? = nil) { view = ProtobufView(schema) }

    /// Returns the messages of an exchange: `dir`, `at_ms`, `size`, `truncated`, and the `value` if
    /// it is protobuf or text.
    mutating func json(of exchange: borrowing Exchange) -> [UInt8] {
        let requestType = exchange.request.contentType
        let responseType = exchange.response?.contentType ?? requestType
        var writer = JSONWriter()
        writer.beginArray()
        for message in exchange.messages where message.type == "grpc" {
            let isUp = message.direction == .up
            writer.beginObject()
            writer.member("dir", isUp ? "up" : "down")
            if let at = message.at {
                writer.key("at_ms")
                writer.thousandths(at.count)
            }
            if let size = message.size { writer.member("size", size) }
            writer.member("truncated", message.isTruncated)
            let type = isUp ? requestType : responseType
            if GRPCForm.isProtobuf(contentType: type.span) {
                let known = view.schema?.messageType(
                    contentType: type.span,
                    target: exchange.request.target.span,
                    isRequest: isUp
                )
                writer.key("value")
                view.write(message.bytes.span, as: known, to: &writer)
            } else {
                _ = writer.member("value", ifValid: message.bytes.span)
            }
            writer.endObject()
        }
        writer.endArray()
        return Array(copying: writer.bytes)
    }
}
