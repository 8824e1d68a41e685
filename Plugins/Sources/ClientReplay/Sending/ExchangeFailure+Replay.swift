// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineNet

extension ExchangeFailure {
    /// The exchange took too long.
    static let replayTimeout = ExchangeFailure(
        code: "timeout",
        message: "the response was not complete within 'timeout'"
    )

    /// A stage has changed a request to one that may not be sent.
    static let replayUnsafe = ExchangeFailure(
        code: "unsafe_method",
        message: "a stage has made a request that can change things on another machine"
    )

    /// The server switched protocols without being asked.
    static let replaySwitched = ExchangeFailure(
        code: "malformed_response",
        message: "the server switched protocols without being asked"
    )

    /// The server sends too many interim responses.
    static let replayTooManyInterim = ExchangeFailure(
        code: "malformed_response",
        message: "the server sent more than 32 interim responses"
    )
}

extension NetError {
    /// An inspector listens where the request would be sent.
    static let replayToInspector = NetError(
        .targetDenied,
        "the request would lead to an inspector of Tapline"
    )
}
