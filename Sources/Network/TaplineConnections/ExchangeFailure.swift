// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel
package import TaplineNet

/// Why an exchange ended without its response, and how the client is notified.
package struct ExchangeFailure: Error {
    /// The code in the record; the reference page lists the codes.
    package let code: String
    /// A sentence that contains no traffic.
    package let message: String
    /// The status of the error page for the client, if it can still get one.
    package let status: Int

    package init(code: String, message: String, status: Int = 502) {
        self.code = code
        self.message = message
        self.status = status
    }

    /// Makes the failure of a server that could not be reached, or broke the connection.
    package init(_ error: NetError) {
        let isLate = error.code == .connectTimeout || error.code == .timeout
        self.init(code: error.code.name, message: error.message, status: isLate ? 504 : 502)
    }

    /// Makes the failure of a message that cannot be read, or can be read in more than one way.
    package init(_ error: HTTPError) {
        let code = error.side == .response ? "malformed_response" : "malformed_request"
        self.init(code: code, message: "\(error)", status: error.status)
    }

    /// The server closed the connection before its response was complete.
    package static let closedEarly = ExchangeFailure(
        code: "closed_early",
        message: "the server closed the connection before its response was complete"
    )

    /// The client ended its direction within the body of its request (RFC 9112 §8).
    package static let truncatedBody = ExchangeFailure(
        code: "truncated_body",
        message: "request: the connection ended inside the body",
        status: 400
    )

    /// The client began a handshake and did not continue.
    package static let slowHandshake = ExchangeFailure(
        code: "timeout",
        message: "the client did not finish its TLS handshake"
    )

    /// The error for the record.
    package var error: ExchangeError { ExchangeError(code: code, message: message) }
}
