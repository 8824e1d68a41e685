// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The keyboard of the terminal key by key, without an echo, until `restore`.
///
/// Control-C still interrupts the program.
///
/// **Isolation**: `restore` may be called from any thread, also more than once.
///
/// **Source**: termios(3).
package final class KeyInput: Sendable {
    private let terminal: TerminalModeGuard

    /// Opens the terminal of the process.
    ///
    /// - Throws: `FileError` if it has none.
    package init() throws(FileError) {
        terminal = try TerminalModeGuard { $0.c_lflag &= ~tcflag_t(ECHO | ICANON) }
    }

    /// Waits for a key.
    ///
    /// - Parameter milliseconds: How long to wait.
    /// - Returns: Its first byte; `nil` if none was pressed.
    /// - Throws: `FileError` if the terminal cannot be read.
    package func key(waiting milliseconds: Int) throws(FileError) -> UInt8? {
        guard try terminal.file.waitForInput(milliseconds: milliseconds) else { return nil }
        var bytes: [UInt8] = []
        guard try terminal.file.read(appendingTo: &bytes, atMost: 16) > 0 else {
            throw FileError("read", terminal.file.path, code: EIO)
        }
        return bytes.first
    }

    /// Gives the terminal its former settings.
    package func restore() { terminal.restore() }
}
