// SPDX-License-Identifier: MIT

/// Why a message is refused, where, and what to answer.
///
/// The message never shows any of the traffic. After an error the framing of the connection is not
/// known any more: answer with `status`, then close it (RFC 9112 §6.3, §9.6).
public struct HTTPError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of error it is.
    public let code: Code
    /// Whose message is wrong.
    public let side: Side
    /// The byte, counted from the first of the head or body, at or after which it is wrong.
    public let offset: Int

    /// Whose message is wrong.
    @frozen
    public enum Side: UInt8, Sendable, Equatable {
        /// The client's.
        case request
        /// The server's.
        case response
    }

    /// An error of a code.
    public init(_ code: Code, _ side: Side, at offset: Int = 0) {
        self.code = code
        self.side = side
        self.offset = offset
    }

    /// The status to answer with: 400, 414, 431, 501 or 505 where the request is wrong, 502 where
    /// the response is.
    public var status: Int { side == .response ? 502 : code.status }

    /// The code as a word for programs, such as `bare_line_feed`.
    public var name: String { code.name }

    /// What is wrong, without the place.
    public var message: String { code.message }

    /// What is wrong and where.
    public var description: String {
        "\(side == .request ? "request" : "response"): \(code.message); at byte \(offset)"
    }
}
