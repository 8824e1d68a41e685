// SPDX-License-Identifier: MIT

/// Why bytes are not the WebSocket frames that were expected, and where.
///
/// The message never shows any of the traffic. The connection is to be closed, with `closeCode`
/// where a close frame can still be sent (RFC 6455 §7.1.7).
public struct WebSocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of error it is.
    public struct Code: Error, Equatable {
        /// The code as a word for programs, such as `reserved_bits`.
        public let name: String
        /// The status of a close frame: 1002, 1007 or 1009 (RFC 6455 §7.4.1).
        public let closeCode: Int
        /// What is wrong; shows none of the traffic.
        public let message: String

        /// A reserved bit is set that no extension gives a meaning (RFC 6455 §5.2).
        public static var reservedBits: Code {
            Code("reserved_bits", "a reserved bit is set that no extension gives a meaning")
        }
        /// An opcode that is reserved (RFC 6455 §5.2).
        public static var reservedOpcode: Code {
            Code("reserved_opcode", "the opcode is reserved")
        }
        /// A client's frame without a mask, or a server's with one (RFC 6455 §5.1).
        public static var wrongMask: Code {
            Code("wrong_mask", "frames of clients are masked, those of servers are not")
        }
        /// A control frame in fragments (RFC 6455 §5.5).
        public static var fragmentedControl: Code {
            Code("fragmented_control", "a control frame is not the only one of its message")
        }
        /// A control frame of more than 125 bytes (RFC 6455 §5.5).
        public static var longControl: Code {
            Code("long_control", "a control frame is longer than 125 bytes")
        }
        /// A length in more bytes than it needs, or one that does not fit (RFC 6455 §5.2).
        public static var invalidLength: Code {
            Code("invalid_length", "the length does not take the fewest bytes that hold it")
        }
        /// A frame that goes on with a message that did not begin (RFC 6455 §5.4).
        public static var unexpectedContinuation: Code {
            Code("unexpected_continuation", "a frame goes on with a message that did not begin")
        }
        /// A message that begins before the one before ended (RFC 6455 §5.4).
        public static var missingContinuation: Code {
            Code("missing_continuation", "a message begins before the one before has ended")
        }
        /// A close frame with one byte, or with a status that may not be sent (RFC 6455 §7.4).
        public static var invalidClose: Code {
            Code("invalid_close", "the close frame holds no status that may be sent")
        }
        /// A frame after the close frame (RFC 6455 §5.5.1).
        public static var frameAfterClose: Code {
            Code("frame_after_close", "a frame follows the close frame")
        }
        /// A compressed message that cannot be decoded (RFC 7692 §7.2.2).
        public static var invalidCompression: Code {
            Code("invalid_compression", "the compressed message is damaged", closeCode: 1007)
        }
        /// A compressed message that decodes to more than the limit.
        public static var messageTooLong: Code {
            Code("message_too_long", "the message decodes to more than the limit", closeCode: 1009)
        }
        /// A frame that is longer than the limit.
        public static var frameTooLong: Code {
            Code("frame_too_long", "the frame is longer than the limit", closeCode: 1009)
        }

        private init(_ name: String, _ message: String, closeCode: Int = 1002) {
            self.name = name
            self.message = message
            self.closeCode = closeCode
        }
    }

    /// What kind of error it is.
    public let code: Code
    /// The bytes of this direction that came before the frame.
    public let offset: Int

    /// What is wrong and where.
    public var description: String { "websocket: \(code.message); in the frame at byte \(offset)" }
}
