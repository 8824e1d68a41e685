// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineProtobuf

/// Writes the messages of a gRPC call as a JSON array.
///
/// **Limits**: `maxCount` messages, which `limits` allows fewer fields than other views, since tables
/// take more memory of a script than text; `leftOut` counts the messages that follow.
struct GRPCMessageList {
    /// The maximum number of messages.
    private static let maxCount = 10_000
    private static let limits = {
        var limits = ProtobufLimits()
        limits.maxCallFields = 50_000
        limits.maxCallViewBytes = 4 << 20
        return limits
    }()

    /// How many messages of the last exchange are not in the list.
    private(set) var leftOut = 0
    private var view: ProtobufView

    init(_ schema: ProtobufSchema? = nil) {
        view = ProtobufView(schema, limits: Self.limits)
    }

    /// Returns the messages of an exchange: `dir`, `at_ms`, `size`, `truncated`, and the `value` if
    /// it is protobuf or text; `{"$left_out": true}` beyond a limit.
    mutating func json(of exchange: borrowing Exchange) -> [UInt8] {
        let requestType = exchange.request.contentType
        let responseType = exchange.response?.contentType ?? requestType
        var writer = JSONWriter()
        var count = 0
        leftOut = 0
        view.beginCall()
        writer.beginArray()
        for message in exchange.messages where message.type == "grpc" {
            guard count < Self.maxCount else {
                leftOut += 1
                continue
            }
            count += 1
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
