// SPDX-License-Identifier: MIT

/// Why a message is refused, at which position if that is known, and the status to respond with.
///
/// The message never contains traffic. After an error the framing of the connection is lost:
/// respond with `status`, then close it (RFC 9112 §6.3, §9.6).
@usableFromInline package struct HTTPError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error.
    package let code: Code
    /// The sender of the invalid message.
    package let side: Side
    /// The offset of the byte, from the start of the head or body, at or after which it is invalid;
    /// `nil` if it is unknown, as in HTTP/2.
    package let offset: Int?
    /// The error message; contains no traffic but names of fields.
    package let message: String

    /// The sender of the invalid message.
    @frozen
    @usableFromInline package enum Side: UInt8, Sendable, Equatable {
        /// The client.
        case request
        /// The server.
        case response
    }

    /// Makes an error from its code.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - side: The sender of the invalid message.
    ///   - offset: The position, if it is known.
    ///   - message: A message that says more than that of the code.
    package init(_ code: Code, _ side: Side, at offset: Int? = nil, _ message: String? = nil) {
        self.code = code
        self.side = side
        self.offset = offset
        self.message = message ?? code.message
    }

    /// The status to respond with: 400, 414, 431, 501 or 505 if the request is invalid, 502 if the
    /// response is.
    package var status: Int { side == .response ? 502 : code.status }

    /// The code as a word for programs, such as `bare_line_feed`.
    package var name: String { code.name }

    /// The error message with the position.
    @usableFromInline package var description: String {
        let place = offset.map { "; at byte \($0)" } ?? ""
        return "\(side == .request ? "request" : "response"): \(message)\(place)"
    }
}
