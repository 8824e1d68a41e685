// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel
package import TaplineNet

/// Why an exchange ended without its response, and what the client learns of it.
package struct ExchangeFailure: Error {
    /// The word in the record; the reference page lists them.
    package let code: String
    /// A sentence without traffic.
    package let message: String
    /// The status of the page that the client gets, where it can still get one.
    package let status: Int

    package init(code: String, message: String, status: Int = 502) {
        self.code = code
        self.message = message
        self.status = status
    }

    /// The server could not be reached, or broke the connection off.
    package init(_ error: NetError) {
        let isLate = error.code == .connectTimeout || error.code == .timeout
        self.init(code: error.code.name, message: error.message, status: isLate ? 504 : 502)
    }

    /// The server's message cannot be read, or in more than one way.
    package init(_ error: HTTPError) {
        let code = error.side == .response ? "malformed_response" : "malformed_request"
        self.init(code: code, message: "\(error)", status: error.status)
    }

    /// The server closed the connection before its response was whole.
    package static let closedEarly = ExchangeFailure(
        code: "closed_early",
        message: "the server closed the connection before its response was whole"
    )

    /// The client ended its direction within the body of its request (RFC 9112 §8).
    package static let truncatedBody = ExchangeFailure(
        code: "truncated_body",
        message: "request: the connection ended inside the body",
        status: 400
    )

    /// The client began a handshake and did not go on.
    package static let slowHandshake = ExchangeFailure(
        code: "timeout",
        message: "the client did not finish its TLS handshake"
    )

    /// The record's error.
    package var error: ExchangeError { ExchangeError(code: code, message: message) }
}
