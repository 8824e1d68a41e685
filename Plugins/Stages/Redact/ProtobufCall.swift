// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineProtobuf

/// What determines the types of the protobuf messages of an exchange, as it was captured.
struct ProtobufCall {
    /// The request target.
    var target = ByteString()
    /// Whether the current message is the client's.
    var isRequest = true
    /// Whether bytes are missing at the end of the current body.
    var isTruncated = false
    /// The value of `grpc-encoding` of the current body.
    var encoding = ByteString()
}

/// How a message is read for redaction.
struct ProtobufReading {
    /// Whether values without known names are kept as far as detectors find nothing in them.
    var keepsUnnamed: Bool
    /// Whether the message may be cut at its end.
    var isCut = false
    /// Whether detectors find something in the numbers of the message.
    var hasSecretNumbers = false
}

extension Redactor {
    /// Whether values without known names are kept in content of a type.
    func keepsUnnamed(_ label: ContentLabel) -> Bool {
        !rules.limits.unreadable.masks(label.type.span)
    }

    /// The index of the type of the messages of the current body; `nil` if it is unknown.
    func messageType(_ label: ContentLabel) -> Int? {
        guard let schema = rules.schema else { return nil }
        return schema.messageType(
            contentType: label.type.span,
            target: call.target.span,
            isRequest: call.isRequest
        )
    }
}
