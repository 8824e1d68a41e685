// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The terminal of the process with other settings, until `restore`.
///
/// **Isolation**: `restore` may be called from any thread, also more than once.
///
/// **Source**: termios(3), tty(4).
final class TerminalModeGuard: Sendable {
    let file: File
    private let former: termios

    /// Opens the terminal and changes its settings; what was typed before is discarded.
    ///
    /// - Throws: `FileError` if the process has no terminal.
    init(_ change: (inout termios) -> Void) throws(FileError) {
        let path = "/dev/tty"
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw FileError.last("open", path) }
        file = try File(opened: descriptor, named: path)
        var settings = termios()
        guard unsafe tcgetattr(file.descriptor, &settings) == 0 else {
            throw FileError.last("inspect", path)
        }
        former = settings
        change(&settings)
        guard unsafe tcsetattr(file.descriptor, TCSAFLUSH, &settings) == 0 else {
            throw FileError.last("change", path)
        }
    }

    deinit { restore() }

    /// Gives the terminal its former settings.
    func restore() {
        var settings = former
        _ = unsafe tcsetattr(file.descriptor, TCSAFLUSH, &settings)
    }
}
