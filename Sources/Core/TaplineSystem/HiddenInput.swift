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
package final class HiddenInput: Sendable {
    private let terminal: File
    private let former: termios

    /// Opens the terminal and turns its echo off.
    ///
    /// - Throws: `FileError` if the process has no terminal.
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
        settings.c_lflag &= ~tcflag_t(ECHO)
        settings.c_lflag |= tcflag_t(ICANON)
        // What was typed before the question is discarded.
        guard unsafe tcsetattr(terminal.descriptor, TCSAFLUSH, &settings) == 0 else {
            throw FileError.last("change", path)
        }
    }

    deinit { restore() }

    /// Asks a question and reads a line, without its end.
    ///
    /// **Throws**: `FileError` if the terminal cannot be read.
    package func ask(_ question: String, atMost limit: Int) throws(FileError) -> [UInt8] {
        try terminal.write(Array(question.utf8).span)
        var line: [UInt8] = []
        while line.count < limit, line.last != 0x0A {
            guard try terminal.read(appendingTo: &line, atMost: limit - line.count) > 0 else {
                break
            }
        }
        try terminal.write([0x0A].span)
        if line.last == 0x0A { line.removeLast() }
        return line
    }

    /// Shows a line.
    package func say(_ text: String) throws(FileError) {
        try terminal.write(Array("\(text)\n".utf8).span)
    }

    /// Turns the echo on again.
    package func restore() {
        var settings = former
        _ = unsafe tcsetattr(terminal.descriptor, TCSAFLUSH, &settings)
    }
}
