// SPDX-License-Identifier: MIT

internal import CReach
#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A command that runs in a namespace.
///
/// It is a child of the helper, which may reap it at any time; so it is referred to by a pidfd, and not
/// by a number that the system may give to another process.
///
/// **Isolation**: any thread.
package final class NamespaceCommand: Sendable {
    /// Its process id at the start.
    package let process: Int32
    /// A pidfd; negative if the kernel is older than 5.3.
    let handle: Int32

    /// Takes ownership of a pidfd.
    init(_ process: Int32, _ handle: Int32) {
        self.process = process
        self.handle = handle
    }

    deinit { if handle >= 0 { tapline_reach_close(handle) } }

    /// Sends a signal, if it has not ended.
    package func signal(_ number: Int32) {
        if handle >= 0 {
            tapline_reach_signal(handle, number)
        } else {
            _ = kill(process, number)
        }
    }

    /// Waits until it has ended, if the kernel can tell.
    func waitForEnd() {
        if handle >= 0 { _ = tapline_reach_await(-1, handle, -1) }
    }
}
