// SPDX-License-Identifier: MIT

internal import Glibc
internal import TaplineSystem

/// The program that shows long output on a terminal, as git uses one.
struct Pager: Equatable {
    /// The command line, for a shell.
    let command: String
    /// The variables that it gets.
    let environment: [String: String]

    /// The pager that the environment names; `nil` if none is wanted, or it is not installed.
    ///
    /// `TAPLINE_PAGER` comes before `PAGER`; the default is `less`. An empty value and `cat` mean
    /// no pager.
    init?(_ environment: [String: String]) {
        let named = environment["TAPLINE_PAGER"] ?? environment["PAGER"]
        let command = named ?? "less"
        guard !command.allSatisfy(\.isWhitespace), command != "cat" else { return nil }
        // A shell reports other commands that do not exist.
        if Self.isOneWord(command),
            ChildProcess.find(command, in: environment["PATH"]) == nil
        {
            return nil
        }
        self.command = command
        var variables = environment
        // Quit if the text fits on the screen, show colours, and leave the text on the screen.
        if variables["LESS"] == nil { variables["LESS"] = "FRX" }
        self.environment = variables
    }

    private static func isOneWord(_ command: String) -> Bool {
        command.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: true
            default: "_-./+".utf8.contains(byte)
            }
        }
    }

    /// Starts it.
    ///
    /// Until `finish`, this process ignores the interrupt and quit keys of the terminal, which the
    /// pager receives as well.
    func start() throws(FileError) -> PipedProcess {
        let process = try PipedProcess(["/bin/sh", "-c", command], environment: environment)
        for number in [SIGINT, SIGQUIT] { signal(number, SIG_IGN) }
        return process
    }

    /// Ends its input and waits until the user leaves it.
    ///
    /// - Returns: Its exit code.
    static func finish(_ process: consuming PipedProcess) throws(FileError) -> Int32 {
        defer { for number in [SIGINT, SIGQUIT] { signal(number, SIG_DFL) } }
        return try process.finish().code
    }
}
