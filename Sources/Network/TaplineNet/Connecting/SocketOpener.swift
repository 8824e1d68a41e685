// SPDX-License-Identifier: MIT

/// Opens the sockets for some addresses elsewhere, as in a network namespace.
///
/// **Isolation**: the loop's thread.
package protocol SocketOpener: AnyObject {
    /// Returns whether the sockets for an address come from here.
    func covers(_ address: SocketAddress) -> Bool

    /// Opens a socket that is to be connected to an address.
    ///
    /// Calls back once, not before this method returns, with a socket that the callback then owns.
    /// The error `connectRefused` means that nothing can listen there.
    func open(
        for address: SocketAddress,
        _ opened: @escaping (Result<Int32, NetError>) -> Void
    )

    /// Returns why an address that has refused such a socket may not be connected to from this
    /// machine; `nil` if it may.
    func refusal(of address: SocketAddress) -> NetError?

    /// Returns the address to connect to if this one refuses there; `nil` if there is none.
    func alternative(to address: SocketAddress) -> SocketAddress?
}
