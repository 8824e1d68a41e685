// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel
package import TaplineNet

/// What becomes of what a client sends.
///
/// A leg holds its owner until the connection has closed.
///
/// **Isolation**: the leg's loop.
package protocol ClientLegOwner: AnyObject {
    /// Whether the next request has to wait; the owner calls `goOn` when it may come.
    var holdsBack: Bool { get }
    /// Whether the client has to wait with the rest of its request.
    var isRequestBlocked: Bool { get }
    /// The head of a request came; until `exchangeEnded` no other one is read.
    func received(_ head: consuming RequestHead)
    /// Content of the request came; not empty.
    func received(content: Span<UInt8>)
    /// The request is whole.
    func requestEnded(_ trailers: FieldSection)
    /// Bytes of a tunnel came.
    ///
    /// - Returns: Whether they have passed; if not, the owner has called `tunnelOpened`, and they are
    ///   read as requests.
    func received(tunnel bytes: Span<UInt8>) -> Bool
    /// The client takes more, after it had not.
    func clientDrained()
    /// The time that was asked for is over.
    ///
    /// - Returns: When to ask again; `nil` if the exchange has ended.
    func timeIsUp() -> Microseconds?
    /// Something else happened.
    func received(_ event: ClientLeg.Event)
    /// The connection is gone; called once, last.
    ///
    /// - Parameter error: Why TLS was not agreed on, if that was under way.
    func closed(withinHandshake error: NetError?)
}

extension ClientLeg {
    /// What happens rarely.
    package enum Event {
        /// A request waits until it may come.
        case waits
        /// A client of SOCKS asks for a tunnel to `host:port`; with the bytes of both sides so far.
        case socks(ByteString, up: Int, down: Int)
        /// A client of SOCKS was refused.
        case socksRefused
        /// What came is no request; the connection is read no further.
        case unreadable(Unreadable)
        /// The request does not become whole, or TLS is not agreed on in time.
        case failed(ExchangeFailure)
        /// The client of a tunnel that is looked into is answered here.
        case tunnelRead
        /// What it says is not read: the tunnel leads to the server.
        case tunnelPasses(Origin, TunnelOpening.Passed)
        /// It says nothing: the server may be the one that speaks first.
        case silence(Origin)
        /// TLS is not agreed on with it.
        case handshakeFailed(NetError)
        /// Requests are read in the tunnel from here on.
        case tunnelOpened
        /// The client has ended a tunnel in which requests are read and none came.
        ///
        /// The error is there if it seems not to take the certificate.
        case tunnelUnused(NetError?)
        /// The client sends no more through the tunnel.
        case tunnelEnded
        /// The client of a tunnel that is looked into has gone.
        case gone
    }

    /// What came and is no request.
    package struct Unreadable {
        package enum Reason {
            case malformed(HTTPError)
            /// The client begins a TLS handshake.
            case tls
            /// The head was not whole in time.
            case late
        }

        package let reason: Reason
        /// How many bytes came.
        package let byteCount: Int
        /// When they began to come, by the loop's clock.
        package let begun: Int64
    }
}
