// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A command with its arguments, one option a line.
struct ShellCommand {
    private let shell: ShellDialect
    private var lines: [String]

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - words: The program and its first arguments, already quoted.
    ///   - shell: The shell.
    init(_ words: String, for shell: ShellDialect) {
        self.shell = shell
        lines = [words]
    }

    /// Appends an option without a value, or a quoted word.
    mutating func add(_ word: String) { lines.append(word) }

    /// Appends an option and its value, which is quoted.
    mutating func add(_ option: String, _ value: String) {
        lines.append("\(option) \(shell.quoted(value))")
    }

    /// The command.
    var text: String { lines.joined(separator: " \(shell.continuation)\n  ") }

    /// A comment that names a request.
    ///
    /// An interactive zsh runs pasted comments as commands, so every byte that could have a meaning for
    /// a shell is percent-encoded.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - number: Its number in the export, from 1.
    /// - Returns: One line that begins with `#`.
    static func comment(_ request: OutgoingRequest, _ number: Int) -> String {
        var text: [UInt8] = []
        for byte in "\(request.method) \(request.url().text)".utf8 {
            if byte.isLetter || byte.isDigit || " -._~/:?=,@%+[]".utf8.contains(byte) {
                text.append(byte)
            } else {
                text.put("%\(byte.hexDigits.uppercased())")
            }
        }
        let cut = request.isCut ? ", the end of the body was not recorded" : ""
        return "# \(number): \(String(decoding: text, as: UTF8.self))\(cut)"
    }
}
