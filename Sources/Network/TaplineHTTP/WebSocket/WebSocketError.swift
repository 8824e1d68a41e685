// SPDX-License-Identifier: MIT

/// Why bytes are not valid WebSocket frames, and at which position.
///
/// The message never contains traffic. The connection has to be closed, with `closeCode` if a close
/// frame can still be sent (RFC 6455 §7.1.7).
package struct WebSocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of an error.
    package struct Code: Error, Equatable {
        /// The code as a word for programs, such as `reserved_bits`.
        package let name: String
        /// The status of a close frame: 1002, 1007 or 1009 (RFC 6455 §7.4.1).
        package let closeCode: Int
        /// The error message; contains no traffic.
        package let message: String

        /// A reserved bit is set that no negotiated extension defines (RFC 6455 §5.2).
        package static var reservedBits: Code {
            Code("reserved_bits", "a reserved bit is set that no extension defines")
        }
        /// A reserved opcode (RFC 6455 §5.2).
        package static var reservedOpcode: Code {
            Code("reserved_opcode", "the opcode is reserved")
        }
        /// A client's frame without a mask, or a server's with one (RFC 6455 §5.1).
        package static var wrongMask: Code {
            Code("wrong_mask", "frames of clients have to be masked, frames of servers must not be")
        }
        /// A fragmented control frame (RFC 6455 §5.5).
        package static var fragmentedControl: Code {
            Code("fragmented_control", "a control frame is fragmented")
        }
        /// A control frame of more than 125 bytes (RFC 6455 §5.5).
        package static var longControl: Code {
            Code("long_control", "a control frame is longer than 125 bytes")
        }
        /// A length that takes more bytes than needed, or is too large (RFC 6455 §5.2).
        package static var invalidLength: Code {
            Code("invalid_length", "the length is not encoded in the fewest bytes")
        }
        /// A frame that continues a message that has not begun (RFC 6455 §5.4).
        package static var unexpectedContinuation: Code {
            Code("unexpected_continuation", "a frame continues a message that has not begun")
        }
        /// A message that begins before the previous one has ended (RFC 6455 §5.4).
        package static var missingContinuation: Code {
            Code("missing_continuation", "a message begins before the previous one has ended")
        }
        /// A close frame with one byte, or with an invalid status (RFC 6455 §7.4).
        package static var invalidClose: Code {
            Code("invalid_close", "the close frame contains no valid status")
        }
        /// A frame after the close frame (RFC 6455 §5.5.1).
        package static var frameAfterClose: Code {
            Code("frame_after_close", "a frame follows the close frame")
        }
        /// A compressed message that cannot be decoded (RFC 7692 §7.2.2).
        package static var invalidCompression: Code {
            Code("invalid_compression", "the compressed message is damaged", closeCode: 1007)
        }
        /// A compressed message that decodes to more than the limit.
        package static var messageTooLong: Code {
            Code("message_too_long", "the message decodes to more than the limit", closeCode: 1009)
        }
        /// A frame that is longer than the limit.
        package static var frameTooLong: Code {
            Code("frame_too_long", "the frame is longer than the limit", closeCode: 1009)
        }

        private init(_ name: String, _ message: String, closeCode: Int = 1002) {
            self.name = name
            self.message = message
            self.closeCode = closeCode
        }
    }

    /// The kind of error.
    package let code: Code
    /// The number of bytes of this direction before the frame.
    package let offset: Int

    /// The error message with the position.
    package var description: String { "websocket: \(code.message); in the frame at byte \(offset)" }
}
