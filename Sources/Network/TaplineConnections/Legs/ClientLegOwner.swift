// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel
package import TaplineNet

/// Handles the input of a client.
///
/// A leg holds its owner until the connection has closed.
///
/// **Isolation**: the leg's loop.
package protocol ClientLegOwner: AnyObject {
    /// Whether the next request has to wait; the owner later calls `goOn`.
    var holdsBack: Bool { get }
    /// Whether the client has to wait before it sends more of its request.
    var isRequestBlocked: Bool { get }
    /// Whether a client that sends no more before it has its response counts as disconnected.
    var endsWithInput: Bool { get }
    /// Handles the head of a request; no other one is read until `exchangeEnded`.
    func received(_ head: consuming RequestHead)
    /// Handles content of the request; not empty.
    func received(content: Span<UInt8>)
    /// Handles the end of the request.
    func requestEnded(_ trailers: FieldSection)
    /// Handles bytes of a tunnel.
    ///
    /// - Returns: Whether the bytes were forwarded; if not, the owner has called `tunnelOpened`,
    ///   and they are read as requests.
    func received(tunnel bytes: Span<UInt8>) -> Bool
    /// Handles that the client accepts more output, after it had not.
    func clientDrained()
    /// Handles the end of the requested time.
    ///
    /// - Returns: When to call again; `nil` if the exchange has ended.
    func timeIsUp() -> Microseconds?
    /// Handles any other event.
    func received(_ event: ClientLeg.Event)
    /// Handles the end of the connection; called once, last.
    ///
    /// - Parameter error: Why the TLS handshake failed, if one was in progress.
    func closed(withinHandshake error: NetError?)
}

extension ClientLegOwner {
    /// By default, the client may still wait for its response.
    package var endsWithInput: Bool { false }
}

extension ClientLeg {
    /// The rare events.
    package enum Event {
        /// A request waits because of `holdsBack`.
        case waits
        /// A SOCKS client requests a tunnel to `host:port`; with the byte counts of both sides so
        /// far.
        case socks(ByteString, up: Int, down: Int)
        /// A SOCKS client was refused.
        case socksRefused
        /// The input is not a request; no more input is read.
        case unreadable(Unreadable)
        /// The request stays incomplete, or TLS is not negotiated in time.
        case failed(ExchangeFailure)
        /// The leg itself serves the client of an inspected tunnel to a server; with the host that
        /// the client names in TLS, if any.
        case tunnelRead(Origin, serverName: String?)
        /// A redirected client begins TLS: call `serverOpened` or `serverRefused` once that of its
        /// server is open, or has failed.
        case serverNeeded(Origin)
        /// The tunnel is not read and passes to the server.
        case tunnelPasses(Origin, TunnelOpening.Passthrough)
        /// The client is silent, so the server may be the one that speaks first.
        case silence(Origin)
        /// The TLS handshake with the client failed.
        case handshakeFailed(NetError)
        /// The tunnel's requests are read from now on.
        case tunnelOpened
        /// The client has closed a tunnel whose requests are read, before any request.
        ///
        /// It has an error if the client seems to reject the certificate.
        case tunnelUnused(NetError?)
        /// The client sends no more through the tunnel.
        case tunnelEnded
        /// The client of an inspected tunnel has disconnected, or one for which `endsWithInput`.
        case gone
        /// The request with this head is malformed, and was refused before it could begin; only from
        /// streams, whose end follows.
        case refused(RequestHead, HTTPError)
        /// The client uses HTTP/2 from now on: call `handOver`.
        case http2
        /// The client has been sent the whole response; only from streams.
        case sent
    }

    /// Input that is not a request.
    package struct Unreadable {
        package enum Reason {
            case malformed(HTTPError)
            /// The client begins a TLS handshake.
            case tls
            /// The head was not complete in time.
            case late
        }

        package let reason: Reason
        /// The number of bytes received.
        package let byteCount: Int
        /// When the first of them arrived, on the loop's clock.
        package let begun: Int64
    }
}
