// SPDX-License-Identifier: MIT

/// Decompresses the messages of one direction, in order (RFC 7692 §7.2.2).
package protocol WebSocketInflater: AnyObject {
    /// Decodes a part of a message.
    ///
    /// - Parameters:
    ///   - part: The next bytes of its payload, unmasked.
    ///   - isLast: Whether the message ends with them.
    ///   - room: The number of decoded bytes that are kept; the rest is counted.
    ///   - output: Receives the decoded bytes.
    /// - Returns: The number of decoded bytes, kept or not.
    /// - Throws: Why the message cannot be decoded; later messages cannot be decoded either.
    func inflate(
        _ part: Span<UInt8>,
        isLast: Bool,
        keeping room: Int,
        appendingTo output: inout [UInt8]
    ) throws(WebSocketError.Code) -> Int
}
