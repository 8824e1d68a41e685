// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The terminal of the process, which does not show what is typed, until `restore`.
///
/// **Isolation**: `restore` may be called from any thread, also more than once.
///
/// **Source**: termios(3), tty(4).
package final class NoEchoInput: Sendable {
    private let terminal: TerminalModeGuard

    /// Opens the terminal and turns its echo off.
    ///
    /// - Throws: `FileError` if the process has no terminal.
    package init() throws(FileError) {
        terminal = try TerminalModeGuard { settings in
            settings.c_lflag &= ~tcflag_t(ECHO)
            settings.c_lflag |= tcflag_t(ICANON)
        }
    }

    /// Asks a question and reads a line, without its end.
    ///
    /// **Throws**: `FileError` if the terminal cannot be read.
    package func ask(_ question: String, atMost limit: Int) throws(FileError) -> [UInt8] {
        try terminal.file.write(Array(question.utf8).span)
        var line: [UInt8] = []
        while line.count < limit, line.last != 0x0A {
            guard try terminal.file.read(appendingTo: &line, atMost: limit - line.count) > 0 else {
                break
            }
        }
        try terminal.file.write([0x0A].span)
        if line.last == 0x0A { line.removeLast() }
        return line
    }

    /// Shows a line.
    package func say(_ text: String) throws(FileError) {
        try terminal.file.write(Array("\(text)\n".utf8).span)
    }

    /// Turns the echo on again.
    package func restore() { terminal.restore() }
}
