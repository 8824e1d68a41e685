// SPDX-License-Identifier: MIT

/// An intake that has listening sockets which others have opened, such as a service manager.
///
/// A protocol of its own, since `Intake` is public and only sources of this package take sockets.
package protocol ListenerIntake: Intake {
    /// Takes the socket that listens at an address; `nil` if there is none, or if it was taken.
    ///
    /// - Parameter address: The address in the form `127.0.0.1:8080` or `[::1]:8080`.
    /// - Returns: The descriptor, which the caller owns from now on.
    func listener(at address: String) -> Int32?
}

extension Intake {
    /// Takes the socket that listens at an address; `nil` if the source has to open one.
    package func takeListener(at address: String) -> Int32? {
        (self as? any ListenerIntake)?.listener(at: address)
    }
}
