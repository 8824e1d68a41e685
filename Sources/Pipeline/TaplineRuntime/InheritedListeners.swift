// SPDX-License-Identifier: MIT

internal import Synchronization

/// Listening sockets that the process was started with, until sources take them.
///
/// **Isolation**: any thread.
package final class InheritedListeners: Sendable {
    private let sockets: Mutex<[(address: String, descriptor: Int32)]>

    /// Keeps sockets, each with its address in the form `127.0.0.1:8080` or `[::1]:8080`.
    package init(_ sockets: [(address: String, descriptor: Int32)] = []) {
        self.sockets = Mutex(sockets)
    }

    /// The addresses of the sockets that no source has taken.
    package var addresses: [String] { sockets.withLock { $0.map(\.address) } }

    /// Takes the socket at an address; `nil` if there is none.
    func take(_ address: String) -> Int32? {
        sockets.withLock { sockets in
            guard let position = sockets.firstIndex(where: { $0.address == address }) else {
                return nil
            }
            return sockets.remove(at: position).descriptor
        }
    }
}
