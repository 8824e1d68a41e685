// SPDX-License-Identifier: MIT

/// The action that follows from an event of an exchange.
@usableFromInline package enum HTTPExchangeAction: Equatable, Sendable {
    /// Nothing.
    case none
    /// The event cannot happen in this state; a programming error of the owner.
    case impossible(Impossible)

    /// Run the `request` hooks; then `requestHooksDone`.
    case runRequestHooks(VisibleBody)
    /// Ask the client for its body (RFC 9110 §10.1.1).
    case askForBody
    /// Wait for as long as the hooks have asked; then `pauseOver`.
    case pause
    /// Find the server; then `serverConnected`, `answered`, `intercepted` or `failed`.
    case connect
    /// Send the head of the request and the waiting content; if `ends`, its end too.
    case sendRequest(ends: Bool)
    /// Close the server's connection, and open a new one to the same server; then
    /// `serverConnected`.
    case reconnect
    /// Close a connection that was opened too late.
    case abandonServer

    /// Forward the content.
    case send
    /// Keep the content until it can be forwarded.
    case hold
    /// Drop the content.
    case drop
    /// Send the end of the request.
    case endRequest

    /// Forward the interim response.
    case sendInterim
    /// Run the `response` hooks; then `responseHooksDone`.
    case runResponseHooks(VisibleBody)
    /// Write the response, with its body if that is complete; then `responseSent` or `failed`.
    case respond(isWhole: Bool)
    /// Send the waiting content; if `ends`, the response's end too, then `responseSent`.
    case sendHeld(ends: Bool)
    /// Send the end of the response; then `responseSent` or `failed`.
    case endResponse

    /// Notify the client that its tunnel is open; then `responseSent` or `failed`.
    case openTunnel
    /// Forward the response that switches to another protocol; then `responseSent` or `failed`.
    case switchProtocol
    /// Listen to the client, which has its response.
    case listen
    /// Forward bytes unchanged from now on.
    case passBytes
    /// Forward these bytes of a tunnel.
    case pass
    /// Shut down the direction to the server, or to the client.
    case shutdown(Side)

    /// Send the client an error response of the owner; then as for `finish`.
    case refuse(Ending)
    /// Record the exchange and release both connections.
    case finish(Ending)
    /// Forget the exchange, which is not recorded; the client's connection stays as it is.
    case abandon
    /// As `finish`, for a tunnel: the owner knows whether its content was complete.
    ///
    /// The side is the one that had ended its direction before.
    case endTunnel(first: Side?)

    /// The part of a body that hooks see.
    @usableFromInline package enum VisibleBody: Sendable {
        /// There is no body.
        case none
        /// The body follows after the hooks.
        case head
        /// The body exceeded the limit: only the part that has arrived.
        case part
        /// The whole body, as it arrived.
        case whole
        /// The whole body, as another hook has made it.
        case made
    }

    /// The two peers of an exchange.
    @usableFromInline package enum Side: Sendable {
        case client
        case server
    }

    /// Why an event cannot happen.
    @usableFromInline package enum Impossible: String, Sendable {
        case headPassed = "the head has already passed"
        case headWaits = "the head has not passed yet"
        case requestIsWhole = "the request is complete"
        case noHooks = "no hooks are running"
        case noPause = "no pause is in progress"
        case noServer = "no server has the request"
        case notConnecting = "no connection is being opened"
        case noResponseHead = "the response has no head yet"
        case responseHasHead = "the response already has its head"
        case responseIsWhole = "the response is complete"
        case nothingWritten = "nothing is being written to the client"
        case tunnelIsClosed = "the tunnel is not open yet"
        case halfEnded = "that side has ended its direction"
        case isTunnel = "bytes are forwarded unchanged"
        case noTunnel = "no tunnel was requested"
        case notListening = "the client of a tunnel is not being inspected"
    }

    /// The end of an exchange.
    @usableFromInline package struct Ending: Equatable, Sendable {
        /// The outcome in the record.
        @usableFromInline package var outcome: Outcome
        /// What happens to the client's connection.
        @usableFromInline package var client: ClientEnd
        /// Whether the server has sent its whole response to the whole request, so that its
        /// connection can carry another exchange.
        @usableFromInline package var isServerClean: Bool
        /// Whether the request was complete.
        @usableFromInline package var isRequestWhole: Bool
        /// The part of the response that the client has got.
        @usableFromInline package var response: ResponseProgress

        @inlinable
        package init(
            _ outcome: Outcome,
            _ client: ClientEnd,
            isServerClean: Bool = false,
            isRequestWhole: Bool = true,
            _ response: ResponseProgress
        ) {
            self.outcome = outcome
            self.client = client
            self.isServerClean = isServerClean
            self.isRequestWhole = isRequestWhole
            self.response = response
        }
    }

    /// The three ways in which an exchange ends.
    @usableFromInline package enum Outcome: Sendable {
        case completed
        case failed
        case cancelled
    }

    /// What happens to the client's connection, or to its stream.
    @usableFromInline package enum ClientEnd: Sendable {
        /// It may carry another exchange.
        case keep
        /// It closes normally.
        case close
        /// It is reset, so that half a response does not look complete.
        case reset
    }

    /// The part of a response that a client has got.
    @usableFromInline package enum ResponseProgress: Sendable {
        /// Nothing.
        case nothing
        /// The whole response, in one piece; also for a tunnel.
        case whole
        /// The whole response, as it arrived.
        case streamed
        /// A part of the response.
        case part
    }
}
