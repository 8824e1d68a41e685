// SPDX-License-Identifier: MIT

/// Why an HTTP/2 connection has to be closed.
///
/// Send the session's output, which contains GOAWAY, then close. The message contains no traffic.
package struct HTTP2Failure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The code that the peer gets with GOAWAY.
    package let code: HTTP2ErrorCode
    /// What is wrong.
    package let message: String

    /// Makes a failure.
    package init(_ code: HTTP2ErrorCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Makes the failure of a peer that has exceeded a limit, which is an option of `proxy`.
    init(peer excess: String, than limit: (option: String, value: Int)) {
        self.init(
            .enhanceYourCalm,
            "the peer \(excess) than '\(limit.option): \(limit.value)' allows"
        )
    }

    /// The code and the message.
    package var description: String { "HTTP/2: \(message) (\(code))" }
}
