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
    private let terminal: File
    private let former: termios

    /// Opens the terminal of the process.
    ///
    /// - Throws: `FileError` if it has none.
    package init() throws(FileError) {
        let path = "/dev/tty"
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw FileError.last("open", path) }
        terminal = try File(opened: descriptor, named: path)
        var settings = termios()
        guard unsafe tcgetattr(terminal.descriptor, &settings) == 0 else {
            throw FileError.last("inspect", path)
        }
        former = settings
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
        guard unsafe tcsetattr(terminal.descriptor, TCSAFLUSH, &settings) == 0 else {
            throw FileError.last("change", path)
        }
    }

    deinit { restore() }

    /// Waits for a key.
    ///
    /// - Parameter milliseconds: How long to wait.
    /// - Returns: Its first byte; `nil` if none was pressed.
    /// - Throws: `FileError` if the terminal cannot be read.
    package func key(waiting milliseconds: Int) throws(FileError) -> UInt8? {
        guard try terminal.waitForInput(milliseconds: milliseconds) else { return nil }
        var bytes: [UInt8] = []
        guard try terminal.read(appendingTo: &bytes, atMost: 16) > 0 else {
            throw FileError("read", terminal.path, code: EIO)
        }
        return bytes.first
    }

    /// Gives the terminal its former settings.
    package func restore() {
        var settings = former
        _ = unsafe tcsetattr(terminal.descriptor, TCSAFLUSH, &settings)
    }
}
