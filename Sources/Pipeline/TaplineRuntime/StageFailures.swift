// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// The reason that a stage failed to start.
struct StageError: Error, CustomStringConvertible {
    let id: String
    let message: String

    var description: String { "stage '\(id)' did not start: \(message)" }
}

/// The reason that a record is dropped whose record hook has not decided before a stop was due.
struct OverdueVerdict: Error, CustomStringConvertible {
    var description: String { "there was no decision within drain_timeout" }
}

extension ExchangeError {
    /// The error of an exchange whose connection a stage closed.
    static func aborted(by stage: String) -> ExchangeError {
        ExchangeError(code: "aborted", message: "aborted by stage '\(stage)'")
    }
}

extension Response {
    /// The response that is sent if a stage fails (RFC 9110 §15.6.3).
    static func badGateway(from stage: String) -> Response {
        let text = Array("stage '\(stage)' failed\n".utf8)
        return Response(
            status: 502,
            reason: "Bad Gateway",
            fields: ["Content-Type": "text/plain; charset=utf-8"],
            body: Body(text)
        )
    }
}
