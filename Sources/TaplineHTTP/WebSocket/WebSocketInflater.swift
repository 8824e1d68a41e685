// SPDX-License-Identifier: MIT

/// Undoes the compression of the messages of one direction, in order (RFC 7692 §7.2.2).
public protocol WebSocketInflater: AnyObject {
    /// Decodes a part of a message.
    ///
    /// - Parameters:
    ///   - part: The next bytes of its payload, not masked.
    ///   - isLast: Whether the message ends with them.
    ///   - room: How many decoded bytes are kept; the rest is counted.
    ///   - output: Gets the decoded bytes.
    /// - Returns: How many bytes were decoded, kept or not.
    /// - Throws: Why the message cannot be decoded; those that follow cannot be either.
    func inflate(
        _ part: Span<UInt8>,
        isLast: Bool,
        keeping room: Int,
        appendingTo output: inout [UInt8]
    ) throws(WebSocketError.Code) -> Int
}
