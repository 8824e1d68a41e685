// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplinePlugin

/// The body of a request on its way from the client to the server.
struct RequestTransfer {
    /// What is kept of the body as it arrived.
    ///
    /// Like the framer, it is moved out while it is used, to avoid exclusivity checks.
    var capture = BodyCapture()
    /// Whether the exchange already holds the whole body that was sent, so that the kept bytes
    /// don't count.
    var isKnown = false
    /// Whether it is sent for the second time.
    var isRepeated = false
    var trailers = FieldSection()
    var framer = BodyFramer(.none, .request)
}

/// The response on its way from the server to the client.
struct ResponseTransfer {
    /// What is kept of the body as it arrived.
    var capture = BodyCapture()
    var trailers = FieldSection()
    /// Keeps the events, if the body is an event stream.
    var events: EventCapture?
    /// The interim responses that arrived before the response.
    var interims: [InterimResponse] = []
    /// How the server frames the body.
    var framing = BodyFraming.none
    /// Frames the body for the client.
    var framer = BodyFramer(.none, .response)
    /// Whether the response becomes an answer to later requests, as no recording answered this one.
    var isToRecord = false
    /// Whether the client's connection may carry another exchange.
    var keepsClient: Bool
}
