// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplinePlugin

/// The body of a request on its way from the client to the server.
struct RequestLeg {
    /// What is kept of it as it came.
    ///
    /// Like the framer taken out to be used, since it could not be looked at unchecked otherwise.
    var capture = BodyCapture()
    /// Whether the exchange holds the body that was sent, whole, so that the kept bytes don't count.
    var isKnown = false
    var trailers = FieldSection()
    var framer = BodyFramer(.none, .request)
}

/// The response on its way from the server to the client.
struct ResponseLeg {
    /// What is kept of the body as it came.
    var capture = BodyCapture()
    var trailers = FieldSection()
    /// What is kept of its events, if it is a stream of them.
    var events: EventCapture?
    /// The interim responses that have come before it.
    var interims: [InterimResponse] = []
    /// How the server has framed the body.
    var framing = BodyFraming.none
    /// Frames it for the client.
    var framer = BodyFramer(.none, .response)
    /// Whether the client's connection may carry another exchange.
    var keepsClient: Bool
}
