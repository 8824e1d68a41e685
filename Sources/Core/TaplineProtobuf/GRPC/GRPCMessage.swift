// SPDX-License-Identifier: MIT

/// A message of a gRPC stream, decoded.
package struct GRPCMessage: Sendable, Hashable {
    /// The message as far as it was kept.
    package var bytes: [UInt8]
    /// The size of the message on the wire in bytes, possibly compressed, without its head.
    package var wireSize: Int
    /// Whether it was compressed.
    package var isCompressed: Bool
    /// Whether bytes are missing at the end.
    package var isTruncated: Bool
    /// Whether these are the trailers of gRPC-Web, as lines.
    package var isTrailers: Bool
    /// Why the message could not be decoded; its bytes are then what precedes the damage.
    package var problem: GRPCProblem?
}

/// Why a message of gRPC content, or the rest of the content, cannot be read.
package struct GRPCProblem: Error, Sendable, Hashable {
    /// The name in tags.
    package let name: String

    /// A head has unknown flags.
    package static let invalidFrame = GRPCProblem(name: "invalid_frame")
    /// A compressed message without a declared encoding, or with one that is not supported.
    package static let unknownEncoding = GRPCProblem(name: "unknown_encoding")
    /// A compressed message cannot be decoded.
    package static let invalidCompression = GRPCProblem(name: "invalid_compression")
    /// The content of gRPC-Web-Text is not base64.
    package static let invalidBase64 = GRPCProblem(name: "invalid_base64")
    /// More content follows the trailers of gRPC-Web.
    package static let dataAfterTrailers = GRPCProblem(name: "data_after_trailers")
    /// The content ends within a message.
    package static let truncated = GRPCProblem(name: "truncated")
}
