// SPDX-License-Identifier: MIT

/// Why a message is refused, at which position, and the status to respond with.
///
/// The message never contains traffic. After an error the framing of the connection is lost:
/// respond with `status`, then close it (RFC 9112 §6.3, §9.6).
@usableFromInline package struct HTTPError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error.
    package let code: Code
    /// The sender of the invalid message.
    package let side: Side
    /// The offset of the byte, from the start of the head or body, at or after which it is invalid.
    package let offset: Int

    /// The sender of the invalid message.
    @frozen
    @usableFromInline package enum Side: UInt8, Sendable, Equatable {
        /// The client.
        case request
        /// The server.
        case response
    }

    /// Makes an error from its code.
    package init(_ code: Code, _ side: Side, at offset: Int = 0) {
        self.code = code
        self.side = side
        self.offset = offset
    }

    /// The status to respond with: 400, 414, 431, 501 or 505 if the request is invalid, 502 if the
    /// response is.
    package var status: Int { side == .response ? 502 : code.status }

    /// The code as a word for programs, such as `bare_line_feed`.
    package var name: String { code.name }

    /// The error message, without the position.
    package var message: String { code.message }

    /// The error message with the position.
    @usableFromInline package var description: String {
        "\(side == .request ? "request" : "response"): \(code.message); at byte \(offset)"
    }
}
