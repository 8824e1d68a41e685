// SPDX-License-Identifier: MIT

package import TaplineConnections

/// What ends an exchange with a server in the pipeline, and not on the connection.
extension ExchangeFailure {
    /// A stage has changed the URL to one that names no server.
    package static let movedToNoServer = ExchangeFailure(
        code: "no_target",
        message: "a stage has sent the request to a URL that names no server",
        status: 400
    )

    /// A hook has aborted the exchange.
    package static let aborted = ExchangeFailure(code: "aborted", message: "aborted by a stage")

    /// The pipeline has stopped, and its drain timeout has expired.
    package static let stopped = ExchangeFailure(
        code: "stopped",
        message: "the pipeline stopped before the exchange ended; raise 'drain_timeout'"
    )
}
