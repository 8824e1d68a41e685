// SPDX-License-Identifier: MIT

/// What follows from an event of an exchange.
@usableFromInline package enum HTTPExchangeAction: Equatable, Sendable {
    /// Nothing.
    case none
    /// The event cannot happen in this state; a mistake of the owner.
    case impossible(Impossible)

    /// Run the `request` hooks; then `requestHooksDone`.
    case runRequestHooks(Seen)
    /// Ask the client for its body (RFC 9110 §10.1.1).
    case askForBody
    /// Wait as long as the hooks have asked for; then `pauseOver`.
    case pause
    /// Find the server; then `serverConnected`, `intercepted` or `failed`.
    case connect
    /// Send the head of the request and the content that waits; if `ends`, its end too.
    case sendRequest(ends: Bool)
    /// Give up the server's connection, and open a new one to it; then `serverConnected`.
    case reconnect
    /// Close a connection that came too late.
    case abandonServer

    /// Send the content on.
    case send
    /// Keep the content until it can go on.
    case hold
    /// Drop the content.
    case drop
    /// Send the end of the request.
    case endRequest

    /// Pass the interim response on.
    case sendInterim
    /// Run the `response` hooks; then `responseHooksDone`.
    case runResponseHooks(Seen)
    /// Write the response, with its body if it is whole; then `responseSent` or `failed`.
    case respond(isWhole: Bool)
    /// Send the content that waits; if `ends`, the response's end too, then `responseSent`.
    case sendHeld(ends: Bool)
    /// Send the end of the response; then `responseSent` or `failed`.
    case endResponse

    /// Tell the client that its tunnel is open; then `responseSent` or `failed`.
    case openTunnel
    /// Pass on the response that switches to another protocol; then `responseSent` or `failed`.
    case switchProtocol
    /// Listen to the client, which has its answer.
    case listen
    /// Pass bytes as they are from here on.
    case passBytes
    /// Pass these bytes of a tunnel.
    case pass
    /// End the direction to the server, or to the client.
    case shutdown(Side)

    /// Tell the client in a response of the owner's what has failed; then as `finish`.
    case refuse(Ending)
    /// Record the exchange and let go of both connections.
    case finish(Ending)
    /// As `finish`, for a tunnel: the owner knows whether what it carried was at its end. The side
    /// is the one that had ended its direction before.
    case endTunnel(first: Side?)

    /// How much of a body hooks see.
    @usableFromInline package enum Seen: Sendable {
        /// There is none.
        case none
        /// It follows after the hooks.
        case head
        /// It was too large to be waited for: the part that has come.
        case part
        /// All of it, as it came.
        case whole
        /// All of it, as another hook has made it.
        case made
    }

    /// The two peers of an exchange.
    @usableFromInline package enum Side: Sendable {
        case client
        case server
    }

    /// Why an event cannot happen.
    @usableFromInline package enum Impossible: String, Sendable {
        case headPassed = "the head has passed already"
        case headWaits = "the head has not passed yet"
        case requestIsWhole = "the request is whole"
        case noHooks = "no hooks run"
        case noPause = "nothing pauses"
        case noServer = "no server has the request"
        case notConnecting = "no connection is being opened"
        case noResponseHead = "the response has no head yet"
        case responseHasHead = "the response has its head already"
        case responseIsWhole = "the response is whole"
        case nothingWritten = "nothing is being written to the client"
        case tunnelIsClosed = "the tunnel is not open yet"
        case halfEnded = "that side has ended its direction"
        case isTunnel = "bytes pass as they are"
        case noTunnel = "no tunnel is asked for"
        case notListening = "the client of a tunnel is not listened to"
    }

    /// How an exchange has ended.
    @usableFromInline package struct Ending: Equatable, Sendable {
        /// What the record says.
        @usableFromInline package var outcome: Outcome
        /// What becomes of the client's connection.
        @usableFromInline package var client: ClientEnd
        /// Whether the server has said all of its response to all of the request, so that its
        /// connection can carry another exchange.
        @usableFromInline package var isServerClean: Bool
        /// Whether the request had come to its end.
        @usableFromInline package var isRequestWhole: Bool
        /// What the client has got.
        @usableFromInline package var response: Passed

        @inlinable
        package init(
            _ outcome: Outcome,
            _ client: ClientEnd,
            isServerClean: Bool = false,
            isRequestWhole: Bool = true,
            _ response: Passed
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

    /// What becomes of the client's connection, or of its stream.
    @usableFromInline package enum ClientEnd: Sendable {
        /// It may carry another exchange.
        case keep
        /// It ends in order.
        case close
        /// It breaks, so that half a response does not look whole.
        case reset
    }

    /// What a client has got of a response.
    @usableFromInline package enum Passed: Sendable {
        /// Nothing.
        case nothing
        /// All of it, in one piece; a tunnel's, too.
        case whole
        /// All of it, as it came.
        case streamed
        /// A part of it.
        case part
    }
}
